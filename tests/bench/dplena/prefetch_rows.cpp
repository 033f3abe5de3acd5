#include "tests/bench/dplena/prefetch_rows.hpp"

#include "models/dplena/cycle.hpp"
#include "models/dplena/hbm/clocks.hpp"

#include <fmt/format.h>

namespace prefetch_rows {

using namespace pimdse::models::dplena;

namespace {

/// The units have the clock of the HBM, so that their cycles are its ticks.
Design measured(MachineConstants const& machine, HbmGeneration generation, std::size_t bus, std::size_t width,
                std::size_t count) {
    Design d;
    d.generation_of_hbm = generation;
    d.frequency = hbm_clock(d, machine).si;
    d.vlen = PrefetchTable::widths[width];
    d.prefetch = PrefetchTable::vectors[count];
    d.channels = PrefetchTable::channels;
    d.bus = static_cast<Bus>(bus);
    d.refresh = Refresh::off;
    d.mx_block = 8;
    d.mode = Mode::performance;
    d.batch = 2;
    d.block_length = 16;
    d.vocab = d.v_chunk = 131072;
    d.steps = d.preload = d.buffers = d.outstanding = 1;
    d.exp_lanes = d.vlen;
    return d;
}

}  // namespace

std::string row(MachineConstants const& machine, HbmGeneration generation, std::size_t bus, std::size_t width,
                std::size_t count) {
    Program const program(measured(machine, generation, bus, width, count), machine.costs);
    auto const cost = serial_timeline(program, machine.hbm);
    return fmt::format("{} = {{ value = {:.2f}, unit = \"cycles\", source = \"M: controller of this folder\" }}",
                       PrefetchTable::row(generation, bus, width, count),
                       cost.memory.value / static_cast<double>(cost.prefetches));
}

}  // namespace prefetch_rows
