#pragma once

#include "models/llm/config_reader.hpp"
#include "models/llm/workload.hpp"

namespace pimdse::models {

/// Reads `quantization_config` into the format of the weights of a model, whose layers are known. Adds a mistake for a
/// method that is not known, and for settings of single layers.
void read_quantization(ConfigReader& file, LanguageModel& model);

}  // namespace pimdse::models
