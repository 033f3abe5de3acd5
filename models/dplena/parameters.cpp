#include "models/dplena/parameters.hpp"

#include "models/contract/common_parameters.hpp"
#include "models/contract/parameter_table.hpp"
#include "models/dplena/hbm/clocks.hpp"
#include "models/dplena/ledger.hpp"
#include "models/dplena/silicon.hpp"
#include "sim/base/counting.hpp"
#include "sim/base/quantity_text.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <cmath>

namespace pimdse::models::dplena {
namespace {

using Table = ParameterTable<Design, Prepared>;

void add_mode(Table& table) {
    table.row<&Design::mode>(
        choice("mode", {"performance", "edge"},
               "performance: all logits of a group of sequences are on chip; edge: one chunk of one row at a time"));
}

void add_lanes(Table& table) {
    table.row<&Design::vlen>(resource(count("vlen", "elements", 2048, {1, 65536}, "lanes of the vector unit")));
}

void add_chunks(Table& table) {
    table.row<&Design::preload>(
        count("preload", "sequences", 1, {1, 4096}, "performance mode: sequences whose logits are on chip at once"));
    table.row<&Design::v_chunk>(
        count("v_chunk", "elements", 0, {0, 1048576}, "edge mode: logits on chip at once; 0 = the whole vocabulary"));
    table.row<&Design::prefetch>(resource(count(
        "prefetch", "vectors", 4, {1, 1024}, "vectors fetched by one H_PREFETCH_V; their lines have space on chip")));
}

void add_formats_and_memory(Table& table) {
    table.row<&Design::element>(
        choice("mx_element", {"e4m3", "e5m2", "e3m4", "e2m1", "int8", "int4", "bf16"},
               "element format of the logits in HBM; bf16: 16 bits without scales or a dequantizer"));
    table.row<&Design::addressing>(
        choice("addressing", {"bytes", "packed"},
               "bytes: one byte per element and one line of scales per vector, as in the authors' code; packed: "
               "elements of their own width, and all lines that the scales fill"));
    table.row<&Design::mx_block>(count("mx_block", "elements", 8, {1, 1024}, "elements that share an E8M0 scale"));
    table.row<&Design::channels>(
        resource(count("channels", "", 16, {1, 64}, "HBM channels with two pseudo-channels each")));
    table.row<&Design::bus>(choice("hbm_bus", {"compat", "corrected"}, "corrected",
                                   "ticks between reads of a pseudo-channel: corrected 2, the burst of the standard; "
                                   "compat 4, a defect of the simulator that the paper used"));
    table.row<&Design::refresh>(choice("refresh", {"off", "on"}, "on",
                                       "whether the HBM refreshes (350 of every 3,900 ticks); off: as in the paper's "
                                       "runs, a real HBM would lose data"));
    table.row<&Design::accumulator>(choice("accumulator", {"fp16", "bf16", "fp32"}, "fp32",
                                           "format in which the sum of exponentials is kept between vectors"));
    table.row<&Design::exp_lanes>(
        count("exp_lanes", "elements", 0, {0, 65536}, "exponential units; 0 = one per lane of the vector unit"));
}

void add_overlap(Table& table) {
    table.row<&Design::overlap>(
        choice("overlap", {"none", "prefetch", "dual_issue", "fused_head"},
               "none: one instruction at a time, including fetches; prefetch: fetches overlap the work on earlier "
               "blocks; dual_issue: also, scalar instructions overlap vector instructions; fused_head: also, logits "
               "come directly from the LM head, not from HBM"));
    table.row<&Design::buffers>(resource(count("buffers", "", 1, {1, 64},
                                               "blocks of logits (a preloaded group or a chunk) that have space on "
                                               "chip; always built, used if overlap is not none")));
    table.row(
        count("passes", "", 2, {1, 2},
              "2: first the maximum, then the sum; 1: online, the sum is rescaled when the maximum grows"),
        [](Design& d, Value const& v, auto const&) { d.passes = v.as_integer() == 1 ? Passes::one : Passes::two; });
}

void add_hardware(Table& table) {
    table.row<&Design::outstanding>(
        resource(count("outstanding", "", 1, {1, 64},
                       "largest number of prefetches in flight; always built, used if overlap is not none")));
    table.row<&Design::loop_hardware>(
        choice("loop_hardware", {"off", "on"},
               "on: hardware increments addresses in inner loops and prefetches, without instructions"));
}

void add_limit(Table& table) {
    table.row<&Design::sram_limit>(
        assumed(count("sram_limit", "B", 134217728, {1, 1e12}, "largest vector SRAM that may be built")));
}

void add_policies(Table& table) {
    table.row<&Design::remasking>(
        choice("remasking", {"low_confidence", "random", "threshold", "factor"},
               "positions that a step commits: low_confidence, random: the number that `steps` implies; threshold: the "
               "best and all of at least confidence_threshold; factor: the longest run c_n >= 1 - confidence_factor / "
               "(n + 1). The last two end a block when no position is masked, after at most `steps` steps"));
    table.row<&Design::confidence_threshold>(assumed(quantity(
        "confidence_threshold", "", 0.9, {0.0, 1.0}, "remasking threshold: smallest confidence that is committed")));
    table.row<&Design::confidence_factor>(assumed(quantity(
        "confidence_factor", "", 1.0, {0.0, 1e6}, "remasking factor: a larger one commits more positions per step")));
    table.row<&Design::step_logits>(
        choice("step_logits", {"overwrite", "apart"},
               "place of the logits of a step in HBM: overwrite: that of the previous step; apart: after those of the "
               "previous step, as in the authors' test bench"));
}

/// What the paper compares its instructions and memories with, and noise.
void add_ablations(Table& table) {
    table.row<&Design::softmax>(choice(
        "softmax", {"stable_max", "plain"},
        "stable_max: the maximum, then the sum of exponentials; plain: then all probabilities, and the largest"));
    table.row<&Design::max_idx>(choice("max_idx", {"instruction", "program"},
                                       "instruction: V_RED_MAX_IDX; program: the maximum only, and in the next pass a "
                                       "comparison of each vector with it, whose result is searched"));
    table.row<&Design::topk>(choice("topk", {"instruction", "program"},
                                    "instruction: V_TOPK_MASK; program: the scalar unit sorts the confidences"));
    table.row<&Design::topk_entries>(
        count("topk_entries", "", 0, {0, 65536},
              "entries of the list of V_TOPK_MASK, each with its area; it runs again for further positions, and "
              "entries beyond block_length are never used; 0 = block_length"));
    table.row<&Design::memories>(
        choice("memories", {"separate", "unified"},
               "separate: vector, FP and integer SRAM; unified: one memory with one port and rows of a vector"));
    table.row<&Design::sampler>(
        choice("sampler", {"npu", "host"}, "where logits are sampled; host: they go to it over PCIe"));
    table.row<&Design::temperature>(quantity("temperature", "", 0.0, {0.0, 100.0},
                                             "0: the most likely token; above: the token is drawn from the softmax of "
                                             "logits / temperature, by Gumbel-distributed noise"));
}

/// The way of the tokens to the host.
void add_fifo(Table& table) {
    table.row<&Design::host_fifo>(
        resource(assumed(count("host_fifo", "bit", 0, {0, 4096},
                               "width of a FIFO over which the tokens of a block leave the integer SRAM for the host, "
                               "a word per cycle; 0: none, tokens stay there"))));
    table.row<&Design::host_fifo_depth>(
        assumed(count("host_fifo_depth", "words", 16, {1, 65536}, "words that the FIFO to the host holds")));
}

void add_clocks(Table& table) {
    table.row<&Design::frequency>(
        quantity("frequency", "MHz", 0.0, {0.0, 1e9},
                 "clock of the units: whole MHz, 100 MHz or more, at most the 1 GHz of their synthesis; 0: 1 GHz"));
    table.row<&Design::generation_of_hbm>(
        choice("hbm", {"hbm2", "hbm2e"},
               "hbm2: 2 Gb/s per pin, as in the simulator of the paper's runs; hbm2e: 3.2, as in its text"));
}

void add_latencies(Table& table) {
    table.row<&Design::instruction_latency>(
        choice("instruction_latency", {"library", "rtl"},
               "library: the authors' latency library, one instruction at a time, as in the paper's runs; rtl: their "
               "RTL, an instruction in every cycle that finds its operands ready (reductions measured for 8 to 64 "
               "lanes, beyond that extrapolated)"));
    table.row<&Design::chains>(count("chains", "", 1, {1, 65536},
                                     "instruction_latency rtl, performance mode: rows of logits on chip whose "
                                     "instructions the program interleaves, each with registers of its own"));
}

void add_question(Table& table) {
    table.row<&Design::vocab>(
        count("vocab", "elements", 0, {0, 1048576},
              "logits per position; 0: the vocabulary of the model, padded to whole vectors (edge mode: chunks)"));
    table.row<&Design::scope>(
        choice("scope", {"sampling", "end_to_end"}, "end_to_end",
               "sampling: the sampling of `steps` steps of one block; end_to_end: a whole generation with llm"));
}

Table make_keys() {
    return table_of<Table, add_mode, add_lanes, add_chunks, add_formats_and_memory, add_overlap, add_hardware,
                    add_limit, add_policies, add_ablations, add_clocks, add_fifo, add_latencies, add_question>();
}

void resolve_defaults(Design& d, std::int64_t model_vocabulary) {
    bool const whole_row = d.v_chunk == 0 || d.v_chunk == d.vocab;
    d.samples_model = d.vocab == 0;
    if (d.samples_model) {
        auto const chunk = whole_row ? d.prefetch * d.vlen : d.v_chunk;
        d.vocab = sim::round_up(model_vocabulary, d.mode == Mode::edge ? chunk : d.vlen);
    }
    d.chunk_is_given = !whole_row;
    if (whole_row) d.v_chunk = d.vocab;
    if (d.exp_lanes == 0) d.exp_lanes = d.vlen;
    if (!d.diffuses()) {
        d.block_length = d.speculation.draft + 1;
        d.steps = 1;
    }
    if (d.element == Element::bf16) d.mx_block = line_bytes;
}

using Rule = std::optional<Infeasible>;

Rule vector_rules(Design const& d) {
    if (d.vlen % 64 != 0)
        return infeasible("vlen_line", "vlen must be a multiple of the 64 elements of an HBM line (got {})", d.vlen);
    if (d.data_lines() * line_bytes * 8 != d.vlen * d.element_bits())
        return infeasible("vlen_line", "vlen = {} elements of {} bits fill no whole lines of {} bytes", d.vlen,
                          d.element_bits(), line_bytes);
    if (d.vlen % d.mx_block != 0)
        return infeasible("vlen_mx_block", "vlen must be a multiple of mx_block = {} (got {})", d.mx_block, d.vlen);
    if (d.block_length > d.vlen)
        return infeasible("block_length_vlen",
                          "block_length = {} exceeds vlen = {} (the confidences of a block are one vector)",
                          d.block_length, d.vlen);
    if (d.vocab < d.vlen) return infeasible("vocab_vlen", "vocab = {} is less than vlen = {}", d.vocab, d.vlen);
    if (d.exp_lanes > d.vlen)
        return infeasible("exp_lanes_vlen", "exp_lanes = {} exceeds vlen = {}", d.exp_lanes, d.vlen);
    if (!std::has_single_bit(static_cast<std::uint64_t>(d.channels)))
        return infeasible("channels_power_of_two",
                          "channels must be a power of two, because address bits select them (got {})", d.channels);
    return std::nullopt;
}

Rule chunk_rules(Design const& d) {
    auto const fetch = d.prefetch * d.vlen;
    if (d.v_chunk > d.vocab) return infeasible("v_chunk_vocab", "v_chunk = {} exceeds vocab = {}", d.v_chunk, d.vocab);
    if ((d.mode == Mode::edge || d.chunk_is_given) && d.v_chunk % fetch != 0)
        return infeasible("v_chunk_prefetch", "v_chunk must be a multiple of prefetch x vlen = {} x {} = {} (got {})",
                          d.prefetch, d.vlen, fetch, d.v_chunk);
    auto const group = d.preload * d.block_length * d.vocab;
    if (d.mode == Mode::performance && group < fetch)
        return infeasible("prefetch_group",
                          "prefetch x vlen = {} exceeds the {} logits of a preloaded group (nothing would be fetched)",
                          fetch, group);
    if (d.mode == Mode::performance && d.batch % d.preload != 0)
        return infeasible("preload_batch", "preload = {} does not divide batch = {}", d.preload, d.batch);
    return std::nullopt;
}

Rule overlap_rules(Design const& d) {
    if (d.overlap == Overlap::fused_head && d.passes == Passes::two && d.mode == Mode::edge && d.chunks_per_row() > 1)
        return infeasible(
            "fused_two_passes",
            "fused_head with passes = 2 needs a whole row on chip, v_chunk = {} holds {} of {} logits (use passes = 1)",
            d.v_chunk, d.v_chunk, d.vocab);
    return std::nullopt;
}

Rule clock_rules(Design const& d) {
    constexpr double unit = 1e6, slowest = 100.0, fastest = 1000.0;
    double const clock = d.frequency / unit, nearest = std::clamp(std::round(clock), slowest, fastest);
    if (d.frequency == 0.0 || std::abs(clock - nearest) < 1e-6) return std::nullopt;
    return infeasible("frequency", "frequency must be whole MHz from {} to {}, or 0 for 1 GHz (got {}; use {} MHz)",
                      slowest, fastest, sim::print_quantity(d.frequency, "Hz"), nearest);
}

/// What a host that samples, or a program that sorts, has no use for.
Rule unused_rules(Design const& d) {
    if (d.topk == Means::program && d.topk_entries > 0)
        return infeasible("topk_program",
                          "topk = program sorts without the list of V_TOPK_MASK, so that topk_entries = {} means "
                          "nothing (use topk_entries = 0)",
                          d.topk_entries);
    if (d.sampler == Sampler::npu) return std::nullopt;
    auto const useless = [](std::string_view set, std::string_view instead) {
        return infeasible("host_programs",
                          "sampler = host runs no program of the NPU, so that {} means nothing (use {})", set, instead);
    };
    if (d.is_pipelined()) return useless("instruction_latency = rtl", "instruction_latency = library");
    if (d.softmax == SoftmaxForm::plain) return useless("softmax = plain", "softmax = stable_max");
    if (d.max_idx == Means::program) return useless("max_idx = program", "max_idx = instruction");
    if (d.topk == Means::program) return useless("topk = program", "topk = instruction");
    if (d.topk_entries > 0) return useless(fmt::format("topk_entries = {}", d.topk_entries), "topk_entries = 0");
    return std::nullopt;
}

Rule ablation_rules(Design const& d) {
    if (d.softmax == SoftmaxForm::plain && d.passes == Passes::one)
        return Infeasible{"plain_passes", "plain softmax needs the maximum and the sum first (use passes = 2)"};
    constexpr double coldest = 1e-3;
    if (d.is_noisy() && d.temperature < coldest)
        return infeasible("temperature", "temperature must be 0 (the most likely token) or at least {} (got {})",
                          coldest, d.temperature);
    if (d.softmax == SoftmaxForm::plain && d.is_noisy())
        return Infeasible{"plain_temperature",
                          "plain softmax chooses the largest probability, without noise (use temperature = 0)"};
    if (d.sampler == Sampler::host && (d.overlap != Overlap::none || d.buffers > 1)) {
        return Infeasible{
            "host_overlap",
            "sampler = host leaves no fetches to overlap and no buffers to fill (use overlap = none and buffers = 1)"};
    }
    if (d.sampler == Sampler::host && d.host_fifo > 0)
        return Infeasible{"host_fifo", "sampler = host has its tokens at the host already (use host_fifo = 0)"};
    return std::nullopt;
}

/// What the published times of the RTL do not cover.
Rule latency_rules(Design const& d) {
    if (!d.is_pipelined() || d.sampler == Sampler::host) return std::nullopt;
    auto const unknown = [](std::string_view set, std::string_view why, std::string_view instead) {
        return infeasible("rtl_instructions", "instruction_latency = rtl has no times for {}: {} (use {})", set, why,
                          instead);
    };
    std::string_view const alone = "its instructions are not in the authors' RTL";
    if (d.max_idx == Means::program) return unknown("max_idx = program", alone, "max_idx = instruction");
    if (d.topk == Means::program) return unknown("topk = program", alone, "topk = instruction");
    if (d.is_noisy()) return unknown("temperature above 0", alone, "temperature = 0");
    if (d.memories == Memories::unified)
        return unknown("memories = unified", "the RTL has separate memories", "memories = separate");
    if (d.overlap > Overlap::prefetch)
        return unknown("a second issue slot", "the RTL issues one instruction a cycle",
                       "overlap = none or overlap = prefetch");
    return std::nullopt;
}

Rule memory_rules(Design const& d, Prepared const& prepared) {
    auto const sram = silicon_of(d, prepared.machine);
    if (sram.vector_sram_allocated.si > static_cast<double>(d.sram_limit))
        return infeasible("sram_overflow", "the vector SRAM needs {}, sram_limit is {}",
                          sim::print_quantity(sram.vector_sram_allocated.si, "B"),
                          sim::print_quantity(static_cast<double>(d.sram_limit), "B"));
    constexpr double addresses = 0x1p32;
    auto const bytes = static_cast<double>(d.logits()) * d.element_bytes();
    if (bytes > addresses)
        return infeasible(
            "address_space", "logits and scales of {} take {}, addresses have 32 bits",
            d.steps_in_memory() == 1 ? std::string("a step") : fmt::format("{} steps", d.steps_in_memory()),
            sim::print_quantity(bytes, "B"));
    return std::nullopt;
}

/// Power limit of a stack whose channels all run at full rate.
Rule package_rule(Design const& d, MachineConstants const& machine) {
    double const watts = stack_power(d, machine, channel_bandwidth(d, machine).si);
    auto const limit = machine.stack.package_limit.si;
    if (watts <= limit) return std::nullopt;
    return infeasible("package_power", "a stack of HBM draws {:.3g} W at full rate, more than the {:.3g} W that it may",
                      watts, limit);
}

}  // namespace

Prepared::Prepared(Constants const& constants)
    : machine(bind_constants(constants)), accuracy(shared_proxy(machine.proxy)) {}

Design with_sequences(Design design, std::int64_t sequences) {
    bool const in_groups = design.mode == Mode::performance && design.sampler == Sampler::npu;
    design.batch = in_groups ? sim::round_up(sequences, design.preload) : sequences;
    return design;
}

Parameters sampler_keys() { return make_keys().parameters(); }

Design read_sampler(Point values, ModelRequest const& request, Prepared const& prepared) {
    static auto const table = make_keys();
    auto design = table.read(values, prepared);
    static_cast<ModelRequest&>(design) = request;
    resolve_defaults(design, design.model->vocabulary);
    return design;
}

Rule broken_rule(Design const& d, Prepared const& prepared) {
    if (d.scope == Scope::sampling && d.speculation.draft > 0)
        return infeasible(
            "draft",
            "draft = {} without passes of a model, which would verify the proposed tokens (scope = end_to_end)",
            d.speculation.draft);
    if (auto rule = vector_rules(d)) return rule;
    if (auto rule = chunk_rules(d)) return rule;
    if (auto rule = overlap_rules(d)) return rule;
    if (auto rule = clock_rules(d)) return rule;
    if (auto rule = ablation_rules(d)) return rule;
    if (auto rule = unused_rules(d)) return rule;
    if (auto rule = latency_rules(d)) return rule;
    if (auto rule = memory_rules(d, prepared)) return rule;
    return package_rule(d, prepared.machine);
}

}  // namespace pimdse::models::dplena
