#pragma once

#include "models/cim_mesh/layer/placement.hpp"
#include "models/cim_mesh/layer/stage_counter.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace pimdse::models::cim_mesh {

/// Things by the mesh column they belong to, in the order in which they come.
template <class What>
class ByColumn {
  public:
    ByColumn() = default;
    /// `each(visit)` calls `visit(col, what)` for all of them, the same whenever it is called; columns are 0 to `cols`.
    template <class Each>
    ByColumn(std::int32_t cols, Each const& each) : begins_(static_cast<std::size_t>(cols) + 2, 0) {
        each([&](std::int32_t col, What const&) { ++begins_[static_cast<std::size_t>(col) + 1]; });
        std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
        all_.resize(begins_.back());
        auto next = begins_;
        each([&](std::int32_t col, What const& what) { all_[next[static_cast<std::size_t>(col)]++] = what; });
    }

    /// From a column to another, that included.
    [[nodiscard]] std::span<What const> of(std::int32_t first, std::int32_t last) const {
        std::size_t const begin = begins_[static_cast<std::size_t>(first)];
        return std::span(all_).subspan(begin, begins_[static_cast<std::size_t>(last) + 1] - begin);
    }
    [[nodiscard]] std::span<What const> at(std::int32_t col) const { return of(col, col); }

  private:
    std::vector<std::uint32_t> begins_;
    std::vector<What> all_;
};

/// Vectors of a token.
struct VectorLoads {
    std::int64_t busiest_link = 0;
    std::int64_t busiest_router = 0;  ///< that enter it, from its links and its own
};

/// Vectors from the hub of a tree to all its routers, or inwards from all of an area.
struct TreeTraffic {
    TreeSpans tree;
    std::int32_t vectors = 1;
    bool inwards = false;
    Area from{};  ///< of vectors that go inwards
};

/// Output columns that have sums, by the mesh columns they lie on.
class ColumnSums {
  public:
    ColumnSums() = default;
    /// Refers to the columns as long as it lives.
    ColumnSums(sim::noc::Mesh mesh, std::span<OutputColumn const* const> columns);

    [[nodiscard]] bool any(std::int32_t col) const { return any_[static_cast<std::size_t>(col)]; }
    /// Whether a sum may go along a row, to the next mesh column.
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
    std::int32_t max_behind_ = 0;  // columns that the widest has behind its first
    std::vector<bool> any_, any_along_;
};

/// All that a token puts on the mesh.
struct TokenTraffic {
    sim::noc::Mesh mesh{};
    std::vector<TreeTraffic> trees;
    std::vector<Route> routes;         ///< a vector each
    ColumnSums const* sums = nullptr;  ///< partial sums, from both ends to the middle
};

/// The busiest of all links and routers. Between two mesh columns where anything begins or ends, all are alike but for
/// partial sums: these are looked at router by router only where they might make a column the busiest.
[[nodiscard]] VectorLoads loads_of(TokenTraffic const& traffic);

}  // namespace pimdse::models::cim_mesh
