#include "models/umdam/parameters.hpp"

#include "models/contract/key_table.hpp"
#include "models/umdam/system.hpp"

#include <optional>
#include <string_view>
#include <utility>
#include <variant>

namespace pimdse::models::umdam {
namespace {

using Table = KeyTable<System>;

bool diffuses(System const& d) { return d.design.diffuses(); }
bool follows_tokens(System const& d) { return !d.design.diffuses(); }
bool has_one_step(System const& d) { return d.design.steps == 1; }
bool has_no_pim(System const& d) { return !d.uses_pim(); }

bool multiplies_tokens(System const& d) {
    return d.uses_pim() && d.design.decode_unit != PhaseUnit::npu && d.design.decode_steps() > 0;
}

/// Where no PIM exists or PIM may not compute the head, the NPU does, unless the head is skipped.
Value head_without_pim(System const& d) {
    return Value::choice(d.design.lm_head == LmHead::skip ? LmHead::skip : LmHead::npu);
}

void add_request(Table& table) {
    table.irrelevant({"steps", "block_length", "model_cache", "denoising"}, follows_tokens,
                     "autoregressive decoding has no denoising steps");
    table.irrelevant({"model_cache", "denoising"}, has_one_step, "it only affects steps after the first of a block");
    table.irrelevant(
        {"acceptance", "draft_llm"}, [](System const& d) { return d.design.speculation.draft == 0; },
        "no tokens are proposed");
    table.irrelevant("count_first", diffuses, "a diffusion model generates blocks, not tokens");
    table.irrelevant({"attention", "decode_unit", "prefill_unit"}, diffuses,
                     "no step of a diffusion model serves a single token");
    for (auto const* unit : {"attention", "decode_unit", "prefill_unit", "denoising"})
        table.stands_for(
            unit, has_no_pim, [](System const&) { return Value::choice(PhaseUnit::npu); }, "npu_only has no PIM");
    table.stands_for("lm_head", diffuses, head_without_pim, "the NPU computes the LM head of a block");
    table.stands_for("lm_head", has_no_pim, head_without_pim, "npu_only has no PIM");
}

void add_memory(Table& table) {
    table.writes(
        "mapping", [](CycleKeyMaker& key, System const& d) { key.add(std::string_view(d.mapping->text())); },
        "different names and spellings of one mapping are equal; no_interleave and column_in_bank have their own "
        "mapping");
    table.stands_for(
        "coll_bits", [](System const& d) { return Value::integer(d.interleave); },
        "it only sets the interleave granularity");
    table.stands_for(
        "weight_bits", [](System const& d) { return Value::choice(d.design.weight_bits); },
        "model stands for the bits of the model's file");
    table.irrelevant(
        "staging", [](System const& d) { return !d.design.moves_weights(); },
        "only the baselines relayout and pimnast move weights");
    table.irrelevant(
        {"tile_width", "tile_order"},
        [](System const& d) { return d.design.baseline != Baseline::umdam && d.design.baseline != Baseline::pimnast; },
        "only a design of umdam has other tiles; pimnast refuses them");
    table.stands_for(
        "tile_width", [](System const& d) { return Value::integer(d.tile_width()); }, "0 is one output for each bank");
    for (auto const* rule : {"ignore_capacity", "split_k"}) table.irrelevant(rule, "it only decides what is feasible");
}

void add_pim(Table& table) {
    table.irrelevant({"loop_order", "mac_command"}, has_no_pim, "npu_only has no PIM");
    table.stands_for(
        "concurrency",
        [](System const& d) { return d.design.concurrency == Concurrency::scheduled && !multiplies_tokens(d); },
        [](System const&) { return Value::choice(Concurrency::exclusive); },
        "a schedule hides work behind products of decode in the banks");
}

std::optional<System> used(Inputs const& inputs, Point point) {
    auto system = make_system(prepared_of(inputs), read_design(point, inputs.as<Answering>()));
    if (auto* d = std::get_if<System>(&system)) return std::move(*d);
    return std::nullopt;
}

using Key = KeyFunctions<System, parameters, used, add_request, add_memory, add_pim>;

std::vector<MonotoneLowerBound> monotone_lower_bounds(Inputs const&) {
    using enum Slope;
    std::vector<std::string_view> const times{"ttft", "ttlt", "latency", "time_per_token", "itl", "relayout_time"};
    return pairs_of({{{"npu_flops"}, down, times},
                     {{"pim_mac_interval"}, up, times},
                     {{"queue_depth"}, flat, times},
                     {{"npu_flops"}, up, {"tokens_per_second"}},
                     {{"pim_mac_interval"}, down, {"tokens_per_second", "area"}},
                     {{"queue_depth"}, flat, {"tokens_per_second"}},
                     {{"channels", "ranks", "bank_groups", "banks", "queue_depth", "engines", "npu_flops", "npu_buffer",
                       "global_buffer_elements", "pim_vectors"},
                      up,
                      {"area"}},
                     {{"channels", "ranks", "density"}, up, {"memory_area", "silicon", "cost", "embodied_carbon"}},
                     {{"input", "output", "batch"}, up, {"footprint"}}});
}

}  // namespace

std::vector<std::string> constants_without_slopes() {
    // Pumps that open more rows at once take area by the energy of a row; a limit is a power that none draws.
    return {"package_limit", "row_activation"};
}

Proofs proofs() {
    return {{}, Key::parts(), monotone_lower_bounds, [](Inputs const&) { return constants_without_slopes(); }};
}

}  // namespace pimdse::models::umdam
