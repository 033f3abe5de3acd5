#pragma once

#include "models/cim_mesh/batch.hpp"
#include "models/cim_mesh/parameters.hpp"
#include "models/cim_mesh/placed_kind.hpp"

#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace pimdse::models::cim_mesh {

/// Caches that all threads share.
struct Memory {
    PlacedLayers layers;
    sim::Memo<SearchKey, FoundPlacement> searches;
};

/// The placements of the kinds of layers. `placement = searched` is searched at cycle level only.
[[nodiscard]] std::vector<Floor> layout(MachineConstants const& machine, Memory const& memory,
                                        std::vector<KindOnMesh> const& kinds, Fidelity fidelity);

/// Cycles of a pass in a layer of each kind.
using CyclesOfKinds = std::vector<sim::Bounded>;

/// Times of a request in seconds, from its first passes and the means of its later ones.
struct RequestTimes {
    sim::Bounded ttft;  ///< until all sequences of the batch have their first token
    sim::Bounded rest;  ///< all later passes
};
[[nodiscard]] RequestTimes times_of(MachineConstants const& machine, std::span<KindOnMesh const> kinds,
                                    CyclesOfKinds const& first, CyclesOfKinds const& later);
/// Equal passes of all requests, each of which computes the LM head for so many positions.
[[nodiscard]] BatchPasses batch_of(MachineConstants const& machine, std::span<KindOnMesh const> kinds,
                                   CyclesOfKinds const& cycles, double heads);
/// The reprogramming of adapters before the prompts of a batch: one of several batches replaces them.
[[nodiscard]] AdapterSwap swap_of(MachineConstants const& machine, std::span<KindOnMesh const> kinds);

/// Inputs that are the same for all points, and caches. Built once and shared by all threads.
struct Prepared {
    MachineConstants machine;
    Bindings bindings;
    Memory memory;
};

/// A design with its kinds of layers and their placements, or the rule that it breaks.
struct PlacedDesign {
    std::vector<KindOnMesh> kinds;
    std::vector<Floor> layouts{};
    std::optional<Infeasible> broken{};

    [[nodiscard]] Design const& design() const { return kinds.front().design; }
    [[nodiscard]] Partition const& parts() const { return kinds.front().partition; }
    [[nodiscard]] PlacedLayer const& layer() const { return *layouts.front().layer; }
};
/// Adds the power of its layers and tables at rest.
void add_rest(MachineConstants const& machine, PlacedDesign const& placed, Standby& to);
/// The rule that the first of these kinds breaks, whatever their placement.
[[nodiscard]] std::optional<Infeasible> first_broken(MachineConstants const& machine,
                                                     std::vector<KindOnMesh> const& kinds);
/// `served(design)`: the request for which a kind of layers must be feasible; by default its own.
[[nodiscard]] PlacedDesign placed(Prepared const& prepared, Design const& design, Fidelity fidelity,
                                  std::function<Design(Design)> const& served = std::identity());

}  // namespace pimdse::models::cim_mesh
