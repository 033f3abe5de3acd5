#include "models/cim_mesh/placement/partition.hpp"

#include "models/cim_mesh/constants.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>

namespace pimdse::models::cim_mesh {
namespace {

/// LEAP counts keys and values as in multi-head attention, whatever the model groups.
bool counted_as_multi_head(Design const& design, std::string const& name) {
    return design.mode == Mode::leap && (name == "q" || name == "k" || name == "v" || name == "o");
}

Tiling tile(Design const& design, sim::WeightMatrix const& matrix) {
    std::int64_t const c = design.crossbar;
    Tiling t{matrix.name, sim::divide_up(matrix.inputs, c), sim::divide_up(matrix.outputs, c), matrix.count,
             matrix.active};
    if (counted_as_multi_head(design, matrix.name)) t.rows = t.cols = sim::divide_up(design.model->hidden, c);
    return t;
}

bool is_adapted(Design const& design, std::string const& name) {
    return std::find(design.lora_targets.begin(), design.lora_targets.end(), name) != design.lora_targets.end();
}

}  // namespace

Partition partition(Design const& design, double value_bits) {
    auto const& model = *design.model;
    std::int64_t const c = design.crossbar;
    Partition p;
    p.n = sim::divide_up(model.hidden, c);
    p.f =
        (model.ffn > 0 ? sim::divide_up(model.ffn, c) : 0) + model.experts_active * sim::divide_up(model.expert_ffn, c);
    p.q = sim::divide_up(model.query_width(), c);
    p.kv = sim::divide_up(model.kv_width(), c);
    p.heads_per_slice = std::max<std::int64_t>(1, c / model.head_dimension);
    for (auto const& matrix : sim::layer_matrices(model)) {
        auto const t = tile(design, matrix);
        p.tiles += t.tiles() * t.stored;
        p.adds += (t.rows - 1) * t.cols * t.stored;
        p.token_adds += (t.rows - 1) * sim::divide_up(t.cols, design.parallel_columns) * t.active;
        if (is_adapted(design, matrix.name)) {
            p.adapted += t.active;
            p.adapted_tiles += t.tiles() * t.stored;
            p.lora_bytes += static_cast<double>(design.lora_rank * (matrix.inputs + matrix.outputs) * t.stored) *
                            value_bits / MachineConstants::bits_per_byte;
        }
        p.matrices.push_back(t);
    }
    p.table_tiles = 2 * sim::divide_up(model.vocabulary, c) * p.n;
    p.compute_tiles = static_cast<double>(p.tiles) / static_cast<double>(design.pairs_per_tile());
    p.placed_tiles = sim::divide_up(p.tiles, design.pairs_per_tile());
    p.total_tiles = model.layers * p.placed_tiles + sim::divide_up(p.table_tiles, design.pairs_per_tile());
    return p;
}

std::int64_t kv_pool_tiles(Design const& design, Partition const& p) {
    if (design.kv_pool == KvPool::layer) return p.tiles;
    std::int64_t tiles = 0;
    for (auto const& t : p.matrices) tiles += t.name == "k" || t.name == "v" ? t.tiles() * t.stored : 0;
    return tiles;
}

}  // namespace pimdse::models::cim_mesh
