#pragma once

#include "models/cim_mesh/constants.hpp"
#include "models/cim_mesh/layer/laying.hpp"
#include "models/cim_mesh/layer/program.hpp"
#include "sim/base/bounded.hpp"
#include "sim/noc/mesh.hpp"

#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace pimdse::models::cim_mesh {

/// Distances on a mesh of compute tiles side by side. A border between tiles counts as `border_hops` hops.
struct Ruler {
    sim::noc::Mesh mesh;
    std::int64_t tile_cols;
    double border_hops;

    [[nodiscard]] double tile_of(sim::noc::Node node) const { return static_cast<double>(mesh.col(node) / tile_cols); }
    [[nodiscard]] double borders(sim::noc::Node a, sim::noc::Node b) const { return std::abs(tile_of(a) - tile_of(b)); }
    [[nodiscard]] std::int32_t tile(std::int32_t col) const { return col / static_cast<std::int32_t>(tile_cols); }
    /// Number of borders between two mesh columns.
    [[nodiscard]] std::int32_t crossed(std::int32_t a, std::int32_t b) const { return std::abs(tile(a) - tile(b)); }
    /// Length of the route between two routers, in hops.
    [[nodiscard]] double length(Router a, Router b) const {
        return static_cast<double>(hops_between(a, b)) + border_hops * crossed(a.col, b.col);
    }
};

/// Cycles of a stage: for one token alone, and for every further token that follows in a pipeline.
struct StageCost {
    sim::Bounded first;
    sim::Bounded further;
};

using MeshAllowances = MachineConstants::Allowances;

/// A port that several messages of a gather pass: their number, and the time of the earliest one.
struct MeetingPort {
    double packets = 0.0, soonest = 0.0;
};

/// The inputs of the closed form of a stage, for messages of one flit: they depend neither on flits nor on FIFOs.
struct StageShape {
    StageKind kind = StageKind::gather;
    bool empty = true;
    double repeats = 1.0;
    double slowest = 0.0;            ///< cycles of the slowest message alone
    double borders = 0.0;            ///< largest number of borders between compute tiles on the route of a message
    std::int64_t loop = 0;           ///< tree: cycles until a FIFO entry after its last link is free again; 0: no link
    std::vector<MeetingPort> ports;  ///< gather: for every number of packets, the port that they reach last
    std::vector<MeetingPort> sure;   ///< the same with proved lower bounds of the times, if routes separate again
};
/// Largest number of borders between compute tiles on the route of a message of a stage.
[[nodiscard]] double borders_of(Ruler const& ruler, Stage const& stage);

/// Whether closed_cost() equals the time of the network exactly: trees without a common link whose FIFOs hold the flits
/// of a credit round trip.
[[nodiscard]] bool is_exact(sim::noc::RouterTiming const& timing, StageKind kind);

/// The cost of a stage in closed form. If it is not exact: an estimate, a proved lower bound (README.md, Lower bounds)
/// and a calibrated upper bound. The estimate may be below the lower bound.
[[nodiscard]] StageCost closed_cost(MeshAllowances const& allowed, sim::noc::RouterTiming const& timing,
                                    StageShape const& shape, std::int32_t flits);

/// Cycles of the slowest message of a gather alone in the network: a lower bound of the gather.
[[nodiscard]] double min_alone(sim::noc::RouterTiming const& timing, double slowest, std::int32_t flits);

/// The cost of a stage by simulation of the messages of two tokens; of a gather, of `gather_train` tokens.
[[nodiscard]] StageCost simulated_cost(MeshAllowances const& allowed, sim::noc::Mesh mesh,
                                       sim::noc::RouterTiming const& timing, Stage const& stage);

}  // namespace pimdse::models::cim_mesh
