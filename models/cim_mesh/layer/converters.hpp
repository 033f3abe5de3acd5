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

/// Cycles of a product of a crossbar that no transfer hides: `smac_cycles`, the time by which converters of more bits
/// are slower, and that by which the port to the crossbar, with its handshakes, is slower than a mesh link.
[[nodiscard]] double product_cycles(MachineConstants const& machine, Design const& design);

}  // namespace pimdse::models::cim_mesh
