#include "models/chips/measured_rows.hpp"

#include "sim/base/check.hpp"
#include "sim/base/csv_rows.hpp"
#include "sim/base/number_in.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace pimdse::models::chips {
namespace {

constexpr std::array<std::string_view, 7> columns{"collective", "link",  "devices",     "nodes",
                                                  "between",    "bytes", "milliseconds"};
constexpr std::int64_t max_devices = 1 << 20;

/// The cells of a line.
class MeasuredLine {
  public:
    MeasuredLine(std::string const& text, std::string place) : cells_(sim::csv_cells(text)), place_(std::move(place)) {
        if (cells_.size() != columns.size())
            throw sim::InputError(fmt::format("{}: {} cells (a row has {})", place_, cells_.size(), columns.size()));
    }

    template <std::size_t N>
    [[nodiscard]] std::size_t named(std::size_t column, std::array<std::string_view, N> const& names) const {
        auto const found = std::find(names.begin(), names.end(), cells_[column]);
        if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
        throw sim::InputError(fmt::format("{}: unknown {} '{}'.{}", place_, columns[column],
                                          sim::clipped(cells_[column]),
                                          sim::suggestion(cells_[column], {names.begin(), names.end()})));
    }
    [[nodiscard]] double positive(std::size_t column) const {
        auto const& text = cells_[column];
        auto const value = sim::number_in<double>(text);
        if (value && std::isfinite(*value) && *value > 0.0) return *value;
        throw sim::InputError(
            fmt::format("{}: {} = '{}' is not a number above 0", place_, columns[column], sim::clipped(text)));
    }
    [[nodiscard]] std::int64_t count(std::size_t column) const {
        double const value = positive(column);
        if (value == std::floor(value) && value <= static_cast<double>(max_devices))
            return static_cast<std::int64_t>(value);
        throw sim::InputError(
            fmt::format("{}: {} = {} is not a whole number from 1 to {}", place_, columns[column], value, max_devices));
    }

  private:
    std::vector<std::string> cells_;
    std::string place_;
};

MeasuredRow read_row(MeasuredLine const& line, int number) {
    constexpr double in_a_second = 1000;  // milliseconds
    MeasuredRow row;
    row.line = number;
    row.collective = static_cast<Collective>(line.named(0, collective_names));
    row.link = line.named(1, link_names);
    row.devices = line.count(2);
    row.nodes = line.count(3);
    if (row.nodes > 1) row.between = line.named(4, link_names);
    row.bytes = line.positive(5);
    row.seconds = line.positive(6) / in_a_second;
    return row;
}

}  // namespace

std::vector<MeasuredRow> read_measured_rows(std::istream& csv, std::string const& file) {
    std::vector<MeasuredRow> rows;
    std::string text;
    for (int number = 1; std::getline(csv, text); ++number) {
        auto const place = fmt::format("{}:{}", file, number);
        auto const line = sim::without_byte_order_mark(text);
        if (number == 1) {
            auto const heads = sim::csv_cells(line);
            if (!std::equal(heads.begin(), heads.end(), columns.begin(), columns.end()))
                throw sim::InputError(fmt::format("{}: the first line must be '{}'", place, fmt::join(columns, ",")));
            continue;
        }
        if (sim::trimmed(line).empty()) continue;
        rows.push_back(read_row(MeasuredLine(std::string(line), place), number));
        auto const& row = rows.back();
        if (row.nodes > 1 && row.collective != Collective::all_reduce)
            throw sim::InputError(fmt::format("{}: only all_reduce is modelled over several nodes", place));
    }
    if (rows.empty()) throw sim::InputError(fmt::format("{}: no rows", file));
    return rows;
}

double seconds_of(MeasuredRow const& row) {
    auto const link = load_link(row.link);
    auto const cost = row.nodes > 1 ? all_reduce_over_nodes(link, row.devices, load_link(row.between), row.nodes,
                                                            row.bytes, Starter::host)
                                    : exchange(link, row.collective, row.devices, row.bytes, Starter::host);
    return link.call.si + cost.seconds;
}

}  // namespace pimdse::models::chips
