#include "models/dplena/silicon.hpp"

#include <algorithm>

namespace pimdse::models::dplena {
namespace {

/// Number of logits on chip: the group or chunk of one buffer times the number of buffers.
double logits_on_chip(Design const& d) {
    auto block = d.mode == Mode::performance ? d.preload * d.block_length * d.vocab : d.v_chunk;
    if (d.overlap == Overlap::fused_head) block = d.v_chunk;
    return static_cast<double>(d.buffers) * static_cast<double>(block);
}

sim::Data vector_memory(Design const& d, sim::Data element, std::int64_t width) {
    constexpr std::int64_t vectors_per_sequence = 3;  // confidences, tokens and mask of a block
    return element * (static_cast<double>(vectors_per_sequence * d.batch * width) + logits_on_chip(d));
}

}  // namespace

Silicon silicon_of(Design const& d, MachineConstants const& machine) {
    auto const& c = machine.silicon;
    auto const& m = machine.matrix;
    Silicon s;
    auto const lanes = static_cast<double>(d.vlen);
    s.vector_sram = vector_memory(d, c.vector_element, d.block_length);
    s.vector_sram_allocated = vector_memory(d, c.vector_element, std::max(d.block_length, d.vlen));
    s.fp_sram = c.vector_element * static_cast<double>(std::max(d.block_length, d.vlen));
    s.int_sram = c.token_element * (2.0 * static_cast<double>(d.batch) * static_cast<double>(d.block_length));
    s.vector_area = c.vector_area_per_lane * lanes + c.vector_area_offset;
    s.scalar_area = c.scalar_area;
    s.sram_area = c.sram_area * (s.vector_sram_allocated + s.fp_sram + s.int_sram);
    s.vector_power = (c.vector_energy_per_lane * lanes + c.vector_energy_offset) * c.frequency;
    s.matrix_tiles = sim::Data{m.tiles * static_cast<double>(d.matrix_depth) * static_cast<double>(d.matrix_block)};
    s.fetch_buffers = sim::Data{static_cast<double>(d.outstanding * d.lines_per_prefetch() * line_bytes)};
    s.built_lanes = 1.0 - c.exponential_share * (1.0 - static_cast<double>(d.exp_lanes) / lanes);
    return s;
}

sim::Energy vector_memory_energy(Design const& d, SiliconConstants const& c) {
    constexpr std::int64_t maximum_reads = 1, sum_accesses = 5;
    auto const fetches =
        d.overlap != Overlap::fused_head && d.mode == Mode::edge && d.passes == Passes::two ? 2.0 : 1.0;
    auto const vectors = static_cast<double>(d.rows()) * static_cast<double>(d.vectors_per_row());
    return c.sram_energy * (c.vector_element * (vectors * static_cast<double>(d.vlen) *
                                                (fetches + static_cast<double>(maximum_reads + sum_accesses))));
}

}  // namespace pimdse::models::dplena
