#include "models/umdam/parameters.hpp"
#include "models/umdam/pim_npu.hpp"

#include <string_view>
#include <variant>

namespace pimdse::models::umdam {
namespace {

using text::PartLaw;

System const& system_of(PartLaw const& part) { return std::get<System>(static_cast<PimNpuLaw const&>(part).system()); }
Design const& design_of(PartLaw const& part) { return system_of(part).design; }

bool diffuses(PartLaw const& part) { return design_of(part).diffuses(); }
bool follows_tokens(PartLaw const& part) { return !diffuses(part); }
bool has_one_step(PartLaw const& part) { return design_of(part).steps == 1; }
bool has_no_pim(PartLaw const& part) { return !system_of(part).uses_pim(); }

/// What decides whether a schedule changes anything: products of decode in the banks.
bool hides_nothing(PartLaw const& part) {
    auto const& d = design_of(part);
    bool const multiplies = !has_no_pim(part) && d.decode_unit != PhaseUnit::npu && d.decode_steps() > 0;
    return d.concurrency == Concurrency::scheduled && !multiplies;
}

Value npu(PartLaw const& part) {
    (void)part;
    return Value::choice(PhaseUnit::npu);
}

/// Where no PIM exists or PIM may not compute the head, the NPU does, unless the head is skipped.
Value head_without_pim(PartLaw const& part) {
    return Value::choice(design_of(part).lm_head == LmHead::skip ? LmHead::skip : LmHead::npu);
}

}  // namespace

std::vector<text::PartKeyRow> key_rows() {
    text::PartKeyRows rows;
    rows.irrelevant({"denoising"}, follows_tokens, "autoregressive decoding has no denoising steps");
    rows.irrelevant({"model_cache", "denoising"}, has_one_step, "it only affects steps after the first of a block");
    rows.irrelevant({"count_first"}, diffuses, "a diffusion model generates blocks, not tokens");
    rows.irrelevant({"attention", "decode_unit", "prefill_unit"}, diffuses,
                    "no step of a diffusion model serves a single token");
    for (auto const* unit : {"attention", "decode_unit", "prefill_unit", "denoising"})
        rows.stands_for(unit, has_no_pim, npu, "npu_only has no PIM");
    rows.stands_for("lm_head", diffuses, head_without_pim, "the NPU computes the LM head of a block");
    rows.stands_for("lm_head", has_no_pim, head_without_pim, "npu_only has no PIM");
    rows.writes(
        "mapping",
        [](CycleKeyMaker& key, PartLaw const& part) { key.add(std::string_view(system_of(part).mapping->text())); },
        "different names and spellings of one mapping are equal; no_interleave and column_in_bank have their own "
        "mapping");
    rows.stands_for(
        "coll_bits", [](PartLaw const& part) { return Value::integer(system_of(part).interleave); },
        "it only sets the interleave granularity");
    rows.writes(
        "weight_bits",
        [](CycleKeyMaker& key, PartLaw const& part) {
            auto const& d = system_of(part);
            key.add(Value::choice(d.design.weight_bits));
            key.add(Value::choice((d.draft == nullptr ? d : *d.draft).design.weight_bits));
        },
        "model stands for the bits of the files of the models");
    rows.irrelevant(
        {"staging"}, [](PartLaw const& part) { return !design_of(part).moves_weights(); },
        "only the baselines relayout and pimnast move weights");
    rows.irrelevant(
        {"tile_width", "tile_order"},
        [](PartLaw const& part) {
            auto const baseline = design_of(part).baseline;
            return baseline != Baseline::umdam && baseline != Baseline::pimnast;
        },
        "only a design of umdam has other tiles; pimnast refuses them");
    rows.stands_for(
        "tile_width", [](PartLaw const& part) { return Value::integer(system_of(part).tile_width()); },
        "0 is one output for each bank");
    rows.irrelevant({"ignore_capacity", "split_k"}, nullptr, "it only decides what is feasible");
    rows.irrelevant({"loop_order", "mac_command"}, has_no_pim, "npu_only has no PIM");
    rows.stands_for(
        "concurrency", hides_nothing, [](PartLaw const&) { return Value::choice(Concurrency::exclusive); },
        "a schedule hides work behind products of decode in the banks");
    return rows.rows();
}

std::vector<MonotoneGroup> directions() {
    using enum Slope;
    std::vector<std::string_view> const times{"ttft", "ttlt", "latency", "time_per_token", "itl", "relayout_time"};
    return {{{"npu_flops"}, down, times},
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
            {{"input", "output", "batch"}, up, {"footprint"}}};
}

std::vector<std::string> constants_without_slopes() {
    // Pumps that open more rows at once take area by the energy of a row; a limit is a power that none draws.
    return {"package_limit", "row_activation"};
}

}  // namespace pimdse::models::umdam
