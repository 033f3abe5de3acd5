#include "models/umdam/parameters.hpp"

#include "models/contract/common_parameters.hpp"
#include "models/contract/generation.hpp"
#include "models/contract/language_models.hpp"
#include "models/contract/own_file.hpp"
#include "models/contract/parameter_table.hpp"
#include "models/dram/dram_standard.hpp"
#include "models/umdam/mapping/written_mapping.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <utility>

namespace pimdse::models::umdam {
namespace {

constexpr char const* no_pim = "PIM commands are modelled on LPDDR5 only";

/// Every timing set; those of families without PIM commands are named but not built.
Parameter dram_parameter() {
    auto p = choice("dram", {"L5J", "L5A", "L5B"},
                    "timing set, a file of models/dram: L5J JEDEC bank groups, L5A Table I to the letter (25.6 GB/s), "
                    "L5B Table I at 51.2 GB/s");
    for (auto const& name : dram_standard_names()) {
        if (std::find(p.choices.begin(), p.choices.end(), name) == p.choices.end()) p.choices.push_back(name);
        if (load_dram_standard(name).family != sim::dram::Family::lpddr5) p.not_built.push_back({name, no_pim});
    }
    return or_own_file(std::move(p), [](std::string const& file) {
        if (load_dram_standard(file).family != sim::dram::Family::lpddr5)
            throw sim::InputError(fmt::format("{} is no LPDDR5 ({})", file, no_pim));
    });
}

Parameter mapping_parameter() {
    auto p = choice("mapping", {"umdam", "conventional", "channel_msb"},
                    "physical address to channel, bank, row and column: a name, a token list from the lowest bit (of5 "
                    "co3 ch2 bg2 ba2 co3 ro17), "
                    "or an order of fields from the highest (row-colm-bank-group-channel-coll, coll4 for a ColL of its "
                    "own); XOR tokens may follow");
    p.items = field_items();
    p.accepts = refusal_of_mapping;
    return p;
}

void add_workload(ParameterTable<Design>& table) {
    table.row<&Design::llm>(
        or_own_model(choice("llm", language_model_names(), "opt-6.7b", "language model, a file of models/llm")));
    table.row<&Design::input>(also_called(count("input", "tokens", 128, {1, 1 << 20}, "prompt length"), "prefill"));
    table.row<&Design::output>(also_called(count("output", "tokens", 64, {1, 1 << 20}, "generated tokens"), "decode"));
    table.row<&Design::batch>(count(
        "batch", "1", 1, {1, 4096},
        "independent requests served together; PIM repeats its work for each, or for each `pim_vectors` of them"));
    table.row<&Design::baseline>(
        choice("baseline", {"umdam", "relayout", "duplicate", "fused", "no_interleave", "facil", "npu_only"},
               "how the weights are stored for NPU and PIM; speed-ups are ratios of two points"));
}

void add_memory(ParameterTable<Design>& table) {
    table.row<&Design::dram>(dram_parameter());
    table.row<&Design::mapping>(mapping_parameter());
    table.row<&Design::coll_bits>(count("coll_bits", "bit", paper_coll_bits, {-1, 6},
                                        "column bits below the channel; the interleave granularity is a burst times "
                                        "two to this power; -1: as many as the mapping has"));
    table.row<&Design::channels>(resource(count("channels", "1", 4, {1, 64}, "independent channels, a power of two")));
    table.row<&Design::ranks>(resource(count("ranks", "1", 1, {1, 4}, "ranks per channel, a power of two")));
    table.row<&Design::groups>(resource(count("bank_groups", "1", 4, {1, 16}, "bank groups per rank, a power of two")));
    table.row<&Design::banks>(resource(count("banks", "1", 4, {1, 16}, "banks per bank group, a power of two")));
    table.row<&Design::row_bytes>(
        count("row_bytes", "B", 2048, {256, 65536}, "bytes of a row of one bank, a power of two"));
    table.row<&Design::density>(assumed(
        count("density", "Gbit", 32, {1, 64}, "capacity of a rank of one channel: 8, 16 or 32; sets rows and tRFC")));
    table.row<&Design::queue_depth>(
        resource(count("queue_depth", "1", 32, {1, 256}, "read and write queue entries of a channel's controller")));
    table.row<&Design::scheduler>(choice("scheduler", {"frfcfs-rowhit", "frfcfs"},
                                         "frfcfs-rowhit never closes a row an older request still hits"));
    table.row<&Design::engines>(resource(
        count("engines", "1", 1, {1, 64}, "NPU streams at the same time, each over its own part of a matrix")));
}

void add_compute(ParameterTable<Design>& table) {
    table.row<&Design::npu_flops>(
        resource(quantity("npu_flops", "TFLOP/s", 16e12, {1e9, 1e18}, "fp16 peak of the NPU, both chips")));
    table.row<&Design::npu_buffer>(
        resource(count("npu_buffer", "B", 8 << 20, {65536, 4294967296.0}, "on-chip buffer of the NPU")));
    table.row<&Design::mac_interval>(quantity("pim_mac_interval", "ns", 4e-9, {1e-9, 8e-9},
                                              "time between two multiply-accumulate bursts of a bank"));
    table.row<&Design::buffer_elements>(resource(assumed(count(
        "global_buffer_elements", "elements", 1024, {16, 1 << 24}, "elements of x a channel's global buffer holds"))));
    table.row<&Design::double_buffer>(
        assumed(flag("double_buffer", true, "the global buffer is filled while the other half is used")));
    table.row<&Design::loop_order>(choice("loop_order", {"kseg", "nat", "res"},
                                          "kseg: by segments of the global buffer; nat: storage order with refills; "
                                          "res: storage order, all of x in the buffer"));
    table.row<&Design::activation>(choice("activation", {"all", "four", "single"},
                                          "banks opened by one command: all, four per tFAW, or one per tRRD"));
    table.row<&Design::pim_vectors>(resource(
        count("pim_vectors", "1", 1, {1, 64},
              "vectors that a unit in a bank multiplies with a burst at once: queries that share keys, requests that "
              "share weights")));
    table.row<&Design::count_first>(
        flag("count_first", true,
             "the prefill's token counts as the first of `output`: output - 1 decode steps instead of output"));
    table.row<&Design::ignore_capacity>(
        flag("ignore_capacity", false, "evaluate models that do not fit the DRAM, as the paper does"));
}

/// Auto: the unit that needs less time, by the same simulation or closed form that answers the point.
void add_units(ParameterTable<Design>& table) {
    table.row<&Design::prefill_unit>(
        choice("prefill_unit", {"auto", "npu", "pim"},
               "unit that multiplies activations and weights in the prefill; the NPU attends to what it multiplies; "
               "auto: the faster one with `attention`"));
    table.row<&Design::decode_unit>(
        choice("decode_unit", {"auto", "npu", "pim"},
               "unit that multiplies activations and weights in decode, LM head included; auto: the faster one with "
               "`attention`"));
    table.row<&Design::attention>(choice(
        "attention", {"auto", "npu", "pim"},
        "unit that reads the KV cache, in decode and for prompts that the banks multiply; auto: the faster one"));
    table.row<&Design::lm_head>(choice("lm_head", {"auto", "npu", "pim", "skip"},
                                       "unit of the LM head in the prefill (last position only); auto: the faster "
                                       "one; skip: no LM head in decode, either"));
}

/// What programs leave of the machine; see Assumptions.
void add_programs(ParameterTable<Design>& table) {
    table.row<&Design::attained_share>(
        attained_share(1.0, "of npu_flops, cubes and vector units alike; the memory is simulated as it is"));
    table.row<&Design::layer_overhead>(
        layer_overhead(0.0, "the NPU launches all layers, those that the banks multiply, too"));
}

void add_extensions(ParameterTable<Design>& table) {
    table.row<&Design::refresh>(
        choice("refresh", {"all_bank", "none"}, "none leaves refresh out, as idealised figures do"));
    table.row<&Design::row_pad>(flag("row_pad", false, "pad matrix columns to whole DRAM rows"));
    table.row<&Design::split_k>(
        flag("split_k", false,
             "run a mapping that spreads a matrix column over several banks, adding partial sums on the NPU"));
    table.row<&Design::staging>(
        assumed(choice("staging", {"layer", "model"}, "what relayout keeps a second copy of while it moves weights")));
    table.row<&Design::concurrency>(choice("concurrency", {"exclusive", "partition", "dual_row_buffer"},
                                           "NPU traffic during decode: takes turns with PIM; has half of the "
                                           "channels to itself; runs beside it through a second row buffer"));
    table.row<&Design::mac_command>(choice(
        "mac_command", {"all", "single"},
        "all: one command multiplies in all banks of a rank; single: one in each, as many as the command bus carries"));
}

void add_denoising(ParameterTable<Design>& table) {
    table.row<&Design::generation>(generation_row("a decode step per token"));
    table.row<&Design::steps>(steps_row());
    table.row<&Design::block_length>(block_length_row());
    table.row<&Design::step_cache>(model_cache_row());
    table.row<&Design::denoising>(choice(
        "denoising", {"auto", "npu", "pim"},
        "diffusion: unit of all steps of a block but the first; PIM repeats its work for each position; auto: the "
        "faster one"));
}

ParameterTable<Design> make_table() {
    ParameterTable<Design> table;
    add_workload(table);
    add_memory(table);
    add_compute(table);
    add_units(table);
    add_programs(table);
    add_extensions(table);
    add_denoising(table);
    return table;
}

}  // namespace

Parameters parameters() { return make_table().parameters(); }

Design read_design(Point point) {
    static auto const table = make_table();
    return table.read(point);
}

}  // namespace pimdse::models::umdam
