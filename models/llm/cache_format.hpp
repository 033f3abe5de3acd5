#pragma once

#include "models/llm/workload.hpp"

#include <string_view>

namespace pimdse::models {

/// The entry of WeightFormat::others that has the format of keys and values; beside those that are named there,
/// "layer_table" has that of embeddings per layer.
inline constexpr std::string_view cache_entry = "cache";

/// Bits of an element of keys and values, with scales, as the file of a model says; 0 if it says nothing.
[[nodiscard]] double cache_bits(LanguageModel const& model);

}  // namespace pimdse::models
