#include "models/cim_mesh/layer/partition.hpp"

#include "models/cim_mesh/constants.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>

namespace pimdse::models::cim_mesh {
namespace {

/// LEAP places keys and values as in multi-head attention, even if the model groups queries; the columns without
/// weights have no sums.
bool laid_as_multi_head(Design const& design, std::string const& name) {
    return design.mode == Mode::leap && (name == "q" || name == "k" || name == "v" || name == "o");
}

Tiling tile(Design const& design, WeightMatrix const& matrix) {
    std::int64_t const c = design.crossbar;
    std::int64_t const columns = sim::divide_up(matrix.outputs, c);
    Tiling t{matrix.name, sim::divide_up(matrix.inputs, c), columns, columns, matrix.count, matrix.active};
    if (laid_as_multi_head(design, matrix.name)) {
        t.rows = t.cols = sim::divide_up(design.model->hidden, c);
        t.summed = std::min(columns, t.cols);
    }
    return t;
}

std::int64_t columns_together(Design const& design, Partition const& p) {
    // The groups that follow each other with tree collectives: q, k, v; o; gate, up; down.
    std::int64_t attention = 0, wide = 0, max = std::max<std::int64_t>(1, p.head.cols);
    for (auto const& m : p.matrices) {
        std::int64_t const columns = m.summed * m.active;
        if (m.name == "q" || m.name == "k" || m.name == "v") attention += columns;
        if (m.name == "gate" || m.name == "up") wide += columns;
        max = std::max(max, design.has_trees() ? columns : m.summed);
    }
    std::int64_t const chains = std::min(max, design.parallel_columns), trees = std::max({max, attention, wide});
    if (design.searches_schedule()) return chains + trees;
    return design.has_trees() ? trees : chains;
}

/// Whether the layers of the design differ in what this request uses.
bool differ(Design const& d) {
    auto const& first = *d.model;
    return std::ranges::any_of(first.alike, [&](LanguageModel const& m) {
        return !same_network(m, first) || exceeded_window(m, d.longest_context()) > 0;
    });
}

/// The partition without what is counted with the first kind.
Partition without_tables(Partition p) {
    p.has_tables = false;
    p.total_tiles = p.all_layer_tiles;
    p.table_tiles = p.words = 0;
    p.head = {};
    return p;
}

}  // namespace

bool is_adapted(Design const& design, std::string const& matrix) {
    return std::ranges::find(design.lora_targets, matrix) != design.lora_targets.end();
}

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
    p.slices_per_head = std::max<std::int64_t>(1, model.head_dimension / c);
    auto const matrices = layer_matrices(model);
    p.matrices.reserve(matrices.size());
    for (auto const& matrix : matrices) {
        auto const& t = p.matrices.emplace_back(tile(design, matrix));
        p.tiles += t.tiles() * t.stored;
        p.adds += (t.rows - 1) * t.summed * t.stored;
        auto const additions = (t.rows - 1) * sim::divide_up(t.summed, design.parallel_columns) * t.active;
        p.token_adds += additions;
        p.token_qkv_adds += t.name == "q" || t.name == "k" || t.name == "v" ? additions : 0;
        p.token_up_adds += t.name == "up" ? additions : 0;
        p.gated = p.gated || t.name == "gate";
        if (is_adapted(design, matrix.name)) {
            p.adapted += t.active;
            p.lora_products += static_cast<double>(design.lora_rank * (matrix.inputs + matrix.outputs) * t.active);
            p.adapted_tiles += t.tiles() * t.stored;
            p.lora_bytes += static_cast<double>(design.lora_rank * (matrix.inputs + matrix.outputs) * t.stored) *
                            value_bits / MachineConstants::bits_per_byte;
        }
    }
    std::int64_t const words = sim::divide_up(model.vocabulary, c);
    if (design.lm_head == HeadTiming::counted) p.head = {"head", p.n, words, words, 1, 1};
    if (!design.is_leap() || p.head.cols > 0) p.words = words;
    p.columns_together = columns_together(design, p);
    p.table_tiles = design.is_leap() ? p.head.tiles() : 2 * words * p.n;
    p.compute_tiles = static_cast<double>(p.tiles) / static_cast<double>(design.pairs_per_tile());
    p.placed_tiles = sim::divide_up(p.tiles, design.pairs_per_tile());
    p.all_layers = model.layers;
    p.all_layer_tiles = model.layers * p.placed_tiles;
    p.total_tiles = p.all_tiles = p.all_layer_tiles + sim::divide_up(p.table_tiles, design.pairs_per_tile());
    p.all_crossbars = model.layers * p.tiles + p.table_tiles;
    return p;
}

bool holds_cache(KvPool pool, std::string_view matrix) {
    if (pool == KvPool::layer) return true;
    bool const kv = matrix == "k" || matrix == "v";
    return pool == KvPool::colocated ? kv : kv || matrix == "q" || matrix == "o";
}

std::int64_t kv_pool_tiles(KvPool pool, std::vector<Tiling> const& matrices) {
    std::int64_t tiles = 0;
    for (auto const& t : matrices) tiles += holds_cache(pool, t.name) ? t.tiles() * t.stored : 0;
    return tiles;
}

std::vector<KindOnMesh> kinds_of(Design const& design, double value_bits) {
    std::vector<KindOnMesh> kinds;
    if (!differ(design)) {
        kinds.push_back({design, partition(design, value_bits)});
        return kinds;
    }
    for (auto const& alike : alike_layers(*design.model)) {
        auto one = design;
        one.model = &alike;
        auto parts = partition(one, value_bits);
        kinds.push_back({one, kinds.empty() ? std::move(parts) : without_tables(std::move(parts))});
    }
    Partition all;
    for (auto const& [of_kind, p] : kinds) {
        all.all_layers += of_kind.model->layers;
        all.all_layer_tiles += of_kind.model->layers * p.placed_tiles;
        all.all_tiles += p.total_tiles;
        all.all_crossbars += of_kind.model->layers * p.tiles + p.table_tiles;
    }
    for (auto& kind : kinds) {
        for (auto const total :
             {&Partition::all_layers, &Partition::all_layer_tiles, &Partition::all_tiles, &Partition::all_crossbars})
            kind.partition.*total = all.*total;
    }
    return kinds;
}

}  // namespace pimdse::models::cim_mesh
