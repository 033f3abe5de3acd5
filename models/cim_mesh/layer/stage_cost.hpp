#pragma once

#include "models/cim_mesh/constants.hpp"
#include "models/cim_mesh/layer/program.hpp"
#include "sim/base/bounded.hpp"

namespace pimdse::models::cim_mesh {

/// What a stage costs, cycles: one token alone, and every further token that follows in a pipeline.
struct StageCost {
    sim::Bounded first;
    sim::Bounded further;
};

using MeshAllowances = MachineConstants::Allowances;

/// Broadcasts and reductions have one tree or trees without a common link: exact unless FIFOs are shorter than the
/// credit round trip. Gathers meet: a lower bound, an estimate by the busiest port, and a calibrated upper bound.
[[nodiscard]] StageCost closed_cost(MeshAllowances const& allowed, sim::noc::Mesh mesh,
                                    sim::noc::RouterTiming const& timing, Stage const& stage);

/// hybrid: a tree's first two vectors simulated, the others spaced like them. cycle: every vector of two tokens.
/// Gathers: a train of five tokens.
[[nodiscard]] StageCost simulated_cost(MeshAllowances const& allowed, sim::noc::Mesh mesh,
                                       sim::noc::RouterTiming const& timing, Stage const& stage, Fidelity fidelity);

}  // namespace pimdse::models::cim_mesh
