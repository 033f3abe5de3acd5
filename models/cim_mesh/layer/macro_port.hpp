#pragma once

#include "models/cim_mesh/constants.hpp"
#include "models/cim_mesh/design.hpp"

namespace pimdse::models::cim_mesh {

/// A vector as wide as a crossbar through a port between a router and a macro (README.md, Ports to the macros).
struct MacroPort {
    double beats = 0.0;   ///< of the vector, each as wide as the port
    double bursts = 0.0;  ///< of the bus, each at most what the FIFO of the port holds; 0 without handshakes
    double cycles = 0.0;  ///< beats, and the handshakes of the bursts

    /// Beats, and one for address and response of every burst, over the beats.
    [[nodiscard]] double overhead() const { return (beats + bursts) / beats; }
};
[[nodiscard]] MacroPort macro_port(MachineConstants const& machine, Design const& design);

/// Width [bit] of a port: `macro_port_bits`, or that of a mesh link.
[[nodiscard]] std::int64_t macro_port_width(Design const& design);

}  // namespace pimdse::models::cim_mesh
