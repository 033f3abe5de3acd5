#pragma once

#include "models/dplena/constants.hpp"
#include "models/dplena/design.hpp"

namespace pimdse::models::dplena {

/// Memories, area and power of a design: Table II's formulas, and straight lines through Table IV (README.md, Silicon).
struct Silicon {
    sim::Data vector_sram, vector_sram_allocated, fp_sram, int_sram;
    sim::Area vector_area, scalar_area, sram_area;
    sim::Power power;
};

[[nodiscard]] Silicon silicon_of(Design const& design, SiliconConstants const& constants);

/// Energy of the vector memory's accesses: per vector one write by the fetch and six reads or writes by the four
/// instructions.
[[nodiscard]] sim::Energy vector_memory_energy(Design const& design, SiliconConstants const& constants);

}  // namespace pimdse::models::dplena
