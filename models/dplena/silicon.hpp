#pragma once

#include "models/dplena/constants.hpp"
#include "models/dplena/design.hpp"

namespace pimdse::models::dplena {

/// Memories, area and power of a design without its HBM: the formulas of Table II, and linear fits of Table IV
/// (README.md, Silicon).
struct Silicon {
    sim::Data vector_sram, vector_sram_allocated, fp_sram, int_sram;
    sim::Area vector_area, scalar_area;  ///< as published, with an exponential unit in every lane
    sim::Power vector_power;             ///< as published, with an exponential unit in every lane
    sim::Data fetch_buffers;             ///< lines of all prefetches that may be in flight
    sim::Area sram_area;                 ///< of the three memories
    double built_lanes = 1;  ///< share of a published lane that is built: below 1 if exp_lanes is less than vlen
};

[[nodiscard]] Silicon silicon_of(Design const& design, MachineConstants const& machine);

/// A vector of elements: the row of a unified memory.
[[nodiscard]] sim::Data memory_row(Design const& design, SiliconConstants const& constants);

/// Area of units beyond those of the published vector unit, which has the path of the index of V_RED_MAX_IDX,
/// dequantizers, and a list of V_TOPK_MASK of topk_published_entries; negative if it lacks some of that.
[[nodiscard]] sim::Area changed_units(Design const& design, SiliconConstants const& constants);

/// Energy of the accesses to the vector memory: per vector one write by the fetch and six reads or writes by the four
/// instructions; more without an instruction of the paper, with noise, and in a unified memory.
[[nodiscard]] sim::Energy vector_memory_energy(Design const& design, SiliconConstants const& constants);

}  // namespace pimdse::models::dplena
