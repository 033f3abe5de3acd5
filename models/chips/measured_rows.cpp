#include "models/chips/measured_rows.hpp"

#include "sim/base/counting.hpp"
#include "sim/base/csv_rows.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <iterator>

namespace pimdse::models::chips {
namespace {

/// The column of links between nodes comes last, because rows of one node have none.
constexpr std::array columns{"collective", "link", "devices", "nodes", "bytes", "milliseconds", "between"};
constexpr std::int64_t max_devices = 1 << 20;

/// The cells of a row.
struct MeasuredCells {
    sim::CsvRows const& rows;
    std::span<std::string_view const> cells;

    template <std::size_t N>
    [[nodiscard]] std::size_t named(std::size_t column, std::array<std::string_view, N> const& names) const {
        auto const found = std::ranges::find(names, cells[column]);
        if (found == names.end())
            rows.refuse(fmt::format("unknown {} '{}'.{}", columns[column], sim::clipped(cells[column]),
                                    sim::suggestion(cells[column], {names.begin(), names.end()})));
        return static_cast<std::size_t>(found - names.begin());
    }
    [[nodiscard]] double positive(std::size_t column) const {
        double const value = rows.number(cells[column], column);
        if (!(value > 0.0)) rows.refuse(fmt::format("{} = {} is not above 0", columns[column], value));
        return value;
    }
    [[nodiscard]] std::int64_t count(std::size_t column) const {
        auto const value = sim::exact_whole(positive(column));
        if (!value || *value > max_devices)
            rows.refuse(
                fmt::format("{} = {} is not a whole number from 1 to {}", columns[column], cells[column], max_devices));
        return *value;
    }
};

MeasuredRow read_row(MeasuredCells const& row) {
    constexpr double in_a_second = 1000;  // milliseconds
    MeasuredRow read{static_cast<int>(row.rows.line()),
                     static_cast<Collective>(row.named(0, collective_names)),
                     row.named(1, link_names),
                     row.count(2),
                     row.count(3),
                     0,
                     row.positive(4),
                     row.positive(5) / in_a_second};
    if (read.nodes == 1) return read;
    read.between = row.named(6, link_names);
    if (read.collective != Collective::all_reduce) row.rows.refuse("only all_reduce is modelled over several nodes");
    return read;
}

}  // namespace

std::vector<MeasuredRow> read_measured_rows(std::istream& csv, std::string const& file) {
    std::string const text(std::istreambuf_iterator<char>(csv), {});
    std::vector<std::string> const names(columns.begin(), columns.end());
    sim::CsvRows rows(text, file, names);
    rows.choose(names, names.size() - 1);
    std::vector<MeasuredRow> read;
    while (auto const cells = rows.cells()) read.push_back(read_row({rows, *cells}));
    if (read.empty()) rows.refuse("the table has no rows");
    return read;
}

double seconds_of(MeasuredRow const& row) {
    auto const link = load_link(row.link);
    auto const cost = row.nodes > 1 ? all_reduce_over_nodes(link, row.devices, load_link(row.between), row.nodes,
                                                            row.bytes, Starter::host)
                                    : exchange(link, row.collective, row.devices, row.bytes, Starter::host);
    return link.call.si + cost.seconds;
}

}  // namespace pimdse::models::chips
