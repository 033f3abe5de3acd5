#include "models/contract/key_table.hpp"
#include "models/dplena/dplena.hpp"

#include <optional>

namespace pimdse::models::dplena {
namespace {

using Table = KeyTable<Design>;

bool samples_only(Design const& d) { return d.scope == Scope::sampling; }

/// Whether rows of logits are processed in chunks.
bool has_chunks(Design const& d) {
    return d.mode == Mode::edge || d.overlap == Overlap::fused_head || d.passes == Passes::one;
}

/// Parameters whose value the design resolves: 0, and those that the model or `generation` determines.
void add_resolved(Table& table) {
    table.stands_for(
        "block_length", [](Design const& d) { return Value::integer(d.block_length); },
        "autoregressive generation has blocks of the positions of a pass");
    table.stands_for(
        "steps", [](Design const& d) { return Value::integer(d.steps); },
        "autoregressive generation has one step per token");
    table.stands_for(
        "vocab", [](Design const& d) { return Value::integer(d.vocab); },
        "in scope end_to_end it is the padded vocabulary of the model");
    table.irrelevant(
        "v_chunk", [](Design const& d) { return !has_chunks(d); },
        "whole rows are on chip and are not processed in chunks");
    table.stands_for(
        "v_chunk", [](Design const& d) { return Value::integer(d.v_chunk); }, "0 stands for a whole row");
    table.stands_for(
        "exp_lanes", [](Design const& d) { return Value::integer(d.exp_lanes); },
        "0 stands for one per lane of the vector unit");
}

void add_unused(Table& table) {
    table.irrelevant(
        "preload", [](Design const& d) { return d.mode == Mode::edge; }, "edge mode has one chunk of one row on chip");
    table.irrelevant({"llm", "generation", "model_cache", "generation_length", "input", "model_bandwidth",
                      "attained_share", "layer_overhead"},
                     samples_only, "only scope end_to_end includes the passes of the model");
    table.irrelevant(
        "model_cache", [](Design const& d) { return !d.diffuses(); },
        "autoregressive generation always caches the keys and values of all earlier tokens");
    table.irrelevant(
        "confidence_threshold", [](Design const& d) { return d.remasking != Remasking::threshold; },
        "only remasking threshold reads it");
    table.irrelevant(
        "confidence_factor", [](Design const& d) { return d.remasking != Remasking::factor; },
        "only remasking factor reads it");
    table.irrelevant(
        "step_logits", [](Design const& d) { return d.steps == 1; }, "there is one step");
    table.stands_for(
        "topk_entries", [](Design const& d) { return Value::integer(d.topk_list()); }, "0 stands for block_length");
    table.stands_for(
        "mx_block", [](Design const& d) { return Value::integer(d.mx_block); }, "BF16 has no scales");
    table.irrelevant(
        "addressing", [](Design const& d) { return d.element == Element::bf16; }, "BF16 has no scales");
    table.irrelevant(
        "host_fifo_depth", [](Design const& d) { return d.host_fifo == 0; }, "there is no FIFO to the host");
    table.irrelevant(
        {"acceptance", "draft_llm"}, [](Design const& d) { return d.speculation.draft == 0; },
        "no tokens are proposed");
    table.stands_for(
        "chains", [](Design const& d) { return Value::integer(d.interleaved_rows()); },
        "only rows that are on chip together are interleaved, where instructions wait for results");
    table.irrelevant("sram_limit", "it only decides whether a point is feasible");
}

std::optional<Design> used(Inputs const& inputs, Point point) {
    auto const& prepared = inputs.as<NpuInputs>();
    auto const design = read_design(point, prepared);
    return broken_rule(design, prepared) ? std::nullopt : std::optional(design);
}

using Key = KeyFunctions<Design, parameters, used, add_resolved, add_unused>;

std::vector<MonotoneLowerBound> monotone_lower_bounds(Inputs const&) {
    using enum Slope;
    return pairs_of({{{"matrix_depth", "outstanding", "host_fifo_depth"}, down, {"latency"}},
                     {{"weight_bits", "input", "generation_length"}, up, {"latency", "energy"}},
                     {{"matrix_depth", "matrix_block", "weight_bits", "outstanding", "prefetch", "buffers", "chains",
                       "host_fifo", "host_fifo_depth", "channels"},
                      up,
                      {"area"}},
                     {{"channels"}, up, {"memory_area", "cost", "embodied_carbon"}},
                     {{"input", "generation_length"}, flat, {"area"}},
                     {{"sram_limit"}, flat, {"latency", "energy", "area"}}});
}

}  // namespace

std::vector<std::string> constants_without_slopes() {
    // Parts of the published unit that a design may lack; its area, by which its power is divided; and a limit, which
    // is a power that none draws.
    return {"dequantizer_area", "hbm_package_limit",  "index_path_area",
            "topk_entry_area",  "vector_area_offset", "vector_area_per_lane"};
}

Proofs proofs() {
    return {{}, Key::parts(), monotone_lower_bounds, [](Inputs const&) { return constants_without_slopes(); }};
}

}  // namespace pimdse::models::dplena
