#pragma once

#include "models/dplena/design.hpp"
#include "models/dplena/prepared.hpp"

#include <optional>
#include <span>

namespace pimdse::models::dplena {

[[nodiscard]] Parameters parameters();

/// The design of a point. In scope end_to_end the vocabulary is that of the model, padded to whole vectors (in edge
/// mode to whole chunks). `model_vocabularies` are the vocabularies of the models in the order of the choices of `llm`.
[[nodiscard]] Design read_design(Point point, std::span<std::int64_t const> model_vocabularies);

/// The first rule that the design breaks, with the numbers in question; nullopt if the design is feasible.
[[nodiscard]] std::optional<Infeasible> broken_rule(Design const& design, Prepared const& prepared);

}  // namespace pimdse::models::dplena
