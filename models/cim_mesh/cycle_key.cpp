#include "models/cim_mesh/parameters.hpp"

#include "models/cim_mesh/design.hpp"
#include "models/cim_mesh/layer/placement.hpp"
#include "models/cim_mesh/layer/prompt.hpp"
#include "models/cim_mesh/placed_design.hpp"
#include "models/contract/key_table.hpp"

#include <algorithm>
#include <optional>

namespace pimdse::models::cim_mesh {
namespace {

/// The kinds of layers of a design with the values that its machine fixes, and, for placement = genes, their genes.
struct LaidDesign {
    struct Kind : KindOnMesh {
        Genes genes;
    };
    MachineConstants const& machine;
    std::vector<Kind> kinds;

    [[nodiscard]] Design const& d() const { return kinds.front().design; }
};
using Table = KeyTable<LaidDesign>;

std::optional<LaidDesign> used(Inputs const& inputs, Point point) {
    auto const& prepared = inputs.as<Prepared>();
    LaidDesign u{prepared.machine, {}};
    for (auto& kind : kinds_of(design_of(prepared, point), u.machine.value_bits)) {
        if (broken_rule(u.machine, kind.design, kind.partition)) return std::nullopt;
        Genes genes;
        if (kind.design.placement == PlacementChoice::genes) genes = chosen_genes(kind.design, kind.partition);
        u.kinds.push_back({std::move(kind), std::move(genes)});
    }
    return u;
}

bool has_no_genes(LaidDesign const& u) { return u.d().placement != PlacementChoice::genes; }
bool follows_tokens(LaidDesign const& u) { return !u.d().diffuses(); }
bool has_no_adapters(LaidDesign const& u) { return u.d().lora_targets.empty(); }
bool multiplies_in_place(LaidDesign const& u) { return u.d().multiplies_in_place(); }
bool lies_in_bands(LaidDesign const& u) { return u.d().shape == MatrixShape::bands; }

void write_targets(CycleKeyMaker& key, LaidDesign const& u) {
    auto const& targets = u.d().lora_targets;
    key.add(targets.empty());
    if (targets.empty()) return;
    for (auto const& kind : u.kinds) {
        key.add(kind.partition.matrices.size());
        for (auto const& matrix : kind.partition.matrices)
            key.add(std::ranges::find(targets, matrix.name) != targets.end());
    }
}

/// Number of columns that are summed together with the serial schedule, at most that of the largest matrix.
Value columns_together(LaidDesign const& u) {
    if (u.d().schedule == Schedule::tree) return Value::integer(1);
    std::int64_t max = std::max<std::int64_t>(1, u.kinds.front().partition.head.cols);
    for (auto const& kind : u.kinds)
        for (auto const& matrix : kind.partition.matrices) max = std::max(max, matrix.summed);
    return Value::integer(std::min(max, u.d().parallel_columns));
}

/// Number of query rows that are held: at most those for which the cache leaves space with its first token.
Value rows_held(LaidDesign const& u) {
    std::int64_t max = 0;
    for (auto const& kind : u.kinds) {
        KvCache const cache(u.machine, kind.design, kind.partition);
        max = std::max(max, HeldQueries(cache, kind.design.context_tile).max());
    }
    return Value::integer(max);
}

Value band_height(LaidDesign const& u) {
    return Value::integer(u.d().band_height > 0 ? std::min(u.d().band_height, u.d().mesh_rows) : u.d().mesh_rows);
}

enum class Rows : std::uint8_t { attention, up, down };

Rows rows_of(Partition const& p, std::size_t matrix) {
    if (matrix < 4) return Rows::attention;
    return p.matrices[matrix].name == "down" ? Rows::down : Rows::up;
}

template <Rows which>
void write_heights(CycleKeyMaker& key, LaidDesign const& u) {
    for (auto const& kind : u.kinds) {
        auto const& heights = kind.genes.heights;
        key.add(heights.size());
        for (std::size_t i = 0; i < heights.size(); ++i) key.add(rows_of(kind.partition, i) == which ? heights[i] : 0);
    }
}

/// The order of q, k, v, o, the first four matrices.
void write_attention_order(CycleKeyMaker& key, LaidDesign const& u) {
    for (auto const matrix : u.d().attention_order) key.add(matrix);
}

/// The order of the other matrices. Without gate, several values give the same order.
void write_ffn_order(CycleKeyMaker& key, LaidDesign const& u) {
    for (auto const& kind : u.kinds) {
        auto const& order = kind.genes.order;
        key.add(kind.genes.interleave).add(order.size());
        for (std::size_t i = kind.design.attention_order.size(); i < order.size(); ++i) key.add(order[i]);
    }
}

void add_request(Table& table) {
    table.irrelevant({"steps", "block_length", "model_cache"}, follows_tokens,
                     "autoregressive generation has no denoising steps");
    table.irrelevant(
        "acceptance", [](LaidDesign const& u) { return u.d().speculation.draft == 0; }, "no tokens are proposed");
    table.irrelevant("draft_llm", "it only decides what is feasible");
    table.irrelevant({"lora_rank", "adapter_every"}, has_no_adapters, "there are no adapters");
    table.stands_for(
        "adapter_every",
        [](LaidDesign const& u) {
            return Value::integer(u.d().adapter_every == 0 ? u.d().batch : u.d().adapter_every);
        },
        "0 stands for the requests of a batch");
    table.writes("lora_targets", write_targets, "only names of matrices of the model matter");
}

void add_machine(Table& table) {
    table.stands_for(
        "mode", [](LaidDesign const& u) { return Value::choice(u.d().mode); }, "LEAP's machines have mode leap");
    table.stands_for(
        "crossbar", [](LaidDesign const& u) { return Value::integer(u.d().crossbar); },
        "LEAP's machines have their own crossbar instead of PRIMAL's");
    table.stands_for(
        "kv_pool", [](LaidDesign const& u) { return Value::choice(u.d().kv_pool); },
        "leap-a stores keys in the rectangle of the attention");
    table.stands_for(
        "gating", [](LaidDesign const& u) { return Value::choice(u.d().gating); }, "LEAP's machines have no gating");
    table.stands_for("parallel_columns", columns_together, "at most the existing columns are summed together");
    table.irrelevant(
        "scores", [](LaidDesign const& u) { return !u.d().multiplies_in_routers(); },
        "only scores of routers have a place");
    table.irrelevant("context_tile", multiplies_in_place, "no keys stream past queries");
    table.stands_for("context_tile", rows_held, "the space in the scratchpad limits the number of query rows");
}

void add_placement(Table& table) {
    table.irrelevant({"attention_order", "ffn_order", "band_height", "tile_order", "shape", "attention_rows", "up_rows",
                      "down_rows"},
                     has_no_genes, "only placement = genes reads it");
    table.writes("attention_order", write_attention_order, "a value and a permutation may give the same order");
    table.writes("ffn_order", write_ffn_order, "a model without gate has fewer orders");
    table.irrelevant(
        "band_height", [](LaidDesign const& u) { return !lies_in_bands(u); }, "rectangles have their own rows");
    table.stands_for("band_height", band_height, "0 stands for all rows of the mesh, which are the maximum");
    table.irrelevant({"attention_rows", "up_rows", "down_rows"}, lies_in_bands, "bands have one height");
    table.writes("attention_rows", write_heights<Rows::attention>, "0 stands for the largest number that fits");
    table.writes("up_rows", write_heights<Rows::up>, "0 stands for the largest number that fits");
    table.writes("down_rows", write_heights<Rows::down>, "0 stands for the largest number that fits");
}

using Key = KeyFunctions<LaidDesign, parameters, used, add_request, add_machine, add_placement>;

std::vector<MonotoneLowerBound> monotone_lower_bounds(Inputs const& /*inputs*/) {
    using enum Slope;
    return pairs_of(
        {{{"frequency", "dmacs"}, down, {"ttft", "itl", "latency", "first_ttft", "ideal_ttft", "ideal_itl"}},
         {{"fifo_bytes", "scratchpad", "context_tile"}, down, {"ttft", "itl", "latency", "first_ttft"}},
         {{"batch", "lora_rank", "smac_cycles", "layer_overhead"},
          up,
          {"ttft", "itl", "latency", "first_ttft", "energy"}},
         {{"scratchpad_banks"}, flat, {"ttft", "itl", "latency", "first_ttft"}},
         {{"attained_share"}, down, {"ttft", "latency", "first_ttft"}},
         {{"adapter_every"}, down, {"ttft", "latency", "first_ttft", "energy"}},
         {{"dmacs", "fifo_bytes", "scratchpad"}, up, {"area", "idle_power"}},
         {{"context_tile"}, down, {"energy", "energy_per_token"}},
         {{"frequency", "dmacs", "fifo_bytes", "scratchpad", "context_tile"},
          up,
          {"tokens_per_second", "throughput_with_prompt"}},
         {{"lora_rank", "smac_cycles"}, down, {"tokens_per_second", "throughput_with_prompt"}},
         {{"frequency", "context_tile", "lora_rank"}, flat, {"area"}},
         {{"batch"}, up, {"area"}},
         {{"smac_cycles"}, down, {"area"}}});
}

std::vector<std::string> constants_without_slopes(Inputs const&) { return {}; }

}  // namespace

Proofs proofs() { return {{}, Key::parts(), monotone_lower_bounds, constants_without_slopes}; }

}  // namespace pimdse::models::cim_mesh
