#include "models/umdam/floorplan.hpp"

#include <algorithm>

namespace pimdse::models::umdam {
namespace {

double channels(System const& d) { return static_cast<double>(d.design.channels); }

double dies(System const& d) { return channels(d) * static_cast<double>(d.design.ranks); }

double banks_of_a_channel(System const& d) { return static_cast<double>(d.standard.organisation.banks_per_channel()); }

double cubes(System const& d, AreaConstants const& c) { return d.design.npu_flops / c.cube_peak.si; }

sim::Data npu_memory(System const& d, AreaConstants const& c) {
    return sim::Data{static_cast<double>(d.design.npu_buffer)} + c.cube_local_memory * cubes(d, c);
}

/// Of all channels; with two halves each as large as what one product step reads.
sim::Data global_buffers(System const& d, MachineConstants const& machine) {
    double const halves = d.design.double_buffer ? 2.0 : 1.0;
    return sim::Data{halves * static_cast<double>(d.design.buffer_elements) * machine.element_bytes} * channels(d);
}

sim::Area controllers(System const& d, AreaConstants const& c) {
    double const pins = d.standard.organisation.channel_bits;
    double const entries = 2.0 * static_cast<double>(d.design.queue_depth);  // reads and writes
    return ((c.phy + c.controller) * pins + c.queue_entry * entries + c.bank_tracker * banks_of_a_channel(d)) *
           channels(d);
}

/// A unit beside a bank, by its clock and by the vectors it multiplies at once.
sim::Area pim_unit(System const& d, AreaConstants const& c) {
    double const clocked = 1.0 - c.pim_clocked + c.pim_clocked * (pim_clock(d.design).si / c.pim_unit_clock.si);
    return c.pim_unit * (clocked * (1.0 + c.pim_vector * static_cast<double>(d.design.pim_vectors - 1)));
}

/// Beyond the rows that a DRAM die opens within a tFAW, of the size its data sheet has.
sim::Area row_supply(System const& d, MachineConstants const& machine) {
    auto const& o = d.standard.organisation;
    double const at_once =
        d.design.activation == Activation::all ? o.banks_per_rank() : sim::dram::activates_per_window;
    double const rows = std::min<double>(at_once, o.banks_per_rank()) * o.row_bytes / machine.energy.activation_row.si;
    return machine.area.row_supply *
           (machine.energy.activation * (std::max(0.0, rows - sim::dram::activates_per_window) * dies(d)));
}

}  // namespace

std::vector<Share> area_of(System const& d, MachineConstants const& machine) {
    auto const& c = machine.area;
    bool const two_rows = d.design.concurrency == Concurrency::dual_row_buffer;
    double const row_buffers = two_rows ? c.second_row_buffer * memory_area_of(d, machine).si : 0.0;
    return {{"matrix_unit", (c.cube * cubes(d, c)).si},
            {"vector_unit", (c.vector * cubes(d, c)).si},
            {"sram/npu", machine.sram.area(npu_memory(d, c)).si},
            {"sram/global_buffers", (c.pim_sram * global_buffers(d, machine)).si},
            {"controllers/channels", controllers(d, c).si},
            {"controllers/engines", (c.engine * static_cast<double>(d.design.engines)).si},
            {"in_bank_logic/units", (pim_unit(d, c) * (banks_of_a_channel(d) * channels(d))).si},
            {"in_bank_logic/row_supply", row_supply(d, machine).si},
            {"in_bank_logic/row_buffers", row_buffers}};
}

sim::Area memory_area_of(System const& d, MachineConstants const& machine) {
    constexpr double bytes_per_gbit = 0x1p27;
    return machine.area.dram_die * sim::Data{static_cast<double>(d.design.density) * bytes_per_gbit * dies(d)};
}

sim::Frequency pim_clock(Design const& design) { return 1.0 / sim::Time{design.mac_interval}; }

double peak_rate(sim::dram::Standard const& dram) {
    return dram.organisation.burst_bytes / (std::max(dram.timing.nBL, dram.timing.nCCDS) * dram.clock.si);
}

double vector_rate(Design const& design, NpuConstants const& npu) {
    return design.npu_flops * npu.vector_lanes / (2.0 * npu.cube_edge * npu.cube_edge * npu.cube_edge);
}

StandingPower standing_power(System const& d, MachineConstants const& machine) {
    auto const& c = machine.standing;
    auto const& timing = d.standard.timing;
    double const burst = d.standard.organisation.burst_bytes;
    auto const& e = machine.energy;
    double const multiply = burst * e.pim.energy_factor(pim_clock(d.design)) *
                            (e.multiply + e.vector_multiply * static_cast<double>(d.design.pim_vectors - 1)).si;
    bool const refreshes = d.design.refresh == DramRefresh::all_bank;
    return {.cubes = c.waiting * machine.energy.cube.si * d.design.npu_flops,
            .vectors = c.waiting * machine.energy.vector.si * vector_rate(d.design, machine.npu),
            .pim_unit = c.pim_waiting * multiply / d.design.mac_interval,
            .pim_units = banks_of_a_channel(d) * channels(d),
            .channels = c.channel.si * channels(d) * peak_rate(d.standard) / c.channel_rate.si,
            .sram = (machine.sram.standing(npu_memory(d, machine.area) + global_buffers(d, machine))).si,
            .dram_open = c.open.si * dies(d),
            .dram_powered_down = c.powered_down.si * dies(d),
            .refresh = refreshes ? c.refreshing.si * timing.nRFC / timing.nREFI * dies(d) : 0.0};
}

}  // namespace pimdse::models::umdam
