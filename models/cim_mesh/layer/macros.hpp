#pragma once

#include "models/cim_mesh/constants.hpp"
#include "models/cim_mesh/design.hpp"

namespace pimdse::models::cim_mesh {

/// The output converters of a crossbar at the resolution of the design, relative to those of the published pair, which
/// resolve a full sum (README.md, Converters). All factors are 1 if `adc_bits` is 0.
struct Converters {
    double steps = 1.0;   ///< time of a conversion: one step per bit, never shorter than the published one
    double growth = 1.0;  ///< energy of a conversion
};

/// Bits that resolve the sum of a column of `crossbar` cells for one bit of the input.
[[nodiscard]] double full_resolution(MachineConstants const& machine, double crossbar);

[[nodiscard]] Converters converters_of(MachineConstants const& machine, Design const& design);

/// Area of the converters of a crossbar at the published pace, relative to those of the published macro: a step per
/// bit, up to those that resolve a full sum, and `adc_growth` per bit for each. Columns and the time of a vector grow
/// together, so that wider crossbars need no more converters, only more bits.
[[nodiscard]] double converter_area(MachineConstants const& machine, Design const& design);

/// Cycles of a vector as wide as a crossbar on a link of `bits`, with which the converters keep pace.
[[nodiscard]] double cycles_on_link(MachineConstants const& machine, Design const& design, double bits);

/// Vectors that pass the port of a crossbar for a product: its input and its result.
inline constexpr double vectors_of_a_product = 2.0;

/// Cycles of a product of a crossbar that no transfer hides: `smac_cycles` and `crossbar_product`, the time by which
/// converters of more bits are slower, and the time by which the port to the crossbar, with its handshakes, is slower
/// than a mesh link.
[[nodiscard]] double product_cycles(MachineConstants const& machine, Design const& design);

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

/// Cycles of a border between compute tiles in addition to a hop. `die_link_bits` = 0: those of `border_hops` hops.
/// Otherwise the latency of a die-to-die link, and the time by which a vector takes longer on it than on a mesh link.
[[nodiscard]] double border_hops(MachineConstants const& machine, Design const& design);

/// Cycles by which a vector occupies the link between two compute tiles longer than a mesh link; 0 if the link is not
/// narrower.
[[nodiscard]] double slower_on_die_link(MachineConstants const& machine, Design const& design);

/// Factor by which the vectors of a layer occupy their busiest link longer if it crosses a border: at least 1, and 1
/// for a layer on one compute tile.
[[nodiscard]] double die_link_occupation(MachineConstants const& machine, Design const& design,
                                         std::int64_t placed_tiles);

/// The scratchpad of a pair (README.md, Scratchpad). With `scratchpad_banks` = 0 it is the published macro scaled with
/// its bytes; otherwise equal banks, each an array of cells with a periphery of its own.

/// Area, and leakage, relative to those of the published macro.
[[nodiscard]] double scratchpad_growth(MachineConstants const& machine, Design const& design);

/// Energy [J] of a byte that is read or written, from its bank to the router.
[[nodiscard]] double scratchpad_energy(MachineConstants const& machine, Design const& design);

}  // namespace pimdse::models::cim_mesh
