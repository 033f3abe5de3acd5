#pragma once

#include "models/llm/config_layers.hpp"
#include "models/llm/config_values.hpp"
#include "models/llm/workload.hpp"

#include <vector>

namespace pimdse::models {

/// Changes layers, one by one, whose dimensions differ from those of the others: by the [[layers]] of the family, by
/// lists with an entry for each layer, and by `per_layer_config`. Then adds the norms of queries and keys, which are as
/// wide as heads.
void change_layers(ConfigValues& values, LayerTypes const& types, LanguageModel const& model,
                   std::vector<LayerKind>& layers);

}  // namespace pimdse::models
