#include "models/cim_mesh/layer/macros.hpp"

#include "models/cim_mesh/layer/layer_time.hpp"
#include "sim/noc/closed_form.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::models::cim_mesh {
namespace {

/// Bytes of the scratchpad, and of a bank, relative to the published macro.
struct Sizes {
    double all, bank;
};

Sizes scratchpad_sizes(MachineConstants const& m, Design const& d) {
    double const all = static_cast<double>(d.scratchpad) / macros_of(m, d).scratchpad.si;
    return {all, d.scratchpad_banks == 0 ? all : all / static_cast<double>(d.scratchpad_banks)};
}

}  // namespace

double full_resolution(MachineConstants const& machine, double crossbar) {
    return machine.adc_resolution + std::log2(crossbar / machine.events.adc_rows);
}

Converters converters_of(MachineConstants const& machine, Design const& design) {
    if (design.adc_bits == 0) return {};
    auto const bits = static_cast<double>(design.adc_bits);
    double const full = std::max(1.0, full_resolution(machine, static_cast<double>(design.crossbar)));
    return {std::max(1.0, bits / full), std::pow(machine.adc_growth, bits - full)};
}

double converter_area(MachineConstants const& machine, Design const& design) {
    double const published = full_resolution(machine, macros_of(machine, design).crossbar);
    double const full = std::max(1.0, full_resolution(machine, static_cast<double>(design.crossbar)));
    double const bits = design.adc_bits == 0 ? full : static_cast<double>(design.adc_bits);
    return std::min(bits, full) / published * std::pow(machine.adc_growth, bits - published);
}

double cycles_on_link(MachineConstants const& machine, Design const& design, double bits) {
    return std::ceil(static_cast<double>(design.crossbar) * machine.value_bits / bits);
}

double product_cycles(MachineConstants const& machine, Design const& design) {
    double const chosen =
        static_cast<double>(design.smac_cycles) + std::ceil(machine.crossbar_product.si * design.frequency);
    double const hidden = cycles_on_link(machine, design, static_cast<double>(design.link_bits));
    double const steps = converters_of(machine, design).steps;
    double const converted = steps == 1.0 ? chosen : steps * (hidden + chosen) - hidden;
    if (design.macro_port_bits == 0 && design.macro_fifo_bytes == 0) return converted;
    return converted + vectors_of_a_product * std::max(0.0, macro_port(machine, design).cycles - hidden);
}

std::int64_t macro_port_width(Design const& design) {
    return design.macro_port_bits == 0 ? design.link_bits : design.macro_port_bits;
}

MacroPort macro_port(MachineConstants const& machine, Design const& design) {
    MacroPort port;
    auto const width = static_cast<double>(macro_port_width(design));
    port.beats = cycles_on_link(machine, design, width);
    if (design.macro_fifo_bytes > 0) {
        double const held =
            std::floor(static_cast<double>(design.macro_fifo_bytes) * MachineConstants::bits_per_byte / width);
        port.bursts = std::ceil(port.beats / std::clamp(held, 1.0, machine.burst_beats));
    }
    port.cycles = port.beats + port.bursts * machine.burst_handshake;
    return port;
}

double border_hops(MachineConstants const& machine, Design const& design) {
    if (design.die_link_bits == 0) return machine.border_hops;
    double const cycles = machine.die_link_latency.si * design.frequency + slower_on_die_link(machine, design);
    return cycles / static_cast<double>(sim::noc::closed_form::per_hop(router_timing(machine, design)));
}

double slower_on_die_link(MachineConstants const& machine, Design const& design) {
    if (design.die_link_bits == 0) return 0.0;
    double const here = cycles_on_link(machine, design, static_cast<double>(design.die_link_bits));
    return std::max(0.0, here - cycles_on_link(machine, design, static_cast<double>(design.link_bits)));
}

double die_link_occupation(MachineConstants const& machine, Design const& design, std::int64_t placed_tiles) {
    if (placed_tiles < 2) return 1.0;
    double const on_mesh = cycles_on_link(machine, design, static_cast<double>(design.link_bits));
    return (on_mesh + slower_on_die_link(machine, design)) / on_mesh;
}

double scratchpad_growth(MachineConstants const& m, Design const& d) {
    auto const size = scratchpad_sizes(m, d);
    if (d.scratchpad_banks == 0) return size.all;
    // Drivers along the rows and amplifiers along the columns of a square array grow with its side.
    double const periphery = static_cast<double>(d.scratchpad_banks) * std::sqrt(size.bank);
    return m.scratchpad_cells_share * size.all + (1.0 - m.scratchpad_cells_share) * periphery;
}

double scratchpad_energy(MachineConstants const& m, Design const& d) {
    auto const& events = m.events;
    auto const size = scratchpad_sizes(m, d);
    if (d.scratchpad_banks == 0) return events.scratchpad_access.si * std::pow(size.all, events.scratchpad_exponent);
    double const exponent = size.bank < 1.0 ? events.small_bank_exponent : events.scratchpad_exponent;
    double const side = std::sqrt(macros_of(m, d).scratchpad_area.si * scratchpad_growth(m, d));
    // A bank on its own has no wires besides its array's; of many, each is a side of the macro away.
    double const way = side * (1.0 - 1.0 / std::sqrt(static_cast<double>(d.scratchpad_banks)));
    return events.scratchpad_access.si * std::pow(size.bank, exponent) + events.wire.si * way;
}

}  // namespace pimdse::models::cim_mesh
