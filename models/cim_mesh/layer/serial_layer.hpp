#pragma once

#include "models/cim_mesh/layer/counts.hpp"
#include "models/cim_mesh/layer/layer_time.hpp"
#include "models/contract/fidelity.hpp"

namespace pimdse::models::cim_mesh {

/// The serial schedule (calibrated to the published figures): every column, and every key, in closed form at every
/// fidelity. leap-d: attention over the cache is a broadcast, products and a sum in the decode region, which cycle
/// level simulates where FIFOs are short: at some contexts, and linear between them. The arguments must outlive the
/// result.
[[nodiscard]] LayerPasses serial_passes(MachineConstants const& machine, Design const& design,
                                        Partition const& partition, PlacedLayer const& layer, MeshCounts const& counts,
                                        Fidelity fidelity);

/// Whether cycle level simulates trees of the serial schedule: on leap-d, with FIFOs shorter than a credit round trip.
[[nodiscard]] bool simulates_trees(MachineConstants const& machine, Design const& design);
/// Lower bounds of the parts of serial_passes() for every placement, in the same order. `counts` are those of
/// min_counts().
[[nodiscard]] LayerPasses serial_lower_bound(MachineConstants const& machine, Design const& design,
                                             Partition const& partition, LayerLowerBound const& layer,
                                             MeshCounts const& counts);

}  // namespace pimdse::models::cim_mesh
