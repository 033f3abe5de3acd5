#pragma once

#include "models/cim_mesh/constants.hpp"
#include "models/cim_mesh/layer/area.hpp"
#include "models/cim_mesh/layer/program.hpp"
#include "sim/base/bounded.hpp"
#include "sim/noc/mesh.hpp"

#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace pimdse::models::cim_mesh {

/// A mesh of compute tiles side by side, and what a border between them counts as.
struct Ruler {
    sim::noc::Mesh mesh;
    std::int64_t tile_cols;
    double border_hops;

    [[nodiscard]] double tile_of(sim::noc::Node node) const { return static_cast<double>(mesh.col(node) / tile_cols); }
    [[nodiscard]] double borders(sim::noc::Node a, sim::noc::Node b) const { return std::abs(tile_of(a) - tile_of(b)); }
    [[nodiscard]] std::int32_t tile(std::int32_t col) const { return col / static_cast<std::int32_t>(tile_cols); }
    /// Borders between two mesh columns.
    [[nodiscard]] std::int32_t crossed(std::int32_t a, std::int32_t b) const { return std::abs(tile(a) - tile(b)); }
    /// Length of the way between two routers.
    [[nodiscard]] double length(Router a, Router b) const {
        return static_cast<double>(hops_between(a, b)) + border_hops * crossed(a.col, b.col);
    }
};

/// What a stage costs, cycles: one token alone, and every further token that follows in a pipeline.
struct StageCost {
    sim::Bounded first;
    sim::Bounded further;
};

using MeshAllowances = MachineConstants::Allowances;

/// The port a gather's messages meet at: how many there are, and when the soonest is there.
struct MeetingPort {
    double packets = 0.0, soonest = 0.0;
};

/// What the closed form needs of a stage, for messages of one flit: neither flits nor FIFOs change it.
struct StageShape {
    StageKind kind = StageKind::gather;
    bool empty = true;
    double repeats = 1.0;
    double slowest = 0.0;            ///< message, alone
    double borders = 0.0;            ///< between compute tiles on the longest way of its messages
    std::int64_t loop = 0;           ///< of a tree: cycles until a place behind its last link is free again; 0: no link
    std::vector<MeetingPort> ports;  ///< of a gather, one for every number of packets: where they come last
    std::vector<MeetingPort> sure;   ///< the same where packets part again: none of them is there sooner
};
/// timing: its FIFO does not matter.
[[nodiscard]] StageShape shape_of(Ruler const& ruler, sim::noc::RouterTiming const& timing, Stage const& stage);

/// Borders between compute tiles on the longest way of a stage's messages.
[[nodiscard]] double borders_of(Ruler const& ruler, Stage const& stage);

/// Whether closed_cost is what the network takes, to the cycle: trees without a common link whose FIFOs hold the flits
/// of a credit's round trip.
[[nodiscard]] bool is_exact(sim::noc::RouterTiming const& timing, StageKind kind);

/// Elsewhere an estimate, a proved lower bound (README.md, Lower bounds) and a calibrated upper one. An estimate may be
/// lower than the bound.
[[nodiscard]] StageCost closed_cost(MeshAllowances const& allowed, sim::noc::RouterTiming const& timing,
                                    StageShape const& shape, std::int32_t flits);

/// A gather whose slowest message is alone in the network: never later than the gather.
[[nodiscard]] double min_alone(sim::noc::RouterTiming const& timing, double slowest, std::int32_t flits);

/// Every vector of two tokens on the network; of gathers, a train of five.
[[nodiscard]] StageCost simulated_cost(MeshAllowances const& allowed, sim::noc::Mesh mesh,
                                       sim::noc::RouterTiming const& timing, Stage const& stage);

}  // namespace pimdse::models::cim_mesh
