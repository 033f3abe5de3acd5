#pragma once

#include "models/dplena/constants.hpp"
#include "models/dplena/design.hpp"

namespace pimdse::models::dplena {

/// Memories, area and power of a design without its HBM: Table II's formulas, and straight lines through Table IV
/// (README.md, Silicon).
struct Silicon {
    sim::Data vector_sram, vector_sram_allocated, fp_sram, int_sram;
    sim::Area vector_area, scalar_area;  ///< as published, for exponential units in every lane
    sim::Power vector_power;             ///< the same
    sim::Data matrix_tiles;
    sim::Data fetch_buffers;  ///< lines of every prefetch that may be under way
    sim::Area sram_area;      ///< of the three memories
    double built_lanes = 1;   ///< of a lane: less where exponential units are fewer than lanes
};

[[nodiscard]] Silicon silicon_of(Design const& design, MachineConstants const& machine);

/// Energy of the vector memory's accesses: per vector one write by the fetch and six reads or writes by the four
/// instructions.
[[nodiscard]] sim::Energy vector_memory_energy(Design const& design, SiliconConstants const& constants);

}  // namespace pimdse::models::dplena
