#pragma once

#include "models/contract/proofs.hpp"
#include "models/dplena/constants.hpp"
#include "models/dplena/design.hpp"
#include "models/dplena/numerics/accuracy.hpp"
#include "models/llm/model_choices.hpp"

#include <memory>
#include <optional>

namespace pimdse::models::dplena {

/// Inputs that are the same for all points, and caches of evaluations. The caches do not affect results.
struct Prepared : ModelChoices {
    MachineConstants machine;
    std::shared_ptr<AccuracyProxy const> accuracy;
};

[[nodiscard]] std::shared_ptr<void const> prepare(Parameters const& parameters, ModelOptions const& options);

[[nodiscard]] Parameters parameters();

/// The design of a point. In scope end_to_end the vocabulary is that of the model, padded to whole vectors (in edge
/// mode to whole chunks). `prepared` lives longer.
[[nodiscard]] Design read_design(Point point, Prepared const& prepared);

/// The first rule that the design breaks, with the numbers in question; nullopt if the design is feasible.
[[nodiscard]] std::optional<Infeasible> broken_rule(Design const& design, Prepared const& prepared);

/// The keys that points share (cycle_key.cpp), the directions of bounds (README.md, Lower bounds), and the constants of
/// which the dimension does not tell how they move metrics.
[[nodiscard]] Proofs proofs();

}  // namespace pimdse::models::dplena
