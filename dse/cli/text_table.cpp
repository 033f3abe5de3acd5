#include "dse/cli/text_table.hpp"
#include "sim/base/csv_rows.hpp"
#include "sim/base/number_in.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <numeric>

namespace pimdse::dse::cli {
namespace {

using Rows = std::vector<std::vector<std::string>>;
constexpr std::size_t gap = 2;

bool is_prose(std::string const& cell) {
    constexpr std::ptrdiff_t many_words = 4;
    return std::ranges::count(cell, ' ') >= many_words;
}

bool looks_numeric(std::string const& cell) {
    return !cell.empty() && !is_prose(cell) &&
           (std::isdigit(static_cast<unsigned char>(cell[0])) != 0 || (cell.size() > 1 && cell[0] == '-'));
}

/// The width and alignment of each column.
struct Layout {
    explicit Layout(Rows const& rows) {
        for (auto const& row : rows) {
            widths.resize(std::max(widths.size(), row.size()), 0);
            for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
        }
        for (std::size_t i = 0; i < widths.size(); ++i)
            numeric.push_back(rows.size() > 1 && std::all_of(rows.begin() + 1, rows.end(), [&](auto const& row) {
                                  return i < row.size() && looks_numeric(row[i]);
                              }));
    }
    /// The width of columns [first, last) with the gaps between them.
    [[nodiscard]] std::size_t width(std::size_t first, std::size_t last) const {
        if (first == last) return 0;
        return std::accumulate(widths.begin() + static_cast<std::ptrdiff_t>(first),
                               widths.begin() + static_cast<std::ptrdiff_t>(last), gap * (last - first - 1));
    }
    std::vector<std::size_t> widths;
    std::vector<bool> numeric;
};

std::string line_of(std::vector<std::string> const& row, Layout const& layout,
                    std::vector<std::size_t> const& columns) {
    std::string line;
    for (auto const i : columns) {
        if (i >= row.size()) continue;
        line += layout.numeric[i] ? fmt::format("{:>{}}  ", row[i], layout.widths[i])
                                  : fmt::format("{:<{}}  ", row[i], layout.widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
}

std::string text_of(Rows const& rows, Layout const& layout, std::vector<std::size_t> const& columns) {
    std::string text;
    for (auto const& row : rows) text += line_of(row, layout, columns);
    return text;
}

std::vector<std::size_t> all_columns(std::size_t count) {
    std::vector<std::size_t> columns(count);
    std::iota(columns.begin(), columns.end(), std::size_t{0});
    return columns;
}

/// Whether the last column contains prose, as in a list of names and remarks.
bool ends_in_prose(Rows const& rows) {
    return std::any_of(rows.begin() + 1, rows.end(),
                       [](auto const& row) { return !row.empty() && is_prose(row.back()); });
}

/// The cells from this column on, joined by "; ".
std::string joined_from(std::vector<std::string> const& row, std::size_t first) {
    std::string text;
    for (std::size_t i = first; i < row.size(); ++i) {
        if (!row[i].empty()) text += (text.empty() ? "" : "; ") + row[i];
    }
    return text;
}

/// Prints the last column next to the others if there is room, else below them, together with the other columns that do
/// not fit.
std::string with_prose(Rows const& rows, Layout const& layout, std::size_t width) {
    constexpr std::size_t min_text_width = 30, indent = 4;
    std::size_t const last = layout.widths.size() - 1;
    std::size_t const before = layout.width(0, last) + gap;
    bool const beside = before + min_text_width <= width;
    std::size_t kept = beside ? last + 1 : last;
    while (!beside && kept > 1 && layout.width(0, kept) > width) --kept;
    std::string text;
    for (auto const& row : rows) {
        auto line = line_of(row, layout, all_columns(kept));
        if (auto const below = joined_from(row, kept); !below.empty()) line += std::string(indent, ' ') + below + "\n";
        text += wrapped(line, width, beside ? before : indent);
    }
    return text;
}

/// Prints the table in parts, each with the first column and as many others as fit.
std::string in_parts(Rows const& rows, Layout const& layout, std::size_t width) {
    std::string text;
    for (std::size_t next = 1; next < layout.widths.size();) {
        std::vector<std::size_t> columns{0};
        std::size_t used = layout.widths[0];
        do {
            used += gap + layout.widths[next];
            columns.push_back(next++);
        } while (next < layout.widths.size() && used + gap + layout.widths[next] <= width);
        text += (text.empty() ? "" : "\n") + text_of(rows, layout, columns);
    }
    return text;
}

constexpr std::size_t min_width = 40;

std::size_t width_from_environment() {
    char const* const columns = std::getenv("COLUMNS");
    return sim::number_in<std::size_t>(columns == nullptr ? "" : columns).value_or(0);
}

}  // namespace

std::string TextTable::text(std::size_t width) const {
    Layout const layout(rows_);
    std::size_t const columns = layout.widths.size();
    if (width == 0 || columns < 2 || layout.width(0, columns) <= width)
        return text_of(rows_, layout, all_columns(columns));
    return ends_in_prose(rows_) ? with_prose(rows_, layout, width) : in_parts(rows_, layout, width);
}

std::string TextTable::csv() const {
    std::string text;
    for (auto const& row : rows_) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (i > 0) text += ',';
            // R, pandas, DuckDB and d3 read "nan" as a text, and an empty field as a missing number.
            if (row[i] != "nan" && row[i] != "-nan") text += sim::csv_cell(row[i]);
        }
        text += '\n';
    }
    return text;
}

sim::Json TextTable::json() const {
    auto list = sim::Json::array();
    for (auto const& row : std::span(rows_).subspan(1)) {
        sim::Json entry;
        for (std::size_t i = 0; i < row.size(); ++i) entry[rows_.front()[i]] = row[i];
        list.push_back(std::move(entry));
    }
    return list;
}

std::size_t screen_width() {
    if (auto const width = width_from_environment(); width > 0) return std::max(width, min_width);
    winsize size{};
    if (::isatty(STDOUT_FILENO) == 0 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 0;
    return std::max<std::size_t>(size.ws_col, min_width);
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
    if (width == 0) return std::string(text);
    std::string out;
    std::size_t at = 0, begun = 0;  // width of the line so far; indentation at its start
    for (std::size_t i = 0; i < text.size();) {
        if (text[i] == '\n') {
            out += text[i++];
            at = begun = 0;
            continue;
        }
        auto const word_begin = text.find_first_not_of(' ', i);
        auto const word_end = text.find_first_of(" \n", word_begin == text.npos ? text.size() : word_begin);
        auto const piece = text.substr(i, word_end == text.npos ? text.npos : word_end - i);
        auto const word = piece.substr(std::min(piece.size(), word_begin == text.npos ? piece.size() : word_begin - i));
        if (at > begun && at + piece.size() > width) {
            i += piece.size();
            if (word.empty()) continue;  // spaces before the end of a line
            out += '\n' + std::string(indent, ' ') + std::string(word);
            at = indent + word.size();
            begun = indent;
        } else {
            i += piece.size();
            out += piece;
            at += piece.size();
        }
    }
    return out;
}

}  // namespace pimdse::dse::cli
