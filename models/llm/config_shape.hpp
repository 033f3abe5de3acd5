#pragma once

#include "models/llm/config_values.hpp"
#include "models/llm/workload.hpp"

namespace pimdse::models {

/// Reads widths, heads, tables and networks of a model by the usual keys and the [shape] of its family.
void read_shape(ConfigValues& values, LanguageModel& model);

}  // namespace pimdse::models
