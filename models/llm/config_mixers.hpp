#pragma once

#include "models/llm/config_layers.hpp"

#include <vector>

namespace pimdse::models {

/// Gives states, indexers and gates of the output to the layers that have them.
void set_mixers(ConfigValues& values, LayerTypes const& types, std::vector<LayerKind>& layers);

}  // namespace pimdse::models
