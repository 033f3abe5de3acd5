#pragma once

#include "models/cim_mesh/layer/area.hpp"
#include "models/cim_mesh/layer/stage_cost.hpp"

namespace pimdse::models::cim_mesh {

/// A message from router to router, along the row first.
struct Route {
    Router from, to;
};

/// A tree of a hub and an area: along the hub's row, and from there up and down every mesh column as far as there are
/// routers of the area. By stretches of mesh columns that have the same; the hub's column and those at either end stand
/// alone.
class TreeSpans {
  public:
    /// Of routers of the area: how many above and below the hub's row, and whether there is one on it, in each column.
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
    /// Null where the tree has nothing.
    [[nodiscard]] Stretch const* at(std::int32_t col) const {
        return col < left() || col > right() ? nullptr : &stretches_[find(col)];
    }
    /// Where the hub's column stands.
    [[nodiscard]] std::size_t hub_stretch() const { return find(hub_.col); }

  private:
    void cut(Area const& area);
    void fill(Rectangle const& part);
    [[nodiscard]] std::size_t find(std::int32_t col) const;

    Router hub_;
    std::vector<Stretch> stretches_;
    std::int32_t depth_ = 0;
};

/// Shapes of stages, counted by output columns and stretches of links: what shape_of says of the same stages router by
/// router. Messages are of one flit.
class StageCounter {
  public:
    /// Refers to both as long as it lives. timing: its FIFO does not matter.
    StageCounter(Ruler const& ruler, sim::noc::RouterTiming const& timing) : ruler_(ruler), timing_(timing) {}

    [[nodiscard]] StageShape gather(std::span<Router const> from, Router hub) const;
    [[nodiscard]] StageShape broadcast(TreeSpans const& tree, std::int64_t vectors) const;
    /// Partial sums of all columns of a group.
    [[nodiscard]] StageShape reduction(TreeProgram const& program, TreeProgram::Group const& group) const;
    /// From all of the tree's area to its hub, vector after vector.
    [[nodiscard]] StageShape sum(TreeSpans const& tree, std::int64_t vectors) const;
    [[nodiscard]] StageShape unicasts(std::span<Route const> routes) const;

  private:
    [[nodiscard]] double borders(TreeSpans const& tree) const;

    Ruler const& ruler_;
    sim::noc::RouterTiming const& timing_;
};

}  // namespace pimdse::models::cim_mesh
