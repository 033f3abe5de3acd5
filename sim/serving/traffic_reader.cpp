#include "sim/serving/traffic_reader.hpp"

#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"
#include "sim/base/csv.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace pimdse::sim::serving {
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

NumberRows::NumberRows(std::filesystem::path const& file, std::vector<std::string> columns)
    : name_(file.string()), stream_(file), columns_(std::move(columns)) {
    // A folder opens as a file, but has no lines.
    if (!stream_ || stream_.peek() == std::ifstream::traits_type::eof() || !stream_) {
        std::error_code error;
        if (std::filesystem::is_regular_file(file, error) && std::filesystem::is_empty(file, error))
            throw InputError(fmt::format("{}: the file is empty (its first line names the columns)", name_));
        throw InputError(fmt::format("{}: cannot be read (no such file, or no permission)", name_));
    }
    std::string head;
    if (!read_line(head))
        throw InputError(fmt::format("{}: the file is empty (its first line names the columns)", name_));
    find_columns(head);
}

/// The next line that is not empty.
bool NumberRows::read_line(std::string& line) {
    while (std::getline(stream_, line)) {
        ++line_;
        if (line_ == 1) line = std::string(without_byte_order_mark(line));
        if (!trimmed(line).empty()) return true;
    }
    return false;
}

void NumberRows::find_columns(std::string const& head) {
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

void NumberRows::refuse(std::string const& problem) const {
    throw InputError(fmt::format("{}:{}: {}", name_, line_, problem));
}

std::optional<std::vector<std::string>> NumberRows::next() {
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

double NumberRows::number(std::string const& cell, std::size_t column) const {
    auto const value = number_in(cell);
    if (!value)
        refuse(fmt::format("{} = '{}' is not a number{}", columns_[column], clipped(cell), point_for_comma(cell)));
    if (!std::isfinite(*value)) refuse(fmt::format("{} = {} is not finite", columns_[column], clipped(cell)));
    return *value;
}

std::int64_t NumberRows::tokens(std::string const& cell, std::size_t column) const {
    auto const whole = exact_whole(number(cell, column));
    if (!whole || *whole < 1 || *whole > max_tokens)
        refuse(fmt::format("{} = {} is not a whole number from 1 to {}", columns_[column], clipped(cell), max_tokens));
    return *whole;
}

TrafficReader::TrafficReader(std::filesystem::path const& file)
    : rows_(file, {"arrival_s", "input_tokens", "output_tokens"}) {}

std::optional<ServiceRequest> TrafficReader::next() {
    auto const cells = rows_.next();
    if (!cells) return std::nullopt;
    double const arrival = rows_.number((*cells)[0], 0);
    if (arrival < 0.0) rows_.refuse(fmt::format("arrival_s = {} is negative (a trace begins at 0)", arrival));
    if (arrival < last_)
        rows_.refuse(
            fmt::format("arrival_s = {} comes after {} of the request before (requests must be in the order "
                        "of arrival). Sort the trace?",
                        arrival, last_));
    last_ = arrival;
    return ServiceRequest{arrival, rows_.tokens((*cells)[1], 1), rows_.tokens((*cells)[2], 2)};
}

std::vector<ServiceRequest> read_traffic(std::filesystem::path const& file, std::size_t most) {
    TrafficReader reader(file);
    std::vector<ServiceRequest> requests;
    while (requests.size() < most) {
        auto const request = reader.next();
        if (!request) break;
        requests.push_back(*request);
    }
    if (requests.empty()) throw InputError(fmt::format("{}: the trace has no requests", file.string()));
    return requests;
}

}  // namespace pimdse::sim::serving
