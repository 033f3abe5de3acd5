#pragma once

#include "models/contract/architecture.hpp"
#include "models/dplena/constants.hpp"
#include "models/dplena/design.hpp"

#include <vector>

namespace pimdse::models::dplena {

/// The die with its matrix unit, vector unit, memories and HBM channels, one share a part, called by rows of the
/// ledger.
[[nodiscard]] std::vector<Share> area_of(Design const& design, MachineConstants const& machine);

/// The stacks' DRAM and base dies.
[[nodiscard]] sim::Area memory_area_of(Design const& design, MachineConstants const& machine);

/// Multiply-adds a second, and what one of them takes.
struct MatrixUnit {
    double rate = 0.0;      ///< 1/s
    sim::Energy operation;  ///< with weights of weight_bits
    sim::Area area;
};
[[nodiscard]] MatrixUnit matrix_unit(Design const& design, MachineConstants const& machine);

/// What units and memories draw whether anything happens or not, W. Units that work are charged for that instead.
struct IdlePower {
    double matrix = 0.0, vector = 0.0, scalar = 0.0;  ///< waiting
    double vector_at_work = 0.0, scalar_at_work = 0.0;
    double channels = 0.0, sram = 0.0;
    double open_rows = 0.0, closed_rows = 0.0, refresh = 0.0;  ///< of the HBM

    [[nodiscard]] double sum() const { return matrix + vector + scalar + channels + sram + closed_rows + refresh; }
};
/// What one stack draws of a design whose channels carry this many bytes a second together, W: rows, pins, background
/// with rows open, refresh.
[[nodiscard]] Estimate stack_power(Design const& design, MachineConstants const& machine,
                                   Estimate const& bytes_per_second);
[[nodiscard]] IdlePower idle_power(Design const& design, MachineConstants const& machine);

}  // namespace pimdse::models::dplena
