#pragma once

#include "models/llm/config_values.hpp"
#include "models/llm/workload.hpp"

#include <vector>

namespace pimdse::models {

/// Reads widths, heads, tables and networks of a model by the usual keys and the [shape] of its family.
void read_shape(ConfigValues& values, LanguageModel& model);

/// The kinds of layers one by one: which have a window, and which have experts (config_layers.cpp). Precondition:
/// read_shape.
[[nodiscard]] std::vector<LayerKind> read_layers(ConfigValues& values, LanguageModel const& model);

/// Gives windows to the layers that have one, by `layer_types` or the rule of the family.
void set_windows(ConfigValues& values, LanguageModel const& model, std::vector<LayerKind>& layers);

}  // namespace pimdse::models
