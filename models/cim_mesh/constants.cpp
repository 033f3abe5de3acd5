#include "models/cim_mesh/constants.hpp"

#include "models/contract/technology.hpp"

namespace pimdse::models::cim_mesh {
namespace {

void bind_base(MachineConstants& m, Constants const& c) {
    c.bind(m.base_frequency, "base_frequency");
    c.bind(m.sram_columns_share, "sram_columns_share");
    c.bind(m.value_bits, "value_bits");
}

void bind_primal(Macros& m, Constants const& c) {
    c.bind(m.crossbar, "base_crossbar");
    c.bind(m.link, "base_link");
    c.bind(m.dmacs, "base_dmacs");
    c.bind(m.fifo, "base_fifo");
    c.bind(m.scratchpad, "base_scratchpad");
    c.bind(m.rram_power, "rram_power");
    c.bind(m.sram_power, "sram_power");
    c.bind(m.scratchpad_power, "scratchpad_power");
    c.bind(m.router_power, "router_power");
    c.bind(m.sram_retention, "sram_retention");
    c.bind(m.rram_area, "rram_area");
    c.bind(m.sram_area, "sram_area");
    c.bind(m.scratchpad_area, "scratchpad_area");
    c.bind(m.router_area, "router_area");
}

/// LEAP has no SRAM-DCIM; its link, multipliers and scratchpad equal those of PRIMAL.
void bind_leap(Macros& m, Constants const& c) {
    c.bind(m.crossbar, "leap_crossbar");
    c.bind(m.link, "base_link");
    c.bind(m.dmacs, "base_dmacs");
    c.bind(m.fifo, "leap_fifo");
    c.bind(m.scratchpad, "base_scratchpad");
    c.bind(m.rram_power, "leap_rram_power");
    c.bind(m.scratchpad_power, "leap_scratchpad_power");
    c.bind(m.router_power, "leap_router_power");
    c.bind(m.rram_area, "leap_rram_area");
    c.bind(m.scratchpad_area, "leap_scratchpad_area");
    c.bind(m.router_area, "leap_router_area");
}

void bind_macros(MachineConstants& m, Constants const& c) {
    bind_primal(m.primal, c);
    bind_leap(m.leap, c);
    c.bind(m.leap_macros, "leap_macros");
    c.bind(m.leap_decode_scratchpads, "leap_decode_scratchpads");
    c.bind(m.control_area, "control_area");
    c.bind(m.control_power, "control_power");
    c.bind(m.base_pairs, "base_pairs");
    c.bind(m.periphery_exponent, "periphery_exponent");
    c.bind(m.router_fifo_share, "router_fifo_share");
    c.bind(m.router_dmac_share, "router_dmac_share");
    c.bind(m.converter_area_share, "converter_area_share");
    c.bind(m.sequencer_share, "sequencer_share");
    c.bind(m.collective_share, "collective_share");
    c.bind(m.scratchpad_cells_share, "scratchpad_cells_share");
}

void bind_events(MachineConstants& m, Constants const& c) {
    c.bind(m.events.adc_conversion, "adc_conversion");
    c.bind(m.events.adc_rows, "adc_rows");
    c.bind(m.events.dac_conversion, "dac_conversion");
    c.bind(m.events.cell_read, "cell_read");
    c.bind(m.events.multiply_add, "multiply_add");
    c.bind(m.events.addition, "addition");
    c.bind(m.events.softmax, "softmax");
    c.bind(m.events.scratchpad_access, "scratchpad_access");
    c.bind(m.events.scratchpad_exponent, "scratchpad_exponent");
    c.bind(m.events.small_bank_exponent, "small_bank_exponent");
    c.bind(m.events.router_bit, "router_bit");
    c.bind(m.events.wire, "wire");
    c.bind(m.adc_resolution, "adc_resolution");
    c.bind(m.adc_growth, "adc_growth");
    c.bind(m.die_link_latency, "die_link_latency");
    c.bind(m.die_link_energy, "die_link_energy");
    c.bind(m.die_link_area, "die_link_area");
    c.bind(m.softmax_area, "softmax_area");
    c.bind(m.macro_ports_share, "macro_ports_share");
    c.bind(m.burst_beats, "burst_beats");
    c.bind(m.burst_handshake, "burst_handshake");
    c.bind(m.command_size, "command_size");
    c.bind(m.command_issue, "command_issue");
    c.bind(m.scratchpad_leakage, "scratchpad_leakage");
    c.bind(m.logic_static, "logic_static");
}

void bind_dynamic(MachineConstants::DynamicConstants& d, Constants const& c) {
    c.bind(d.cell_row_write, "cell_row_write");
    c.bind(d.cell_write, "cell_write");
    c.bind(d.cell_endurance, "cell_endurance");
    c.bind(d.array_row_write, "array_row_write");
    c.bind(d.transposable_area, "transposable_area");
    c.bind(d.digital_macs, "digital_macs");
    c.bind(d.digital_mac_area, "digital_mac_area");
}

void bind_supply(MachineConstants& m, Constants const& c) {
    m.supply.nominal = m.base_frequency;
    c.bind(m.supply.floor, "supply_floor");
    c.bind(m.supply.lowest, "lowest_clock");
    c.bind(m.supply.highest, "highest_clock");
    c.bind(m.host_transfer, "host_transfer");
}

void bind_services(MachineConstants& m, Constants const& c) {
    c.bind(m.hop_service, "hop_service");
    c.bind(m.score_service, "score_service");
    c.bind(m.distance_service, "distance_service");
    c.bind(m.prefill_vectors, "prefill_vectors");
    c.bind(m.lora_fixed, "lora_fixed");
    c.bind(m.lora_per_rank, "lora_per_rank");
    c.bind(m.credit_round_trip, "credit_round_trip");
    c.bind(m.smac_per_layer, "smac_per_layer");
    c.bind(m.adder_service, "adder_service");
    c.bind(m.border_hops, "border_hops");
    c.bind(m.open_loop_share, "open_loop_share");
    c.bind(m.placement_link_weight, "placement_link_weight");
    c.bind(m.live_intermediates, "live_intermediates");
    c.bind(m.reprogram_row_write, "reprogram_row_write");
}

void bind_allowances(MachineConstants::Allowances& a, Constants const& c) {
    c.bind_allowance(a.gather_upper, "gather_high");
    c.bind_allowance(a.short_fifo_upper, "short_fifo_high");
    c.bind_allowance(a.gather_settled, "gather_settled");
    c.bind_allowance(a.gather_train, "gather_train");
    c.bind_allowance(a.searched_upper_bound, "searched_high");
    c.bind_allowance(a.rounding_share, "rounding_share");
    c.bind_allowance(a.contexts, "contexts");
    c.bind_allowance(a.stretch_hops, "stretch_hops");
    c.bind_allowance(a.annealing_steps, "annealing_steps");
    c.bind_allowance(a.annealing_start, "annealing_start");
    c.bind_allowance(a.annealing_end, "annealing_end");
    c.bind_allowance(a.finalists_per_shape, "finalists_per_shape");
    c.bind_allowance(a.rectangle_finalists, "rectangle_finalists");
}

}  // namespace

MachineConstants load_constants(ModelOptions const& options) {
    auto const c = Constants::load("cim_mesh", options, constant_rules());
    MachineConstants m{};
    bind_base(m, c);
    bind_macros(m, c);
    bind_events(m, c);
    bind_dynamic(m.dynamic, c);
    bind_supply(m, c);
    bind_services(m, c);
    bind_allowances(m.allowance, c);
    if (options.assumptions.host == Host::included)
        m.host.si = Technology::load(options.assumptions).row("host_power").constant.si;
    return m;
}

namespace {

/// No part of the power or of the area of a pair is negative, and an active pair draws at least as much as a waiting
/// one (at the published clock).
ConstantRules pair_constants() {
    return together(
        {shares({"router_fifo_share", "router_dmac_share", "converter_area_share", "macro_ports_share",
                 "scratchpad_cells_share", "supply_floor"},
                "it is a share of a whole"),
         efficiencies({"sram_columns_share"}, "it is a share of the columns of a crossbar"),
         within({"adc_growth"}, 1, 4, "a converter of more bits is not smaller"),
         whole_numbers({"burst_beats"}, 1, 65536, "a burst has at least one beat"),
         within({"base_pairs"}, 1, 1'000'000'000, "it is a number of pairs"),
         within({"digital_macs"}, 1, 1'000'000, "it is a number of multipliers"),
         within({"transposable_area"}, 1, 1'000, "cells that are written by rows and columns are not smaller"),
         within({"scratchpad_exponent", "small_bank_exponent"}, 0, 1,
                "energy per access grows with the size of a scratchpad, at most in proportion"),
         within({"periphery_exponent"}, 0, 4, "macros grow with their cells"),
         ascending({"lowest_clock", "highest_clock"}, "they are the ends of a range"),
         ascending({"sram_retention", "sram_power"}, "an active array draws at least as much as a waiting one"),
         {{"router_fifo_share + router_dmac_share <= 1",
           {"router_fifo_share", "router_dmac_share"},
           "the rest of a router is its links",
           [](ConstantValues const& v) { return v("router_fifo_share") + v("router_dmac_share") <= 1.0; }}}});
}

/// The simulated network counts whole cycles; the load of a link is limited to its saturation.
ConstantRules network_constants() {
    return together({whole_numbers({"adder_service"}, 0, 64, "the simulated network counts whole cycles"),
                     efficiencies({"open_loop_share"}, "it is a share of the saturated throughput of a link"),
                     whole_numbers({"value_bits"}, 1, 1024, "it is a number of bits"),
                     within({"allowance.rounding_share"}, 0, 0x1p-10,
                            "every lower bound is reduced by it, so it must not be negative")});
}

}  // namespace

ConstantRules constant_rules() { return together({pair_constants(), network_constants()}); }

}  // namespace pimdse::models::cim_mesh
