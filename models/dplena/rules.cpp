#include "models/dplena/rules.hpp"

#include "models/contract/generation.hpp"
#include "models/dplena/floorplan.hpp"
#include "models/dplena/model_phase.hpp"
#include "models/dplena/program/program.hpp"
#include "models/dplena/silicon.hpp"
#include "sim/base/quantity_text.hpp"

#include <fmt/format.h>
#include <bit>

namespace pimdse::models::dplena {
namespace {

using Rule = std::optional<Infeasible>;

Rule vector_rules(Design const& d) {
    if (d.vlen % 64 != 0)
        return Infeasible{"vlen_line",
                          fmt::format("vlen = {} is no multiple of the 64 elements of an HBM line", d.vlen)};
    if (d.data_lines() * line_bytes * 8 != d.vlen * d.element_bits()) {
        return Infeasible{"vlen_line", fmt::format("vlen = {} elements of {} bits fill no whole lines of {} bytes",
                                                   d.vlen, d.element_bits(), line_bytes)};
    }
    if (d.vlen % d.mx_block != 0) {
        return Infeasible{"vlen_mx_block",
                          fmt::format("vlen = {} is no multiple of mx_block = {}", d.vlen, d.mx_block)};
    }
    if (d.block_length > d.vlen) {
        return Infeasible{"block_length_vlen",
                          fmt::format("block_length = {} exceeds vlen = {} (the confidences of a block are one vector)",
                                      d.block_length, d.vlen)};
    }
    if (d.vocab < d.vlen)
        return Infeasible{"vocab_vlen", fmt::format("vocab = {} is less than vlen = {}", d.vocab, d.vlen)};
    if (d.exp_lanes > d.vlen)
        return Infeasible{"exp_lanes_vlen", fmt::format("exp_lanes = {} exceeds vlen = {}", d.exp_lanes, d.vlen)};
    if (!std::has_single_bit(static_cast<std::uint64_t>(d.channels))) {
        return Infeasible{
            "channels_power_of_two",
            fmt::format("channels = {} is no power of two (channel bits are taken from the address)", d.channels)};
    }
    return std::nullopt;
}

Rule chunk_rules(Design const& d) {
    auto const fetch = d.prefetch * d.vlen;
    if (d.v_chunk > d.vocab)
        return Infeasible{"v_chunk_vocab", fmt::format("v_chunk = {} exceeds vocab = {}", d.v_chunk, d.vocab)};
    if ((d.mode == Mode::edge || d.chunk_is_given) && d.v_chunk % fetch != 0) {
        return Infeasible{"v_chunk_prefetch",
                          fmt::format("v_chunk = {} is no multiple of prefetch x vlen = {} x {} = {}", d.v_chunk,
                                      d.prefetch, d.vlen, fetch)};
    }
    auto const group = d.preload * d.block_length * d.vocab;
    if (d.mode == Mode::performance && group < fetch) {
        return Infeasible{
            "prefetch_group",
            fmt::format("prefetch x vlen = {} exceeds the {} logits of a preloaded group (nothing would be fetched)",
                        fetch, group)};
    }
    if (d.mode == Mode::performance && d.batch % d.preload != 0) {
        return Infeasible{"preload_batch", fmt::format("preload = {} does not divide batch = {}", d.preload, d.batch)};
    }
    return std::nullopt;
}

Rule overlap_rules(Design const& d) {
    if (d.overlap == Overlap::fused_head && d.passes == Passes::two && d.mode == Mode::edge && d.chunks_per_row() > 1) {
        return Infeasible{
            "fused_two_passes",
            fmt::format("fused_head with passes = 2 needs a whole row on chip, v_chunk = {} holds {} of {} logits "
                        "(use passes = 1)",
                        d.v_chunk, d.v_chunk, d.vocab)};
    }
    return std::nullopt;
}

Rule memory_rules(Design const& d, Prepared const& prepared) {
    auto const sram = silicon_of(d, prepared.machine);
    if (sram.vector_sram_allocated.si > static_cast<double>(d.sram_limit)) {
        return Infeasible{"sram_overflow", fmt::format("the vector SRAM needs {}, sram_limit is {}",
                                                       sim::print_quantity(sram.vector_sram_allocated.si, "B"),
                                                       sim::print_quantity(static_cast<double>(d.sram_limit), "B"))};
    }
    constexpr double addresses = 0x1p32;
    auto const bytes = static_cast<double>(d.logits()) * d.element_bytes();
    if (bytes > addresses) {
        return Infeasible{
            "address_space",
            fmt::format("logits and scales of {} take {}, addresses have 32 bits",
                        d.steps_in_memory() == 1 ? std::string("a step") : fmt::format("{} steps", d.steps_in_memory()),
                        sim::print_quantity(bytes, "B"))};
    }
    return std::nullopt;
}

/// A stack whose channels carry what they can.
Rule package_rule(Design const& d, MachineConstants const& machine) {
    auto const watts = stack_power(d, machine, Estimate(channel_bandwidth(d, machine).si)).value;
    auto const limit = machine.stack.package_limit.si;
    if (watts <= limit) return std::nullopt;
    return Infeasible{"package_power",
                      fmt::format("a stack of HBM draws {:.3g} W at full rate, more than the {:.3g} W that it may", watts,
                                  limit)};
}

Rule generation_rules(Design const& d, Prepared const& prepared) {
    if (d.scope != Scope::end_to_end) return std::nullopt;
    constexpr std::int64_t slowest = 1'000'000'000;
    if (d.model_bandwidth > 0.0 && d.model_bandwidth < static_cast<double>(slowest)) {
        return Infeasible{"model_bandwidth",
                          fmt::format("model_bandwidth = {} is less than 1 GB/s (0: of the channels)",
                                      sim::print_quantity(d.model_bandwidth, "B/s"))};
    }
    auto const pins = pin_bandwidth(d, prepared.machine);
    if (d.model_bandwidth > pins.si * (1.0 + 1e-12)) {
        return Infeasible{"model_bandwidth",
                          fmt::format("model_bandwidth = {} exceeds the {} of the pins of {} channels",
                                      sim::print_quantity(d.model_bandwidth, "B/s"),
                                      sim::print_quantity(pins.si, "B/s"), d.channels)};
    }
    auto const& model = prepared.models[d.model];
    if (d.generation == TokenOrder::autoregressive && model.attention == sim::Attention::bidirectional) {
        return Infeasible{
            "generation",
            fmt::format("{} does not generate token by token (its attention sees all positions)", model.name)};
    }
    if (auto rule = broken_context(model, d.prompt, d.generation_length)) return rule;
    if (d.generation_length % d.block_length != 0) {
        return Infeasible{"generation_blocks", fmt::format("generation_length = {} is no multiple of block_length = {}",
                                                           d.generation_length, d.block_length)};
    }
    auto const needed = resident_bytes(d, prepared);
    auto const capacity = prepared.machine.silicon.hbm_capacity_per_channel * static_cast<double>(d.channels);
    if (needed > capacity) {
        return Infeasible{"hbm_capacity", fmt::format("weights, cache and logits take {}, {} channels hold {}",
                                                      sim::print_quantity(needed.si, "B"), d.channels,
                                                      sim::print_quantity(capacity.si, "B"))};
    }
    return std::nullopt;
}

}  // namespace

Rule broken_rule(Design const& d, Prepared const& prepared) {
    if (auto rule = vector_rules(d)) return rule;
    if (auto rule = chunk_rules(d)) return rule;
    if (auto rule = overlap_rules(d)) return rule;
    if (auto rule = memory_rules(d, prepared)) return rule;
    if (auto rule = package_rule(d, prepared.machine)) return rule;
    return generation_rules(d, prepared);
}

}  // namespace pimdse::models::dplena
