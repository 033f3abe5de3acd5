#include "models/umdam/constants.hpp"

#include "models/contract/technology.hpp"

#include <cmath>
#include <initializer_list>

namespace pimdse::models::umdam {
namespace {

void bind(PimConstants& m, Constants const& c) {
    c.bind(m.extra_activate_to_mac, "mac_extra_activate");
    c.bind(m.read_to_precharge, "mac_read_to_precharge");
    c.bind(m.buffer_write_cycles, "global_buffer_write");
    c.bind(m.results_per_burst, "results_per_burst");
    c.bind(m.mode_switch, "mode_switch");
}

void bind(NpuConstants& m, Constants const& c) {
    c.bind(m.cube_edge, "cube_edge");
    c.bind(m.chips, "chips");
    c.bind(m.vector_lanes, "vector_lanes");
    c.bind(m.norm_operations, "norm_operations");
    c.bind(m.softmax_operations, "softmax_operations");
    c.bind(m.first_level_fill, "first_level_fill");
}

void bind(EnergyConstants& m, Constants const& c) {
    c.bind(m.activation, "row_activation");
    c.bind(m.activation_row, "row_activation_bytes");
    c.bind(m.array, "array_access");
    c.bind(m.transfer, "pin_transfer");
    c.bind(m.multiply, "pim_multiply");
    c.bind(m.vector_multiply, "pim_vector_multiply");
    c.bind(m.narrow, "pim_narrow_multiply");
    c.bind(m.cube, "cube_arithmetic");
    c.bind(m.vector, "vector_arithmetic");
    c.bind(m.operands, "cube_operands");
    c.bind(m.local_memory, "local_memory");
    c.bind(m.pim.nominal, "pim_clock_nominal");
    c.bind(m.pim.floor, "pim_voltage_floor");
    c.bind(m.pim.lowest, "pim_clock_lowest");
    c.bind(m.pim.highest, "pim_clock_highest");
}

void bind(SramConstants& m, Constants const& c) {
    c.bind(m.local_access, "sram_local_access");
    c.bind(m.local, "sram_local");
    c.bind(m.growth, "sram_growth");
    c.bind(m.small_access, "sram_small_access");
    c.bind(m.small, "sram_small");
    c.bind(m.large_access, "sram_large_access");
    c.bind(m.large, "sram_large");
    c.bind(m.cell, "sram_cell");
    c.bind(m.efficiency, "sram_efficiency");
    c.bind(m.leakage, "sram_leakage");
}

/// The sum over the rails of a die.
sim::Power rails(Constants const& c, std::initializer_list<char const*> names) {
    sim::Power sum;
    for (auto const* name : names) sum += c.get<sim::Power>(name);
    return sum;
}

void bind(StaticPowerConstants& m, Constants const& c) {
    m.closed = rails(c, {"idd2n_vdd2h", "idd2n_vdd1"});
    m.open = rails(c, {"idd3n_vdd2h", "idd3n_vdd1", "idd3n_vddq"});
    m.powered_down = rails(c, {"idd2p_vdd2h"});
    m.refreshing = c.get<sim::Power>("idd5_vdd2h") - c.get<sim::Power>("idd2n_vdd2h");
    c.bind(m.channel, "channel_standing");
    c.bind(m.channel_rate, "channel_standing_rate");
    c.bind(m.waiting, "waiting_share");
    c.bind(m.pim_waiting, "pim_waiting_share");
}

void bind(PackageConstants& m, Constants const& c) {
    c.bind(m.channels, "package_channels");
    c.bind(m.limit, "package_limit");
    c.bind(m.pin_share, "package_pin_share");
}

void bind(AreaConstants& m, Constants const& c) {
    c.bind(m.cube, "cube_area");
    c.bind(m.vector, "vector_area");
    c.bind(m.cube_local_memory, "cube_local_memory");
    c.bind(m.cube_first_level, "cube_first_level");
    c.bind(m.cube_peak, "cube_peak");
    c.bind(m.phy, "phy_area");
    c.bind(m.controller, "controller_area");
    c.bind(m.queue_entry, "queue_entry_area");
    c.bind(m.bank_tracker, "bank_tracker_area");
    c.bind(m.engine, "engine_area");
    c.bind(m.pim_unit, "pim_unit_area");
    c.bind(m.pim_unit_clock, "pim_unit_clock");
    c.bind(m.pim_clocked, "pim_clocked_area");
    c.bind(m.pim_vector, "pim_vector_area");
    c.bind(m.pim_narrow, "pim_narrow_area");
    c.bind(m.mapping_selector, "mapping_selector_area");
    c.bind(m.row_supply, "row_supply_area");
    c.bind(m.pim_sram, "pim_sram_area");
    c.bind(m.dram_die, "dram_die");
    c.bind(m.second_row_buffer, "second_row_buffer");
}

void bind(BaselineConstants& m, Constants const& c) {
    c.bind(m.fused_efficiency, "fused_efficiency");
    c.bind(m.huge_page, "huge_page");
    c.bind(m.relayout_chunk, "relayout_chunk");
    c.bind(m.page_walk, "page_walk");
    c.bind(m.page_allocation, "page_allocation");
    c.bind(m.storage, "storage_bandwidth");
    c.bind(m.storage_read, "storage_read");
}

void bind(StreamAllowances& m, Constants const& c) {
    c.bind_allowance(m.plateau_run, "plateau_run");
    c.bind_allowance(m.plateau_depth, "plateau_depth");
    c.bind_allowance(m.plateau_banks, "plateau_banks");
    c.bind_allowance(m.plateau_slow, "plateau_slow");
    c.bind_allowance(m.plateau_refresh_per_bank, "plateau_refresh_per_bank");
    c.bind_allowance(m.group_run_overlap, "group_run_overlap");
    c.bind_allowance(m.row_reactivations, "row_reopenings");
    c.bind_allowance(m.engine_slow, "engine_slow");
    c.bind_allowance(m.engine_activations, "engine_openings");
    c.bind_allowance(m.stream_slow, "stream_slow");
    c.bind_allowance(m.write_drain, "write_drain");
    c.bind_allowance(m.refresh_per_bank, "refresh_per_bank");
    c.bind_allowance(m.refresh_max, "refresh_most");
    c.bind_allowance(m.refresh_end, "refresh_end");
    c.bind_allowance(m.stream_end, "stream_end");
    c.bind_allowance(m.activations_per_burst, "openings_per_burst");
    c.bind_allowance(m.row_hit_activations, "row_hit_openings");
    c.bind_allowance(m.frfcfs_activations, "frfcfs_openings");
}

void bind(MappingAllowances& m, Constants const& c) {
    c.bind_allowance(m.tiles_looked_at, "tiles_looked_at");
    c.bind_allowance(m.bit_orders, "bit_orders");
    c.bind_allowance(m.surroundings, "surroundings");
}

}  // namespace

sim::EnergyPerByte SramConstants::access(sim::Data size) const {
    auto const between = [size](sim::Data from, sim::EnergyPerByte at, sim::Data to, sim::EnergyPerByte then) {
        double const exponent = std::log(then / at) / std::log(to / from);
        return at * std::pow(size / from, exponent);
    };
    if (size <= local) return local_access;
    if (size <= small) return between(local, local_access, small, small_access);
    if (size <= large) return between(small, small_access, large, large_access);
    return large_access * std::pow(size / large, growth);
}

MachineConstants MachineConstants::load(ModelOptions const& options) {
    auto const c = Constants::load("umdam", options, constant_rules());
    MachineConstants m;
    bind(m.pim, c);
    bind(m.npu, c);
    bind(m.energy, c);
    bind(m.sram, c);
    bind(m.static_power, c);
    if (options.assumptions.host == Host::included)
        m.static_power.host.si = Technology::load(options.assumptions).row("host_power").constant.si;
    bind(m.package, c);
    bind(m.area, c);
    bind(m.baseline, c);
    sim::Data element;
    c.bind(element, "element_bytes");
    m.element_bytes = element.si;
    bind(m.streams, c);
    bind(m.mappings, c);
    c.bind_allowance(m.prefix_blocks, "prefix_blocks");
    return m;
}

namespace {

ConstantRules counted_constants() {
    constexpr double max = 1'000'000;
    return together(
        {whole_numbers({"cube_edge"}, 1, 4096, "a matrix unit multiplies whole blocks"),
         whole_numbers({"chips", "vector_lanes", "first_level_fill", "results_per_burst", "package_channels"}, 1.0, max,
                       "they are counts"),
         whole_numbers({"mode_switch", "mac_read_to_precharge", "global_buffer_write"}, 1.0, max,
                       "a channel counts whole cycles"),
         whole_numbers({"element_bytes"}, 1, 16, "an element consists of whole bytes"),
         whole_numbers({"huge_page", "relayout_chunk"}, 4096, 0x1p40, "they are whole numbers of bytes")});
}

/// Energy increases and power decreases with time. So no power may be negative, and a waiting unit may not draw more
/// than a working one.
ConstantRules power_constants() {
    auto const idle = [](ConstantValues const& v) { return v("idd2n_vdd2h") + v("idd2n_vdd1"); };
    return together(
        {shares({"waiting_share", "pim_waiting_share", "second_row_buffer", "pim_voltage_floor", "pim_clocked_area",
                 "package_pin_share"},
                "it is a fraction"),
         efficiencies({"sram_efficiency", "fused_efficiency"}, "it is a fraction"),
         ascending({"idd2n_vdd2h", "idd5_vdd2h"}, "a refreshing die draws at least as much as an idle one"),
         ascending({"pim_vector_multiply", "pim_multiply"},
                   "the energy of one vector is part of the energy of a multiplication"),
         ascending({"cube_first_level", "cube_local_memory"}, "the first level is one of the local memories"),
         ascending({"pim_clock_lowest", "pim_clock_highest"}, "they are the ends of a range"),
         {{"idd2p_vdd2h <= idd2n_vdd2h + idd2n_vdd1",
           {"idd2p_vdd2h", "idd2n_vdd2h", "idd2n_vdd1"},
           "a powered-down die draws at most as much as an idle one",
           [idle](ConstantValues const& v) { return v("idd2p_vdd2h") <= idle(v); }},
          {"idd2n_vdd2h + idd2n_vdd1 <= idd3n_vdd2h + idd3n_vdd1 + idd3n_vddq",
           {"idd2n_vdd2h", "idd2n_vdd1", "idd3n_vdd2h", "idd3n_vdd1", "idd3n_vddq"},
           "a die with an open row draws at least as much as an idle one",
           [idle](ConstantValues const& v) { return idle(v) <= v("idd3n_vdd2h") + v("idd3n_vdd1") + v("idd3n_vddq"); }},
          {"sram_local < sram_small",
           {"sram_local", "sram_small"},
           "the access energy lies on a power law through two different sizes",
           [](ConstantValues const& v) { return v("sram_local") < v("sram_small"); }},
          {"sram_small < sram_large",
           {"sram_small", "sram_large"},
           "the access energy lies on a power law through two different sizes",
           [](ConstantValues const& v) { return v("sram_small") < v("sram_large"); }}}});
}

}  // namespace

ConstantRules constant_rules() { return together({counted_constants(), power_constants()}); }

}  // namespace pimdse::models::umdam
