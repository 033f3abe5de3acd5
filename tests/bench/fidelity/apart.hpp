#pragma once

#include "models/contract/architecture.hpp"

#include <optional>

namespace pimdse::fidelity {

struct Measured {
    models::Outcome outcome;
    double cpu = 0.0;  ///< s of the thread that evaluated; apart: of all threads
};

/// The result of a point and what it cost in this process: cached values of other points help.
[[nodiscard]] Measured evaluate_here(models::Architecture const& architecture, models::Inputs const& inputs,
                                     models::Point point, models::Fidelity fidelity);

/// The same in a process of its own, which forgets what it found and is ended after `seconds` of CPU (nothing then, nor
/// where it is refused as too long). Of an infeasible result or a defect the texts are lost.
[[nodiscard]] std::optional<Measured> evaluate_apart(models::Architecture const& architecture,
                                                     models::Inputs const& inputs, models::Point point,
                                                     models::Fidelity fidelity, double seconds);

}  // namespace pimdse::fidelity
