#pragma once

#include "models/cim_mesh/layer/area.hpp"
#include "models/cim_mesh/layer/stage_cost.hpp"

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

}  // namespace pimdse::models::cim_mesh
