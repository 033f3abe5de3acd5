#pragma once

#include "models/cim_mesh/layer/laying.hpp"
#include "models/cim_mesh/layer/placement.hpp"
#include "models/cim_mesh/layer/stage_cost.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pimdse::models::cim_mesh {

/// A message from router to router, first along the row.
struct Route {
    Router from, to;
};

/// The tree from a hub to an area: along the row of the hub, and from there up and down every mesh column to the
/// outermost routers of the area. It consists of stretches of equal mesh columns; the column of the hub and the first
/// and the last column are stretches of their own.
class TreeSpans {
  public:
    /// Equal mesh columns [left, right]: ends of the tree, and in each column the numbers of routers of the area above
    /// and below the row of the hub, and whether there is one on this row.
    struct Stretch {
        std::int32_t left = 0, right = 0, top = 0, bottom = 0;
        std::int32_t above = 0, below = 0;
        bool on_row = false;
    };

    TreeSpans(Router hub, Area const& area);

    [[nodiscard]] Router hub() const { return hub_; }
    [[nodiscard]] std::span<Stretch const> stretches() const { return stretches_; }  ///< from left to right
    [[nodiscard]] std::int32_t left() const { return stretches_.front().left; }
    [[nodiscard]] std::int32_t right() const { return stretches_.back().right; }
    [[nodiscard]] std::int32_t depth() const { return depth_; }  ///< hops to the farthest router
    /// Index of the stretch with the column of the hub.
    [[nodiscard]] std::size_t hub_stretch() const { return find(hub_.col); }

  private:
    void cut(Area const& area);
    void fill(Rectangle const& part);
    [[nodiscard]] std::size_t find(std::int32_t col) const;

    Router hub_;
    std::vector<Stretch> stretches_;
    std::int32_t depth_ = 0;
};

/// Counts shapes of stages: trees by output columns and stretches of links, unicasts link by link. Messages have one
/// flit.
class StageCounter {
  public:
    /// Keeps references to both. The FIFO of `timing` does not matter.
    StageCounter(Ruler const& ruler, sim::noc::RouterTiming const& timing) : ruler_(ruler), timing_(timing) {}

    [[nodiscard]] StageShape broadcast(TreeSpans const& tree, std::int64_t vectors) const;
    /// Partial sums of all columns of a group.
    [[nodiscard]] StageShape reduction(TreeProgram const& program, TreeProgram::Group const& group) const;
    /// Sum from the area of the tree to its hub, vector after vector.
    [[nodiscard]] StageShape sum(TreeSpans const& tree, std::int64_t vectors) const;
    [[nodiscard]] StageShape unicasts(std::span<Route const> routes) const;

  private:
    [[nodiscard]] double borders(TreeSpans const& tree) const;

    Ruler const& ruler_;
    sim::noc::RouterTiming const& timing_;
};

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
        return static_cast<std::size_t>(col) * stride_ + static_cast<std::size_t>(row);
    }
    /// A load on the rows from `first` to `last` of a column, inclusive; nothing if there are none.
    void along_column(Changes& changes, std::int32_t col, std::int32_t first, std::int32_t last, std::int32_t load);
    /// The same on the columns from `first` to `last` of a row.
    void along_row(Changes& changes, std::int32_t row, std::int32_t first, std::int32_t last, std::int32_t load);

    sim::noc::Mesh mesh_;
    std::size_t stride_;
    Changes entering_, north_, south_;  ///< that change along columns: vectors into routers, and on links that leave
    Changes passing_, east_, west_;     ///< that change along rows, likewise
};

}  // namespace pimdse::models::cim_mesh
