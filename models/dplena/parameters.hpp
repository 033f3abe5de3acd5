#pragma once

#include "models/dplena/design.hpp"
#include "models/dplena/prepared.hpp"

#include <optional>

namespace pimdse::models::dplena {

[[nodiscard]] Parameters parameters();

/// The design of a point. In scope end_to_end the vocabulary is that of the model, padded to whole vectors (in edge
/// mode to whole chunks).
[[nodiscard]] Design read_design(Point point, ModelList const& models);

/// The first rule that the design breaks, with the numbers in question; nullopt if the design is feasible.
[[nodiscard]] std::optional<Infeasible> broken_rule(Design const& design, Prepared const& prepared);

}  // namespace pimdse::models::dplena
