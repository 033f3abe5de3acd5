#include "models/dplena/silicon.hpp"

#include "models/dplena/hbm/clocks.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::models::dplena {
namespace {

/// Number of logits on chip: the group or chunk of one buffer times the number of buffers.
double logits_on_chip(Design const& d) {
    auto block = d.mode == Mode::performance ? d.preload * d.block_length * d.vocab : d.v_chunk;
    if (d.overlap == Overlap::fused_head) block = d.v_chunk;
    if (d.sampler == Sampler::host) return 0.0;
    return static_cast<double>(d.buffers) * static_cast<double>(block);
}

sim::Data vector_memory(Design const& d, sim::Data element, std::int64_t width) {
    constexpr std::int64_t vectors_per_sequence = 3;  // confidences, tokens and mask of a block
    if (d.sampler == Sampler::host) return {};
    auto const scratch = d.has_scratch_vector() ? d.vlen : 0;
    return element * (static_cast<double>(vectors_per_sequence * d.batch * width + scratch) + logits_on_chip(d));
}

/// Accesses per vector beyond those of Stable-Max with the instructions of the paper.
double accesses_of_ablations(Design const& d) {
    constexpr std::int64_t multiply_and_reduce = 3, again = 4, compare_and_find = 3, noise_and_maximum = 5,
                           multiply = 2;
    std::int64_t accesses = 0;
    if (d.softmax == SoftmaxForm::plain) accesses += multiply_and_reduce + (d.mode == Mode::edge ? again : 0);
    if (d.max_idx == Means::program) accesses += compare_and_find;
    if (d.is_noisy()) accesses += noise_and_maximum;
    if (d.scales_logits()) accesses += multiply;
    if (d.scales_logits_again()) accesses += multiply;
    return static_cast<double>(accesses);
}

/// Tokens of a block before and after a step; a host returns those after it. In a unified memory the tokens of a
/// sequence fill whole rows.
sim::Data token_memory(Design const& d, SiliconConstants const& c) {
    double const copies = d.sampler == Sampler::host ? 1.0 : 2.0;
    auto const tokens = c.token_element * static_cast<double>(d.block_length);
    if (d.memories == Memories::separate) return tokens * (copies * static_cast<double>(d.batch));
    auto const rows = std::ceil(tokens / memory_row(d, c));
    return memory_row(d, c) * (rows * copies * static_cast<double>(d.batch));
}

/// Bytes that stores of single elements access in a unified memory: each reads and writes a row.
sim::Data rows_for_elements(Design const& d, SiliconConstants const& c) {
    if (d.memories == Memories::separate || d.sampler == Sampler::host) return {};
    constexpr std::int64_t stores_per_position = 2 + 3, accesses = 2;  // at the end of a row; of the maps and selects
    return memory_row(d, c) * static_cast<double>(accesses * stores_per_position * d.rows());
}

}  // namespace

sim::Data memory_row(Design const& d, SiliconConstants const& c) {
    return c.vector_element * static_cast<double>(std::max(d.block_length, d.vlen));
}

Silicon silicon_of(Design const& d, MachineConstants const& machine) {
    auto const& c = machine.silicon;
    Silicon s;
    auto const lanes = static_cast<double>(d.vlen);
    s.vector_sram = vector_memory(d, c.vector_element, d.block_length);
    s.vector_sram_allocated = vector_memory(d, c.vector_element, std::max(d.block_length, d.vlen));
    if (d.sampler == Sampler::npu) s.fp_sram = memory_row(d, c);
    s.int_sram = token_memory(d, c);
    s.vector_area = c.vector_area_per_lane * lanes + c.vector_area_offset;
    s.scalar_area = c.scalar_area;
    s.sram_area = c.sram_area * (s.vector_sram_allocated + s.fp_sram + s.int_sram);
    s.vector_power = (c.vector_energy_per_lane * lanes + c.vector_energy_offset) * unit_clock(d, machine);
    s.fetch_buffers = sim::Data{static_cast<double>(d.outstanding * d.lines_per_prefetch() * line_bytes)};
    s.built_lanes = 1.0 - c.exponential_share * (1.0 - static_cast<double>(d.exp_lanes) / lanes);
    return s;
}

sim::Area changed_units(Design const& d, SiliconConstants const& c) {
    auto const lanes = static_cast<double>(d.vlen);
    bool const host = d.sampler == Sampler::host;
    sim::Area area;
    if (host || d.max_idx == Means::program) area -= c.index_path * lanes;
    if (!host && d.max_idx == Means::program) area += c.mask_encoder * lanes;
    if (d.element == Element::bf16) area -= c.dequantizer * lanes;
    if (d.is_noisy() && !host) area += c.random_source * lanes;
    auto const entries = host || d.topk == Means::program ? 0.0 : static_cast<double>(d.topk_list());
    return area + c.topk_entry * (entries - c.published_entries);
}

sim::Energy vector_memory_energy(Design const& d, SiliconConstants const& c) {
    constexpr std::int64_t maximum_reads = 1, sum_accesses = 5;
    if (d.sampler == Sampler::host) return {};
    std::int64_t const passes = d.softmax == SoftmaxForm::plain ? 3 : d.passes == Passes::two ? 2 : 1;
    auto const fetches = static_cast<double>(d.overlap != Overlap::fused_head && d.mode == Mode::edge ? passes : 1);
    auto const vectors = static_cast<double>(d.rows()) * static_cast<double>(d.vectors_per_row());
    auto const accesses = static_cast<double>(maximum_reads + sum_accesses) + accesses_of_ablations(d);
    return c.sram_energy * (c.vector_element * (vectors * static_cast<double>(d.vlen) * (fetches + accesses)) +
                            rows_for_elements(d, c));
}

}  // namespace pimdse::models::dplena
