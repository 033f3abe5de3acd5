#include "models/dplena/parameters.hpp"

#include "models/contract/parameter_table.hpp"
#include "models/contract/toml_file.hpp"
#include "models/dplena/hbm/clocks.hpp"
#include "models/dplena/ledger.hpp"
#include "models/dplena/silicon.hpp"
#include "models/text/parameter_reader.hpp"
#include "sim/base/counting.hpp"
#include "sim/base/quantity_text.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <cmath>

namespace pimdse::models::dplena {
namespace {

using Table = ParameterTable<Design>;

/// What the keys set.
Table make_table() {
    text::KeyFile const keys(data_directory() / "models" / "dplena" / "keys.toml");
    Table table;
    table.rows<&Design::mode, &Design::vlen, &Design::preload, &Design::v_chunk, &Design::prefetch>(keys);
    table.row<&Design::element>(keys["mx_element"]);
    table.rows<&Design::addressing, &Design::mx_block, &Design::channels>(keys);
    table.row<&Design::bus>(keys["hbm_bus"]);
    table.rows<&Design::refresh, &Design::accumulator, &Design::exp_lanes, &Design::overlap, &Design::buffers>(keys);
    table.row(keys["passes"], [](Design& d, Value const& v, auto const&) {
        d.passes = v.as_integer() == 1 ? Passes::one : Passes::two;
    });
    table.rows<&Design::outstanding, &Design::loop_hardware, &Design::sram_limit, &Design::remasking,
               &Design::confidence_threshold, &Design::confidence_factor, &Design::step_logits, &Design::softmax,
               &Design::max_idx, &Design::topk, &Design::topk_entries, &Design::memories, &Design::sampler,
               &Design::temperature, &Design::frequency>(keys);
    table.row<&Design::generation_of_hbm>(keys["hbm"]);
    table.rows<&Design::host_fifo, &Design::host_fifo_depth, &Design::instruction_latency, &Design::chains,
               &Design::vocab, &Design::scope>(keys);
    return table;
}

Table const& table() {
    static auto const made = make_table();
    return made;
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

Prepared::Prepared(Constants const& constants) : machine{constants}, accuracy(shared_proxy(machine.proxy)) {}

Design with_sequences(Design design, std::int64_t sequences) {
    bool const in_groups = design.mode == Mode::performance && design.sampler == Sampler::npu;
    design.batch = in_groups ? sim::round_up(sequences, design.preload) : sequences;
    return design;
}

Parameters sampler_keys() { return table().parameters(); }

Design read_sampler(Point values, ModelRequest const& request) {
    auto design = table().read(values);
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
    for (auto const rules :
         {vector_rules, chunk_rules, overlap_rules, clock_rules, ablation_rules, unused_rules, latency_rules})
        if (auto rule = rules(d)) return rule;
    if (auto rule = memory_rules(d, prepared)) return rule;
    return package_rule(d, prepared.machine);
}

}  // namespace pimdse::models::dplena
