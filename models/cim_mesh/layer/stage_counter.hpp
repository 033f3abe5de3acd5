#pragma once

#include "models/cim_mesh/layer/stage_cost.hpp"

#include <vector>

namespace pimdse::models::cim_mesh {

/// Vectors that a token's stages put on the mesh: by port_index of the output (ejections left out), and by router those
/// that are its own.
struct VectorCounts {
    std::vector<std::int64_t> links, own;
};

/// Shapes of stages and what they put on the mesh, counted along rows and columns: what shape_of and link_loads say of
/// the same stages without their trees. Messages are of one flit.
class StageCounter {
  public:
    /// Refers to all three as long as it lives. timing: its FIFO does not matter. No counts: shapes alone.
    StageCounter(Ruler const& ruler, sim::noc::RouterTiming const& timing, VectorCounts* counts)
        : ruler_(ruler), timing_(timing), counts_(counts) {}

    StageShape gather(std::span<sim::noc::Node const> from, sim::noc::Node hub);
    StageShape broadcast(sim::noc::Node hub, std::span<sim::noc::Node const> to, std::int64_t vectors);
    /// Partial sums of all columns of a group.
    StageShape reduction(Ground const& ground, TreeProgram::Group const& group);
    /// From all of `from` to the hub, vector after vector, up the tree of a broadcast.
    StageShape sum(sim::noc::Node hub, std::span<sim::noc::Node const> from, std::int64_t vectors);
    /// Unicasts of any kind.
    StageShape unicasts(Stage const& stage);
    void count(Stage const& unicasts);

  private:
    /// Rows that a column of a tree takes, and the columns.
    struct Span {
        std::int32_t top, bottom;
    };
    struct Columns {
        std::int32_t left, right;
        std::vector<Span> spans;  ///< from left
        double borders = 0.0;
        std::int32_t depth = 0;
    };
    [[nodiscard]] Columns columns_of(sim::noc::Node hub, std::span<sim::noc::Node const> nodes) const;
    /// Adds to every link of the tree, away from the hub or towards it.
    void add_tree(sim::noc::Node hub, Columns const& columns, std::int64_t vectors, bool outwards);
    void add_path(sim::noc::Node from, sim::noc::Node to);
    void add_link(sim::noc::Node node, sim::noc::Port port, std::int64_t vectors) {
        counts_->links[static_cast<std::size_t>(sim::noc::port_index(node, port))] += vectors;
    }
    void add_own(sim::noc::Node node, std::int64_t vectors) {
        if (counts_ != nullptr) counts_->own[static_cast<std::size_t>(node)] += vectors;
    }

    Ruler const& ruler_;
    sim::noc::RouterTiming const& timing_;
    VectorCounts* counts_;
};

}  // namespace pimdse::models::cim_mesh
