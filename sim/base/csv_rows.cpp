#include "sim/base/csv_rows.hpp"

#include "sim/base/check.hpp"
#include "sim/base/number_in.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <cmath>
#include <utility>

namespace pimdse::sim {
namespace {

/// What stands between the cells of a table with this first line: commas, or else tabs or semicolons.
char separator_of(std::string_view head) {
    for (char const sign : {',', '\t', ';'})
        if (head.find(sign) != std::string_view::npos) return sign;
    return ',';
}

void swap_signs(std::string& text, char one, char other) {
    for (char& c : text) c = c == one ? other : c == other ? one : c;
}

/// csv_cells of a line with another separator.
std::vector<std::string> cells_between(std::string_view line, char separator) {
    if (separator == ',') return csv_cells(line);
    std::string swapped(line);
    swap_signs(swapped, separator, ',');
    auto cells = csv_cells(swapped);
    for (auto& cell : cells) swap_signs(cell, separator, ',');
    return cells;
}

}  // namespace

CsvRows::CsvRows(LineReader lines) : lines_(std::move(lines)) {
    auto const line = content_line();
    if (!line) throw InputError("{}: the file is empty (its first line names the columns)", lines_.name());
    head_ = *line;
    for (auto const& cell : cells_between(head_, separator_of(head_))) names_.emplace_back(trimmed(cell));
}

CsvRows::CsvRows(std::filesystem::path const& file, std::vector<std::string> columns) : CsvRows(LineReader(file)) {
    choose(std::move(columns));
}

CsvRows::CsvRows(std::string const& text, std::string name, std::vector<std::string> columns)
    : CsvRows(LineReader(text, std::move(name))) {
    choose(std::move(columns));
}

/// The next line that is neither empty nor a comment.
std::optional<std::string_view> CsvRows::content_line() {
    while (auto const line = lines_.next()) {
        auto const content = trimmed(*line);
        if (!content.empty() && !content.starts_with('#')) return line;
    }
    return std::nullopt;
}

void CsvRows::choose(std::vector<std::string> columns, std::size_t required) {
    columns_ = std::move(columns);
    required_ = required;
    at_.clear();
    for (auto const& column : columns_) {
        auto const found = std::ranges::find(names_, column);
        if (found == names_.end())
            refuse(fmt::format("column {} is missing (the first line has {})", column,
                               clipped(fmt::format("{}", fmt::join(names_, ", ")))));
        if (std::find(found + 1, names_.end(), column) != names_.end())
            refuse(fmt::format("column {} occurs twice", column));
        at_.push_back(static_cast<std::size_t>(found - names_.begin()));
    }
}

void CsvRows::split_quoted(std::string_view line) {
    unquoted_ = cells_between(line, separator_of(head_));
    row_.assign(unquoted_.begin(), unquoted_.end());
}

std::optional<std::span<std::string_view const>> CsvRows::cells() {
    auto const line = content_line();
    if (!line) return std::nullopt;
    row_.clear();
    if (line->find('"') != std::string_view::npos) {
        split_quoted(*line);
    } else {
        char const separator = separator_of(head_);
        for (std::size_t begin = 0, end = 0; end != std::string_view::npos; begin = end + 1) {
            end = line->find(separator, begin);
            row_.push_back(line->substr(begin, end == std::string_view::npos ? end : end - begin));
        }
    }
    auto const of_names = static_cast<std::ptrdiff_t>(std::min(row_.size(), names_.size()));
    if (!std::all_of(row_.begin() + of_names, row_.end(), [](auto const& cell) { return trimmed(cell).empty(); }))
        refuse(
            fmt::format("the line has {} cells, and the table {} columns. Write lists and numbers with commas in "
                        "quotes?",
                        row_.size(), names_.size()));
    found_.clear();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        auto const cell = at_[i] < row_.size() ? trimmed(row_[at_[i]]) : std::string_view();
        if (cell.empty() && i < required_) refuse(fmt::format("{} is missing (cells: {})", columns_[i], row_.size()));
        found_.push_back(cell);
    }
    return found_;
}

std::optional<std::vector<std::string>> CsvRows::next() {
    auto const found = cells();
    if (!found) return std::nullopt;
    return std::vector<std::string>(found->begin(), found->end());
}

double CsvRows::number(std::string_view cell, std::size_t column) const {
    auto const value = number_in<double>(cell);
    if (!value)
        refuse(fmt::format("{} = '{}' is not a number{}", columns_[column], clipped(cell), hint_for_comma(cell)));
    if (!std::isfinite(*value)) refuse(fmt::format("{} = {} is not finite", columns_[column], clipped(cell)));
    return *value;
}

std::string csv_cell(std::string const& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (char const c : text) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    return quoted += '"';
}

std::vector<std::string> csv_cells(std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (std::size_t at = 0; at < line.size(); ++at) {
        char const c = line[at];
        bool const doubled = quoted && line.substr(at, 2) == "\"\"";
        if (doubled)
            cells.back() += line[++at];
        else if (c == '"')
            quoted = !quoted;
        else if (c == ',' && !quoted)
            cells.emplace_back();
        else
            cells.back() += c;
    }
    return cells;
}

}  // namespace pimdse::sim
