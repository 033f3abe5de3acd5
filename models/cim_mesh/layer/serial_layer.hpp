#pragma once

#include "models/cim_mesh/layer/counts.hpp"
#include "models/cim_mesh/layer/layer_time.hpp"
#include "models/contract/fidelity.hpp"

namespace pimdse::models::cim_mesh {

/// The serial schedule (calibrated to the published figures): every column, and every key of every sampled context, in
/// closed form at every fidelity. leap-d: attention over the cache is a broadcast, products and a sum in the decode
/// region, which cycle level simulates where FIFOs are short.
[[nodiscard]] LayerTime serial_layer(MachineConstants const& machine, Design const& design, Partition const& partition,
                                     PlacedLayer const& layer, MeshCounts const& counts, Fidelity fidelity);

/// The same for passes of any length. The arguments must outlive the result.
[[nodiscard]] LayerPasses serial_passes(MachineConstants const& machine, Design const& design,
                                        Partition const& partition, PlacedLayer const& layer, MeshCounts const& counts,
                                        Fidelity fidelity);

/// Whether cycle level simulates trees of the serial schedule: on leap-d, with FIFOs shorter than a credit round trip.
[[nodiscard]] bool simulates_trees(MachineConstants const& machine, Design const& design);
/// Lower bounds of the parts of serial_layer() for every placement, in the same order. `counts` are those of
/// min_counts().
[[nodiscard]] LayerTime serial_layer_lower_bound(MachineConstants const& machine, Design const& design,
                                                 Partition const& partition, LayerLowerBound const& layer,
                                                 MeshCounts const& counts);

}  // namespace pimdse::models::cim_mesh
