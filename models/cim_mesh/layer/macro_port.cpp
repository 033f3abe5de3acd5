#include "models/cim_mesh/layer/macro_port.hpp"

#include "models/cim_mesh/layer/converters.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::models::cim_mesh {

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

}  // namespace pimdse::models::cim_mesh
