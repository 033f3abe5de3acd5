#include "models/cim_mesh/layer/way_loads.hpp"

namespace pimdse::models::cim_mesh {

/// What changes where it begins and ends.
void WayLoads::each_change(Way const& way, auto const& visit) {
    std::int32_t const row = way.from.row, from = way.from.col, to = way.to.col;
    if (from == to) {
        visit(from, Change{row, {1, 0, 0}});
        visit(from + 1, Change{row, {-1, 0, 0}});
    } else if (from < to) {
        visit(from, Change{row, {1, 1, 0}});
        visit(to, Change{row, {0, -1, 0}});
        visit(to + 1, Change{row, {-1, 0, 0}});
    } else {
        visit(to, Change{row, {1, 0, 0}});
        visit(to + 1, Change{row, {0, 0, 1}});
        visit(from + 1, Change{row, {-1, 0, -1}});
    }
}

WayLoads::WayLoads(sim::noc::Mesh mesh, std::span<Way const> ways, std::vector<std::int32_t> const& crowded)
    : mesh_(mesh),
      rows_(static_cast<std::size_t>(mesh.rows)),
      crowded_(rows_.size(), false),
      passing_(mesh.rows, ways.size()),
      along_(mesh.rows, ways.size()),
      changes_(mesh.cols,
               [&](auto const& visit) {
                   for (auto const& way : ways) each_change(way, visit);
               }),
      arrivals_(mesh.cols, [&](auto const& visit) {
          for (auto const& way : ways) {
              if (way.from.row != way.to.row) visit(way.to.col, way);
          }
      }) {
    for (auto const row : crowded) crowded_[static_cast<std::size_t>(row)] = true;
}

std::int32_t WayLoads::advance(std::int32_t col) {
    for (auto const& change : changes_.at(col)) apply(change);
    std::int32_t next = col + 1;
    while (next < mesh_.cols && changes_.at(next).empty()) ++next;
    return next;
}

void WayLoads::apply(Change const& change) {
    auto& row = rows_[static_cast<std::size_t>(change.row)];
    auto const before = row;
    row.passing += change.more.passing;
    row.east += change.more.east;
    row.west += change.more.west;
    if (crowded_[static_cast<std::size_t>(change.row)]) return;
    passing_.change(before.passing, row.passing);
    along_.change(before.along(), row.along());
}

}  // namespace pimdse::models::cim_mesh
