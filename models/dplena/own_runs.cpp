#include "models/dplena/own_runs.hpp"

#include "models/dplena/cycle.hpp"
#include "models/dplena/overlapped_machine.hpp"

namespace pimdse::models::dplena {
namespace {

WholeRun run_whole(ProgramKey const& key, InstructionCosts const& costs, Hbm const& hbm) {
    Program const program(key.design(), costs);
    auto const all = cycle_sampling(program, hbm);
    return {.ticks = all.memory.value / static_cast<double>(program.prefetches()), .cycles = all.total.value};
}

double run_beginning(ProgramKey const& key, InstructionCosts const& costs, Hbm const& hbm, std::int64_t prefetches) {
    return overlapped_part(Program(key.design(), costs), hbm, prefetches);
}

}  // namespace

ProgramKey ProgramKey::of(Design const& d) {
    return {.mode = d.mode,
            .vlen = d.vlen,
            .batch = d.batch,
            .block_length = d.block_length,
            .vocab = d.vocab,
            .steps = d.steps,
            .preload = d.preload,
            .v_chunk = d.v_chunk,
            .prefetch = d.prefetch,
            .mx_block = d.mx_block,
            .channels = d.channels,
            .element = d.addressing == Addressing::packed ? d.element : Element::e4m3,
            .addressing = d.addressing,
            .bus = d.bus,
            .refresh = d.refresh,
            .exp_lanes = d.exp_lanes,
            .overlap = d.overlap,
            .buffers = d.buffers,
            .passes = d.passes,
            .outstanding = d.outstanding,
            .loop_hardware = d.loop_hardware};
}

Design ProgramKey::design() const {
    Design d;
    d.mode = mode;
    d.vlen = vlen;
    d.batch = batch;
    d.block_length = block_length;
    d.vocab = vocab;
    d.steps = steps;
    d.preload = preload;
    d.v_chunk = v_chunk;
    d.prefetch = prefetch;
    d.mx_block = mx_block;
    d.channels = channels;
    d.element = element;
    d.addressing = addressing;
    d.bus = bus;
    d.refresh = refresh;
    d.exp_lanes = exp_lanes;
    d.overlap = overlap;
    d.buffers = buffers;
    d.passes = passes;
    d.outstanding = outstanding;
    d.loop_hardware = loop_hardware;
    return d;
}

WholeRun OwnRuns::whole(Program const& program, Hbm const& hbm) const {
    return whole_.get(ProgramKey::of(program.design()), run_whole, program.costs(), hbm);
}

double OwnRuns::from_beginning(Program const& program, Hbm const& hbm, std::int64_t prefetches) const {
    return from_beginning_.get(ProgramKey::of(program.design()), run_beginning, program.costs(), hbm, prefetches);
}

}  // namespace pimdse::models::dplena
