#pragma once

#include "models/cim_mesh/layer/placement.hpp"
#include "models/cim_mesh/layer/stage_counter.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace pimdse::models::cim_mesh {

/// Items grouped by mesh column, in their original order.
template <class Item>
class ByColumn {
  public:
    ByColumn() = default;
    /// `each(visit)` calls `visit(col, item)` for all items, identically in every call; columns are 0 to `cols`.
    template <class Each>
    ByColumn(std::int32_t cols, Each const& each) : begins_(static_cast<std::size_t>(cols) + 2, 0) {
        each([&](std::int32_t col, Item const&) { ++begins_[static_cast<std::size_t>(col) + 1]; });
        std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
        all_.resize(begins_.back());
        auto next = begins_;
        each([&](std::int32_t col, Item const& item) { all_[next[static_cast<std::size_t>(col)]++] = item; });
    }

    /// The items of the columns from `first` to `last`, inclusive.
    [[nodiscard]] std::span<Item const> of(std::int32_t first, std::int32_t last) const {
        std::size_t const begin = begins_[static_cast<std::size_t>(first)];
        return std::span(all_).subspan(begin, begins_[static_cast<std::size_t>(last) + 1] - begin);
    }
    [[nodiscard]] std::span<Item const> at(std::int32_t col) const { return of(col, col); }

  private:
    std::vector<std::uint32_t> begins_;
    std::vector<Item> all_;
};

/// Numbers of vectors of a token.
struct VectorLoads {
    std::int64_t busiest_link = 0;
    std::int64_t busiest_router = 0;  ///< that enter the router, from its links and from itself
};

/// Vectors from the hub of a tree to all its routers, or inwards from all routers of an area.
struct TreeTraffic {
    TreeSpans tree;
    std::int32_t vectors = 1;
    bool inwards = false;
    Area from{};  ///< sources, if inwards
};

/// Output columns that have sums, by mesh column.
class ColumnSums {
  public:
    ColumnSums() = default;
    /// Keeps references to the columns.
    ColumnSums(sim::noc::Mesh mesh, std::span<OutputColumn const* const> columns);

    [[nodiscard]] bool any(std::int32_t col) const { return any_[static_cast<std::size_t>(col)]; }
    /// Whether a sum may travel along a row, to the next mesh column.
    [[nodiscard]] bool any_along(std::int32_t row) const { return any_along_[static_cast<std::size_t>(row)]; }
    template <class Visit>
    void each(std::int32_t col, Visit const& visit) const {
        for (auto const& one : by_left_.of(std::max(0, col - max_behind_), col)) {
            if (one.right >= col) visit(*one.column);
        }
    }

  private:
    struct Wide {
        std::int32_t right = 0;
        OutputColumn const* column = nullptr;
    };
    ByColumn<Wide> by_left_;
    std::int32_t max_behind_ = 0;  // largest number of mesh columns of an output column after its first one
    std::vector<bool> any_, any_along_;
};

/// All vectors of a token on the mesh.
struct TokenTraffic {
    sim::noc::Mesh mesh{};
    std::vector<TreeTraffic> trees;
    std::vector<Route> routes;         ///< one vector per route
    ColumnSums const* sums = nullptr;  ///< partial sums, from both ends to the middle
};

/// The loads of the busiest link and the busiest router. Mesh columns between two columns at which anything begins or
/// ends are equal except for partial sums; a column is evaluated router by router only if its sums may make it the
/// busiest.
[[nodiscard]] VectorLoads loads_of(TokenTraffic const& traffic);

}  // namespace pimdse::models::cim_mesh
