#pragma once

#include "models/cim_mesh/layer/meetings.hpp"
#include "models/cim_mesh/layer/tree_spans.hpp"

namespace pimdse::models::cim_mesh {

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
    [[nodiscard]] StageShape unicasts(std::span<Way const> ways) const;

  private:
    [[nodiscard]] double borders(TreeSpans const& tree) const;

    Ruler const& ruler_;
    sim::noc::RouterTiming const& timing_;
};

}  // namespace pimdse::models::cim_mesh
