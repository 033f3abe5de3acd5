#pragma once

#include "models/llm/workload.hpp"

#include <string>
#include <string_view>

namespace pimdse::models {

/// Whether the file of a model stores this matrix of its layers in the format of `weight_format`. Precondition: the
/// layers of the model are alike.
[[nodiscard]] bool is_converted(LanguageModel const& model, WeightMatrix const& matrix);

/// Bytes of one copy of a matrix in the file of a model, as in stored_bytes; 16 bits where it is not converted.
/// Precondition: the layers of the model are alike.
[[nodiscard]] double matrix_bytes(LanguageModel const& model, WeightMatrix const& matrix);
/// The same for the LM head.
[[nodiscard]] double head_bytes(LanguageModel const& model);

/// Bytes of all parameters in the file of a model, with scales, zero points and indices of groups. Not counted: scales
/// of activations, and what a method stores once per matrix.
[[nodiscard]] double stored_bytes(LanguageModel const& model);

/// What `weights` and the like are called if the file of the model decides.
inline constexpr std::string_view as_model_says = "model";

/// Mean bits of a converted weight in a large matrix, with those of its group: 4.25 for 4 bits and a scale of 8 for 32.
[[nodiscard]] double bits_per_weight(WeightFormat const& format);

/// "mxfp4, 4.25 bits with scales"; "16 bits" if no file says.
[[nodiscard]] std::string text_of(WeightFormat const& format);

}  // namespace pimdse::models
