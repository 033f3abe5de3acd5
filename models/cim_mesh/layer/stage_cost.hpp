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

/// Elsewhere an estimate, a proved lower bound (README.md, Lows) and a calibrated upper one. An estimate may be lower
/// than the bound.
[[nodiscard]] StageCost closed_cost(MeshAllowances const& allowed, sim::noc::RouterTiming const& timing,
                                    StageShape const& shape, std::int32_t flits);

/// A gather whose slowest message is alone in the network: never later than the gather.
[[nodiscard]] double least_alone(sim::noc::RouterTiming const& timing, double slowest, std::int32_t flits);

/// Every vector of two tokens on the network; of gathers, a train of five.
[[nodiscard]] StageCost simulated_cost(MeshAllowances const& allowed, sim::noc::Mesh mesh,
                                       sim::noc::RouterTiming const& timing, Stage const& stage);

}  // namespace pimdse::models::cim_mesh
