#pragma once

#include "models/contract/fidelity.hpp"
#include "models/contract/metric.hpp"
#include "models/dplena/host.hpp"
#include "models/dplena/npu.hpp"
#include "models/dplena/parameters.hpp"
#include "models/dplena/program.hpp"
#include "models/dplena/silicon.hpp"
#include "models/economy/economy.hpp"

#include <optional>

namespace pimdse::models::dplena {

/// Result of the evaluation of a feasible design at one fidelity.
struct Result {
    SamplingCost sampling;
    sim::Frequency clock;  ///< of the units
    Silicon silicon;
    AccuracyBounds accuracy;          ///< exact at cycle level
    std::optional<Npu> npu;           ///< scope end_to_end
    std::optional<ModelPhase> model;  ///< the same
    FifoCycles fifo;                  ///< of the tokens of a block
};

/// Cost of the sampling of a block. Precondition: `program` is that of a design that breaks no rule.
[[nodiscard]] SamplingCost sampling_of(Program const& program, MachineConstants const& machine, Fidelity fidelity);

/// Precondition: `design` breaks no rule.
[[nodiscard]] Result result_of(Design const& design, Prepared const& prepared, Fidelity fidelity);

[[nodiscard]] MetricList metrics();

[[nodiscard]] RequestResult request_result(Result const& result, Design const& design, Prepared const& prepared,
                                           economy::Economy const& economy);

}  // namespace pimdse::models::dplena
