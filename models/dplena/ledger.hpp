#pragma once

#include "models/contract/architecture.hpp"
#include "models/contract/common_metrics.hpp"
#include "models/contract/ledger.hpp"
#include "models/dplena/constants.hpp"
#include "models/dplena/design.hpp"
#include "models/dplena/metrics.hpp"

#include <optional>
#include <vector>

namespace pimdse::models::dplena {

/// What dplena says of every row.
[[nodiscard]] Ledger ledger();

/// Bytes of all 64-byte lines that one block's sampling reads.
[[nodiscard]] double bytes_sampled(SamplingCost const& sampling, Design const& design);

/// A request or a part of it.
struct Work {
    double samplings = 0.0;          ///< of whole blocks
    std::optional<ModelPass> model;  ///< all its passes; scope end_to_end
};
/// All of it: the sampling of one block, or the whole generation.
[[nodiscard]] Work request_of(Result const& result);
/// To the end of the first step, and what follows. Precondition: scope end_to_end.
[[nodiscard]] Work prefill_of(Result const& result, Design const& design);
[[nodiscard]] Work decode_of(Result const& result, Design const& design);

/// s.
[[nodiscard]] Estimate time_of(Result const& result, MachineConstants const& machine, Work const& work);
/// From the request to its last output, s.
[[nodiscard]] Estimate request_latency(Result const& result, MachineConstants const& machine);

/// Energy of this many bytes read from or written to HBM: inside the stack, and over its pins.
[[nodiscard]] double array_energy(double bytes, StackConstants const& stack);
[[nodiscard]] double interface_energy(double bytes, StackConstants const& stack);

/// Where the energy of a request or a part of it goes.
[[nodiscard]] std::vector<EnergyShare> energy_shares(Result const& result, Design const& design,
                                                     MachineConstants const& machine, Work const& work);

/// Where time, energy and area go; not what limits them (phase_limits.hpp).
[[nodiscard]] Breakdown breakdown_of(Result const& result, Design const& design, MachineConstants const& machine);

/// The die with its matrix unit, vector unit, memories and HBM channels, one share a part, called by rows of the
/// ledger.
[[nodiscard]] std::vector<Share> area_of(Design const& design, MachineConstants const& machine);

/// The stacks' DRAM and base dies.
[[nodiscard]] sim::Area memory_area_of(Design const& design, MachineConstants const& machine);

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

/// What limits the sampling, or the passes and samplings until the first token and after it.
[[nodiscard]] std::vector<PhaseLimit> phase_limits(Result const& result, Design const& design,
                                                   MachineConstants const& machine);

}  // namespace pimdse::models::dplena
