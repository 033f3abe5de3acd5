#include "models/cim_mesh/layer/die_link.hpp"

#include "models/cim_mesh/layer/converters.hpp"
#include "models/cim_mesh/layer/layer_time.hpp"
#include "sim/noc/closed_form.hpp"

#include <algorithm>

namespace pimdse::models::cim_mesh {

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

}  // namespace pimdse::models::cim_mesh
