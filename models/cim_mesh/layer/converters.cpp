#include "models/cim_mesh/layer/converters.hpp"

#include "models/cim_mesh/layer/macro_port.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::models::cim_mesh {

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
    auto const chosen = static_cast<double>(design.smac_cycles);
    double const hidden = cycles_on_link(machine, design, static_cast<double>(design.link_bits));
    double const steps = converters_of(machine, design).steps;
    double const converted = steps == 1.0 ? chosen : steps * (hidden + chosen) - hidden;
    if (design.macro_port_bits == 0 && design.macro_fifo_bytes == 0) return converted;
    return converted + vectors_of_a_product * std::max(0.0, macro_port(machine, design).cycles - hidden);
}

}  // namespace pimdse::models::cim_mesh
