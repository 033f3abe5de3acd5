#include "models/dplena/floorplan.hpp"

#include "models/dplena/silicon.hpp"

#include <algorithm>
#include <array>

namespace pimdse::models::dplena {
namespace {

constexpr int pseudo_channels = 2;

double channels(Design const& d) { return static_cast<double>(d.channels); }

sim::Data memories(Silicon const& s) { return s.vector_sram_allocated + s.fp_sram + s.int_sram; }

sim::Area accumulator(Design const& d, SiliconConstants const& c) {
    constexpr std::array bytes{2, 2, 4};  // by Accumulator
    return c.accumulator * sim::Data{static_cast<double>(bytes[static_cast<std::size_t>(d.accumulator)])};
}

/// What runs beside an instruction: fetches, then a second instruction, then tiles that come from the matrix unit; and
/// loops that cost no instruction.
sim::Area issue(Design const& d, SiliconConstants const& c) {
    auto const beside = static_cast<double>(d.overlap);
    return c.issue_slot * (beside + (d.loop_hardware == LoopHardware::on ? 1.0 : 0.0));
}

/// Between the widths that are known; narrower weights are taken as the narrowest.
template <class Quantity>
Quantity at_width(std::array<Quantity, MatrixConstants::bits.size()> const& of, std::int64_t weight_bits) {
    auto const& known = MatrixConstants::bits;
    auto const bits = std::clamp(static_cast<double>(weight_bits), known.front(), known.back());
    std::size_t const upper = bits <= known[1] ? 1 : 2;
    double const share = (bits - known[upper - 1]) / (known[upper] - known[upper - 1]);
    return of[upper - 1] * (1.0 - share) + of[upper] * share;
}

double refresh_share(HbmTiming const& t) {
    return static_cast<double>(t.refresh_duration) / static_cast<double>(t.refresh_interval);
}

}  // namespace

MatrixUnit matrix_unit(Design const& d, MachineConstants const& machine) {
    auto const& c = machine.matrix;
    auto const units = static_cast<double>(d.matrix_depth) * static_cast<double>(d.matrix_block);
    return {units * machine.silicon.frequency.si, at_width(c.energy, d.weight_bits),
            at_width(c.area, d.weight_bits) * units};
}

std::vector<Share> area_of(Design const& d, MachineConstants const& machine) {
    auto const silicon = silicon_of(d, machine);
    auto const& c = machine.silicon;
    auto const slots = c.fetch_slot * static_cast<double>(d.outstanding);
    return {{"matrix_unit", matrix_unit(d, machine).area.si},
            {"vector_unit/lanes", (silicon.vector_area * silicon.built_lanes).si},
            {"vector_unit/scalar", (silicon.scalar_area + accumulator(d, c) + issue(d, c)).si},
            {"sram/vector", (c.sram_area * memories(silicon)).si},
            {"sram/matrix", (c.sram_area * silicon.matrix_tiles).si},
            {"sram/fetched lines", (c.sram_area * silicon.fetch_buffers).si},
            {"controllers", ((machine.stack.phy + machine.stack.controller) * channels(d) + slots).si}};
}

sim::Area memory_area_of(Design const& d, MachineConstants const& machine) {
    auto const& c = machine.stack;
    return (c.die * machine.silicon.hbm_capacity_per_channel + c.base_die) * channels(d);
}

IdlePower idle_power(Design const& d, MachineConstants const& machine) {
    auto const silicon = silicon_of(d, machine);
    auto const unit = matrix_unit(d, machine);
    auto const& c = machine.stack;
    double const waiting = machine.silicon.waiting_share, parts = channels(d) * pseudo_channels;
    double const lanes = silicon.vector_power.si * silicon.built_lanes;
    double const scalar = silicon.vector_power.si * (silicon.scalar_area / silicon.vector_area);
    return {
        .matrix = waiting * unit.rate * unit.operation.si,
        .vector = waiting * lanes,
        .scalar = waiting * scalar,
        .vector_at_work = lanes,
        .scalar_at_work = scalar,
        .channels = c.channel_standing.si * channels(d),
        .sram = (machine.silicon.sram_leakage * (memories(silicon) + silicon.matrix_tiles + silicon.fetch_buffers)).si,
        .open_rows = c.open_standby.si * parts,
        .closed_rows = c.closed_standby.si * parts,
        .refresh = d.refresh == Refresh::on ? c.refreshing.si * refresh_share(machine.hbm.timing) * parts : 0.0};
}

Estimate stack_power(Design const& d, MachineConstants const& machine, Estimate const& bytes_per_second) {
    auto const& c = machine.stack;
    auto const power = idle_power(d, machine);
    double const of_stack = std::min(1.0, static_cast<double>(c.stack_channels) / channels(d));
    double const per_byte = c.array.si + c.row_activation.si / c.row.si + c.interface.si;
    return (bytes_per_second * per_byte + Estimate(power.open_rows + power.refresh)) * of_stack;
}

}  // namespace pimdse::models::dplena
