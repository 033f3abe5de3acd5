#pragma once

#include "models/llm/config_reader.hpp"
#include "models/llm/family.hpp"
#include "models/llm/workload.hpp"

#include <vector>

namespace pimdse::models {

/// Reads the formats of weights (`quantization_config` and its other names, `dtype`) into a model with these kinds of
/// layers, one by one: of the object of the model, else of the one around it, else of hf_quant_config.json beside it.
/// Adds a mistake for a method that is not known.
void read_quantization(ConfigReader& file, ConfigReader& around, ConfigFamily const& family, LanguageModel& model,
                       std::vector<LayerKind>& layers);

}  // namespace pimdse::models
