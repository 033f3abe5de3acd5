#pragma once

#include "models/dplena/design.hpp"

#include <span>

namespace pimdse::models::dplena {

[[nodiscard]] Parameters parameters();

/// The design of a point. In scope end_to_end the vocabulary is the model's, padded to whole vectors (in edge mode to
/// whole chunks): `model_vocabularies` are those of the models in the order of the parameter's choices.
[[nodiscard]] Design read_design(Point point, std::span<std::int64_t const> model_vocabularies);

}  // namespace pimdse::models::dplena
