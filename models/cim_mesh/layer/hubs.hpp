#pragma once

#include "models/cim_mesh/layer/laying.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace pimdse::models::cim_mesh {

/// Number of hops from a router to the farthest of a set of routers. Four sums and differences of positions decide it.
class FarthestOf {
  public:
    explicit FarthestOf(Area const& area);
    explicit FarthestOf(std::span<Router const> routers);

    /// 0 if the set is empty.
    [[nodiscard]] std::int32_t from(Router at) const;

  private:
    void add(Router at);

    bool empty_ = true;
    std::int32_t min_sum_ = 0, max_sum_ = 0, min_difference_ = 0, max_difference_ = 0;
};

/// Sum of the hops from a router to all routers of an area: one sum over rows and one over columns.
class TotalHops {
  public:
    explicit TotalHops(Area const& area);

    [[nodiscard]] std::int64_t from(Router at) const;

  private:
    /// Routers by position on one axis, as sums up to each position: of routers, and of routers times position.
    struct Axis {
        std::vector<std::int64_t> routers, moments;
        [[nodiscard]] std::int64_t away(std::int32_t from) const;
    };
    Axis rows_, cols_;
};

/// The router of `candidates` with the least sum of hops to all routers of `to`, which is a median of rows and of
/// columns if that router is a candidate; of equal ones the first by row, then by column.
[[nodiscard]] Router median_of(Area const& candidates, Area const& to);

/// The router of `candidates` with the least sum of its hops to the farthest router of each set; of equal ones that
/// with the least sum of hops to all candidates, then the first by row and column.
[[nodiscard]] Router center_of(Area const& candidates, std::span<FarthestOf const> sets);

}  // namespace pimdse::models::cim_mesh
