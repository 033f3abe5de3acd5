#pragma once

#include "models/cim_mesh/layer/placement.hpp"
#include "models/cim_mesh/layer/stage_counter.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pimdse::models::cim_mesh {

/// Numbers of vectors of a token.
struct VectorLoads {
    std::int64_t busiest_link = 0;
    std::int64_t busiest_router = 0;  ///< that enter the router, from its links and from itself
};

/// Vectors that a token puts on the links and routers of a mesh. Every stretch of a column or row adds to its first
/// router and takes away behind its last one, so that its length costs nothing; busiest() adds them up.
class TokenLoads {
  public:
    explicit TokenLoads(sim::noc::Mesh mesh);
    ~TokenLoads();
    TokenLoads(TokenLoads const&) = delete;
    TokenLoads& operator=(TokenLoads const&) = delete;

    /// Vectors from the hub of a tree to all its routers.
    void add_broadcast(TreeSpans const& tree, std::int32_t vectors);
    /// Vectors from all routers of an area, which are summed on their way to the hub of its tree.
    void add_sum(TreeSpans const& tree, Area const& from, std::int32_t vectors);
    /// One vector, along its row and then along its column.
    void add(Route const& route);
    /// Partial sums, from both ends to the middle.
    void add(OutputColumn const& column);

    /// The loads of the busiest link and the busiest router.
    [[nodiscard]] VectorLoads busiest() &&;

  private:
    /// Changes of a load by router, column after column, with one more row and column.
    using Changes = std::vector<std::int32_t>;
    [[nodiscard]] std::array<Changes*, 6> all() { return {&entering_, &north_, &south_, &passing_, &east_, &west_}; }

    [[nodiscard]] std::size_t at(std::int32_t row, std::int32_t col) const {
        return static_cast<std::size_t>(col) * static_cast<std::size_t>(mesh_.rows + 1) + static_cast<std::size_t>(row);
    }
    /// A load on the rows from `first` to `last` of a column, inclusive; nothing if there are none.
    void along_column(Changes& changes, std::int32_t col, std::int32_t first, std::int32_t last, std::int32_t load);
    /// The same on the columns from `first` to `last` of a row.
    void along_row(Changes& changes, std::int32_t row, std::int32_t first, std::int32_t last, std::int32_t load);

    sim::noc::Mesh mesh_;
    Changes entering_, north_, south_;  ///< that change along columns: vectors into routers, and on links that leave
    Changes passing_, east_, west_;     ///< that change along rows, likewise
};

}  // namespace pimdse::models::cim_mesh
