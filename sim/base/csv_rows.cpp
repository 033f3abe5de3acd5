#include "sim/base/csv_rows.hpp"

#include "sim/base/check.hpp"
#include "sim/base/csv.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>
#include <utility>

namespace pimdse::sim {
namespace {

/// The whole text as a number, also an infinite one or NaN; nullopt otherwise.
std::optional<double> number_in(std::string_view text) {
    double value = 0.0;
    auto const* end = text.data() + text.size();
    auto const [rest, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || rest != end) return std::nullopt;
    return value;
}

}  // namespace

CsvRows::CsvRows(std::filesystem::path const& file, std::vector<std::string> columns)
    : name_(file.string()), stream_(std::make_unique<std::ifstream>(file)), columns_(std::move(columns)) {
    // A folder opens as a file, but has no lines.
    if (!*stream_ || stream_->peek() == std::istream::traits_type::eof() || !*stream_) {
        std::error_code error;
        if (!std::filesystem::is_regular_file(file, error) || !std::filesystem::is_empty(file, error))
            throw InputError(cannot_be_read(name_));
    }
    read_head();
}

CsvRows::CsvRows(std::string const& text, std::string name, std::vector<std::string> columns)
    : name_(std::move(name)), stream_(std::make_unique<std::istringstream>(text)), columns_(std::move(columns)) {
    read_head();
}

void CsvRows::read_head() {
    std::string head;
    if (!read_line(head))
        throw InputError(fmt::format("{}: the file is empty (its first line names the columns)", name_));
    find_columns(head);
}

/// The next line that is neither empty nor a comment.
bool CsvRows::read_line(std::string& line) {
    while (std::getline(*stream_, line)) {
        ++line_;
        if (line_ == 1) line = std::string(without_byte_order_mark(line));
        auto const content = trimmed(line);
        if (!content.empty() && !content.starts_with('#')) return true;
    }
    return false;
}

void CsvRows::find_columns(std::string const& head) {
    std::vector<std::string> names;
    for (auto const& cell : csv_cells(head)) names.emplace_back(trimmed(cell));
    for (auto const& column : columns_) {
        auto const found = std::ranges::find(names, column);
        if (found == names.end())
            refuse(fmt::format(
                "column {} is missing (the first line has {}){}", column,
                clipped(fmt::format("{}", fmt::join(names, ", "))),
                names.size() == 1 && head.find(';') != std::string::npos ? ". Separate the columns by commas?" : ""));
        if (std::find(found + 1, names.end(), column) != names.end())
            refuse(fmt::format("column {} occurs twice", column));
        at_.push_back(static_cast<std::size_t>(found - names.begin()));
    }
}

void CsvRows::refuse(std::string const& problem) const {
    throw InputError(fmt::format("{}:{}: {}", name_, line_, problem));
}

std::optional<std::vector<std::string>> CsvRows::next() {
    std::string line;
    if (!read_line(line)) return std::nullopt;
    auto const cells = csv_cells(line);
    std::vector<std::string> found;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        if (at_[i] >= cells.size() || trimmed(cells[at_[i]]).empty())
            refuse(fmt::format("{} is missing (cells: {})", columns_[i], cells.size()));
        found.emplace_back(trimmed(cells[at_[i]]));
    }
    return found;
}

double CsvRows::number(std::string const& cell, std::size_t column) const {
    auto const value = number_in(cell);
    if (!value)
        refuse(fmt::format("{} = '{}' is not a number{}", columns_[column], clipped(cell), hint_for_comma(cell)));
    if (!std::isfinite(*value)) refuse(fmt::format("{} = {} is not finite", columns_[column], clipped(cell)));
    return *value;
}

}  // namespace pimdse::sim
