#pragma once

#include "models/cim_mesh/constants.hpp"
#include "models/cim_mesh/layer/program.hpp"
#include "models/cim_mesh/layer/ruler.hpp"
#include "sim/base/bounded.hpp"

namespace pimdse::models::cim_mesh {

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
    std::vector<MeetingPort> ports;  ///< of a gather, one for every number of packets: where they come last
};
/// timing: its FIFO does not matter.
[[nodiscard]] StageShape shape_of(Ruler const& ruler, sim::noc::RouterTiming const& timing, Stage const& stage);

/// Borders between compute tiles on the longest way of a stage's messages.
[[nodiscard]] double borders_of(Ruler const& ruler, Stage const& stage);

/// Broadcasts and reductions have one tree or trees without a common link: exact unless FIFOs are shorter than the
/// credit round trip. Gathers meet: a lower bound, an estimate by the busiest port, and a calibrated upper bound.
[[nodiscard]] StageCost closed_cost(MeshAllowances const& allowed, sim::noc::RouterTiming const& timing,
                                    StageShape const& shape, std::int32_t flits);

/// hybrid: a tree's first two vectors simulated, the others spaced like them. cycle: every vector of two tokens.
/// Gathers: a train of five tokens.
[[nodiscard]] StageCost simulated_cost(MeshAllowances const& allowed, sim::noc::Mesh mesh,
                                       sim::noc::RouterTiming const& timing, Stage const& stage, Fidelity fidelity);

}  // namespace pimdse::models::cim_mesh
