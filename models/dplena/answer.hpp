#pragma once

#include "models/dplena/model_phase.hpp"
#include "models/dplena/rules.hpp"
#include "models/dplena/sampling.hpp"
#include "models/dplena/silicon.hpp"

#include <optional>

namespace pimdse::models::dplena {

/// Everything that is known about a feasible design at one fidelity.
struct Answer {
    SamplingCost sampling;
    Silicon silicon;
    Accuracy accuracy;
    std::optional<ModelPhase> model;  ///< scope end_to_end
};

/// `design` breaks no rule.
[[nodiscard]] Answer answer(Design const& design, Machine const& machine, Fidelity fidelity);

/// One Estimate per metric, in the order of metrics().
[[nodiscard]] Metrics metrics_of(Answer const& answer, Design const& design, Machine const& machine);
[[nodiscard]] Breakdown breakdown_of(Answer const& answer, Design const& design, Machine const& machine);

}  // namespace pimdse::models::dplena
