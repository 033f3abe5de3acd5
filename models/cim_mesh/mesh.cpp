#include "models/cim_mesh/mesh.hpp"

#include "models/cim_mesh/layer/prompt.hpp"
#include "models/cim_mesh/ledger.hpp"
#include "models/cim_mesh/mesh_part.hpp"
#include "models/cim_mesh/metrics.hpp"

#include <algorithm>
#include <utility>

namespace pimdse::models::cim_mesh {
namespace {

MeshPart const& mesh_of(text::PartLaw const& part) { return static_cast<MeshPart const&>(part); }
Design const& design_of(text::PartLaw const& part) { return mesh_of(part).on_mesh().design(); }

bool has_no_genes(text::PartLaw const& part) { return design_of(part).placement != PlacementChoice::genes; }
bool has_no_adapters(text::PartLaw const& part) { return design_of(part).lora_targets.empty(); }
bool multiplies_in_place(text::PartLaw const& part) { return design_of(part).multiplies_in_place(); }
bool lies_in_bands(text::PartLaw const& part) { return design_of(part).shape == MatrixShape::bands; }

void write_targets(CycleKeyMaker& key, text::PartLaw const& part) {
    auto const& targets = design_of(part).lora_targets;
    key.add(targets.empty());
    if (targets.empty()) return;
    for (auto const& kind : mesh_of(part).on_mesh().kinds) {
        key.add(kind.partition.matrices.size());
        for (auto const& matrix : kind.partition.matrices)
            key.add(std::ranges::find(targets, matrix.name) != targets.end());
    }
}

template <auto member>
Value choice_of(text::PartLaw const& part) {
    return Value::choice(design_of(part).*member);
}

/// Requests that use the same adapters: 0 stands for those of a batch.
Value requests_together(text::PartLaw const& part) {
    auto const& d = design_of(part);
    return Value::integer(d.adapter_every == 0 ? d.batch : d.adapter_every);
}

/// Number of columns that are summed together with the serial schedule, at most that of the largest matrix.
Value columns_together(text::PartLaw const& part) {
    auto const& d = design_of(part);
    if (d.schedule == Schedule::tree) return Value::integer(1);
    std::int64_t max = std::max<std::int64_t>(1, mesh_of(part).on_mesh().parts().head.cols);
    for (auto const& kind : mesh_of(part).on_mesh().kinds)
        for (auto const& matrix : kind.partition.matrices) max = std::max(max, matrix.summed);
    return Value::integer(std::min(max, d.parallel_columns));
}

/// Number of query rows that are held: at most those for which the cache leaves space with its first token.
Value rows_held(text::PartLaw const& part) {
    std::int64_t max = 0;
    for (auto const& kind : mesh_of(part).on_mesh().kinds) {
        KvCache const cache(mesh_of(part).machine(), kind.design, kind.partition);
        max = std::max(max, HeldQueries(cache, kind.design.context_tile).max());
    }
    return Value::integer(max);
}

Value band_height(text::PartLaw const& part) {
    auto const& d = design_of(part);
    return Value::integer(d.band_height > 0 ? std::min(d.band_height, d.mesh_rows) : d.mesh_rows);
}

enum class Rows : std::uint8_t { attention, up, down };

Rows rows_of(Partition const& p, std::size_t matrix) {
    if (matrix < 4) return Rows::attention;
    return p.matrices[matrix].name == "down" ? Rows::down : Rows::up;
}

template <Rows which>
void write_heights(CycleKeyMaker& key, text::PartLaw const& part) {
    auto const& placed = mesh_of(part).on_mesh();
    for (std::size_t k = 0; k < placed.kinds.size(); ++k) {
        auto const& heights = placed.layouts[k].genes.heights;
        key.add(heights.size());
        for (std::size_t i = 0; i < heights.size(); ++i)
            key.add(rows_of(placed.kinds[k].partition, i) == which ? heights[i] : 0);
    }
}

/// The order of q, k, v, o, the first four matrices.
void write_attention_order(CycleKeyMaker& key, text::PartLaw const& part) {
    for (auto const matrix : design_of(part).attention_order) key.add(matrix);
}

/// The order of the other matrices. Without gate, several values give the same order.
void write_ffn_order(CycleKeyMaker& key, text::PartLaw const& part) {
    for (auto const& floor : mesh_of(part).on_mesh().layouts) {
        auto const& order = floor.genes.order;
        key.add(floor.genes.interleave).add(order.size());
        for (std::size_t i = design_of(part).attention_order.size(); i < order.size(); ++i) key.add(order[i]);
    }
}

/// What stands for keys in a cycle key.
std::vector<text::PartKeyRow> key_rows() {
    using Part = text::PartLaw;
    text::PartKeyRows rows;
    rows.irrelevant({"lora_rank", "adapter_every"}, has_no_adapters, "there are no adapters");
    rows.stands_for("adapter_every", requests_together, "0 stands for the requests of a batch");
    rows.writes("lora_targets", write_targets, "only names of matrices of the model matter");
    rows.stands_for("mode", choice_of<&Design::mode>, "LEAP's machines have mode leap");
    rows.stands_for(
        "crossbar", [](Part const& part) { return Value::integer(design_of(part).crossbar); },
        "LEAP's machines have their own crossbar instead of PRIMAL's");
    rows.stands_for("kv_pool", choice_of<&Design::kv_pool>, "leap-a stores keys in the rectangle of the attention");
    rows.stands_for("gating", choice_of<&Design::gating>, "LEAP's machines have no gating");
    rows.stands_for("parallel_columns", columns_together, "at most the existing columns are summed together");
    rows.irrelevant(
        {"scores"}, [](Part const& part) { return !design_of(part).multiplies_in_routers(); },
        "only scores of routers have a place");
    rows.irrelevant({"context_tile"}, multiplies_in_place, "no keys stream past queries");
    rows.stands_for("context_tile", rows_held, "the space in the scratchpad limits the number of query rows");
    rows.irrelevant({"attention_order", "ffn_order", "band_height", "tile_order", "shape", "attention_rows", "up_rows",
                     "down_rows"},
                    has_no_genes, "only placement = genes reads it");
    rows.writes("attention_order", write_attention_order, "a value and a permutation may give the same order");
    rows.writes("ffn_order", write_ffn_order, "a model without gate has fewer orders");
    rows.irrelevant(
        {"band_height"}, [](Part const& part) { return !lies_in_bands(part); }, "rectangles have their own rows");
    rows.stands_for("band_height", band_height, "0 stands for all rows of the mesh, which are the maximum");
    rows.irrelevant({"attention_rows", "up_rows", "down_rows"}, lies_in_bands, "bands have one height");
    rows.writes("attention_rows", write_heights<Rows::attention>, "0 stands for the largest number that fits");
    rows.writes("up_rows", write_heights<Rows::up>, "0 stands for the largest number that fits");
    rows.writes("down_rows", write_heights<Rows::down>, "0 stands for the largest number that fits");
    return rows.rows();
}

/// How bounds of a machine that it makes alone move (README.md, Lower bounds).
std::vector<MonotoneGroup> directions() {
    using enum Slope;
    return {{{"frequency", "dmacs"}, down, {"ttft", "itl", "latency", "first_ttft", "ideal_ttft", "ideal_itl"}},
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
            {{"smac_cycles"}, down, {"area"}}};
}

}  // namespace

text::PartKind mesh() {
    text::PartKind kind;
    kind.name = "mesh";
    kind.results_version = 4;
    kind.keys = machine_keys();
    kind.sized_by_model = true;
    kind.shows_layers = true;
    kind.key_rows = key_rows();
    kind.directions = directions();
    kind.constants = shipped_constants;
    kind.constant_rules = constant_rules;
    kind.metrics = own_metrics();
    kind.metric_notes = metric_notes();
    kind.prepare = [](Constants const& constants, Parameters const& keys,
                      Assumptions const& assumptions) -> std::shared_ptr<void const> {
        (void)assumptions;
        return std::shared_ptr<Prepared const>(new Prepared{MachineConstants{constants}, bind_choices(keys), {}});
    };
    kind.at = [](void const* prepared, text::PartValues const& values, text::LlmRequest const& request,
                 Fidelity fidelity) -> std::shared_ptr<text::PartLaw const> {
        auto const& inputs = *static_cast<Prepared const*>(prepared);
        auto design = on_its_machine(inputs.machine, read_design(inputs.bindings, values, request));
        return std::make_shared<MeshPart const>(inputs, std::move(design), fidelity);
    };
    auto own = ledger();
    kind.energy = std::move(own.energy);
    kind.area = std::move(own.area);
    return kind;
}

}  // namespace pimdse::models::cim_mesh
