#pragma once

#include "models/contract/common_metrics.hpp"
#include "models/contract/standby.hpp"
#include "models/dplena/constants.hpp"
#include "models/dplena/design.hpp"
#include "models/dplena/metrics.hpp"
#include "models/economy/materials.hpp"

#include <optional>
#include <vector>

namespace pimdse::models::dplena {

/// The ledger of dplena: the source or the assumption behind every row.
[[nodiscard]] Ledger ledger();

/// Bytes of all 64-byte lines that the sampling of one block reads.
[[nodiscard]] double bytes_sampled(SamplingCost const& sampling, Design const& design);

/// A request or a part of it.
struct Work {
    double samplings = 0.0;               ///< in blocks
    std::optional<text::PassCost> model;  ///< sum of all passes; in scope end_to_end only
    double finished = 0.0;                ///< blocks whose tokens leave for the host
    bool waits_for_host = false;  ///< until it has the tokens: they come as much later than they enter, all of them
};
/// The whole request: the sampling of one block, or the whole generation.
[[nodiscard]] Work request_of(Result const& result);
/// The part up to the end of the first step, and the rest. Precondition: scope end_to_end.
[[nodiscard]] Work prefill_of(Result const& result, Design const& design);
[[nodiscard]] Work decode_of(Result const& result, Design const& design);

/// Time [s] of the FIFO to the host in a request or in a part of it.
[[nodiscard]] double fifo_seconds(Result const& result, Work const& work);
/// Time [s] of a request or of a part of it.
[[nodiscard]] Estimate time_of(Result const& result, Work const& work);

/// Energy [J] of this number of bytes read from or written to HBM: inside the stack, and over its pins.
[[nodiscard]] double array_energy(double bytes, StackConstants const& stack);
[[nodiscard]] double interface_energy(double bytes, StackConstants const& stack);

/// Breakdown of time, energy and area, and the limiting unit of the sampling, or of the passes and samplings up to the
/// first token and of those after it.
[[nodiscard]] Breakdown breakdown_of(Result const& result, Design const& design, MachineConstants const& machine);

/// Area of the die: one share each for matrix unit, vector unit, memories and HBM channels, named by rows of the
/// ledger.
[[nodiscard]] std::vector<Share> area_of(Design const& design, MachineConstants const& machine);

/// Area of the DRAM and base dies of the stacks.
[[nodiscard]] sim::Area memory_area_of(Design const& design, MachineConstants const& machine);

/// What the machine is made of: a die of `logic` m2, and HBM2 in proportion to its channels.
[[nodiscard]] economy::Materials materials_of(double logic, Design const& design, MachineConstants const& machine);

/// Power [W] of the vector and the scalar unit at work, and of all parts at rest.
struct Powers {
    double vector = 0.0, scalar = 0.0;
    Standby rest;
};
[[nodiscard]] Powers powers_of(Design const& design, MachineConstants const& machine);
/// Adds what memories, PHYs and controllers draw at rest.
void add_memories_at_rest(Design const& design, MachineConstants const& machine, Standby& to);
/// Power [W] of one stack if all channels of the design together carry this number of bytes per second: row
/// activations, pins, background power with rows open, refresh.
[[nodiscard]] Estimate stack_power(Design const& design, MachineConstants const& machine, Standby const& rest,
                                   Estimate const& bytes_per_second);

/// Energy [J] of a request or of a part of it. `power` is that of the machine, whose memories may be built for more
/// sequences than `design` has.
[[nodiscard]] Estimate energy_of(Result const& result, Design const& design, MachineConstants const& machine,
                                 Powers const& power, Work const& work);

}  // namespace pimdse::models::dplena
