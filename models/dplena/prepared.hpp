#pragma once

#include "models/dplena/constants.hpp"
#include "models/dplena/design.hpp"
#include "models/dplena/numerics/accuracy.hpp"
#include "models/llm/model_choices.hpp"

#include <memory>

namespace pimdse::models::dplena {

/// Inputs that are the same for all points, and caches of evaluations. The caches do not affect results.
struct Prepared : ModelChoices {
    MachineConstants machine;
    std::shared_ptr<AccuracyProxy const> accuracy;
};

[[nodiscard]] std::shared_ptr<void const> prepare(Parameters const& parameters, ModelOptions const& options);

}  // namespace pimdse::models::dplena
