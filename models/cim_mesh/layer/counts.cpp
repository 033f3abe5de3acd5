#include "models/cim_mesh/layer/counts.hpp"

#include "models/cim_mesh/layer/crowd.hpp"
#include "models/cim_mesh/layer/layer_time.hpp"
#include "sim/base/counting.hpp"

#include <cmath>

namespace pimdse::models::cim_mesh {
namespace {

/// Tiles lie in an even number of rows as long as the block is high, so that the last is under the first.
double walk_back(MachineConstants const& machine, Design const& design, Partition const& partition) {
    auto const tiles = static_cast<double>(design.model->layers * partition.placed_tiles);
    double const square =
        std::sqrt(tiles * static_cast<double>(design.mesh_cols) / static_cast<double>(design.mesh_rows));
    double const rows = std::min(tiles, 2.0 * std::max(1.0, std::round(square / 2.0)));
    return (rows - 1.0) * (static_cast<double>(design.mesh_rows) + machine.border_hops);
}

/// What no placement changes.
MeshCounts wherever(MachineConstants const& machine, Design const& design, Partition const& partition) {
    MeshCounts counts;
    counts.fill_legs = 7;
    counts.walk_back = walk_back(machine, design, partition);
    counts.mesh_rows = design.mesh_rows;
    return counts;
}

std::int64_t middle_context(Design const& design) { return design.input + design.output / 2; }

}  // namespace

double MeshCounts::key_way(std::int64_t holders) const {
    if (layer != nullptr) return layer->key_way(holders);
    if (holders == 0) return 0.0;
    return static_cast<double>(least_crowd(mesh_rows, holders).together) / static_cast<double>(holders);
}

MeshCounts count_mesh(MachineConstants const& machine, Design const& design, Partition const& partition,
                      PlacedLayer const& layer) {
    auto const flits = static_cast<double>(vector_flits(machine, design));
    auto const prompt = layer.prompt_loads(layer.program().filling_context()),
               middle = layer.loads(middle_context(design));
    auto counts = wherever(machine, design, partition);
    counts.chain_borders = machine.border_hops * layer.chain_borders(design.parallel_columns);
    counts.fill = layer.fill();
    counts.busiest_router = static_cast<double>(prompt.busiest_router);
    counts.prompt_link = flits * static_cast<double>(prompt.busiest_link);
    counts.busiest_link = flits * static_cast<double>(middle.busiest_link);
    counts.layer = &layer;
    counts.most_holders = layer.most_holders();
    return counts;
}

MeshCounts least_counts(MachineConstants const& machine, Design const& design, Partition const& partition,
                        LeastLayer const& layer) {
    auto const flits = static_cast<double>(vector_flits(machine, design));
    std::int64_t const full = layer.filling_context();
    auto counts = wherever(machine, design, partition);
    counts.fill = layer.fill();
    counts.busiest_router = static_cast<double>(layer.busiest_router(full));
    counts.prompt_link = flits * static_cast<double>(layer.busiest_link(full));
    counts.busiest_link = flits * static_cast<double>(layer.busiest_link(middle_context(design)));
    counts.most_holders = layer.most_holders();
    return counts;
}

}  // namespace pimdse::models::cim_mesh
