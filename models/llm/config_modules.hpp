#pragma once

#include "models/llm/config_reader.hpp"
#include "models/llm/workload.hpp"

#include <string>
#include <vector>

namespace pimdse::models {

/// Takes modules out of the format of a model: the names, patterns with "*" or regular expressions ("re:") of modules
/// that `field` lists as not converted, such as "lm_head", "model.layers.*.self_attn" or "re:.*mlp.gate$". Norms,
/// routers, embeddings and vision towers are never converted. Adds a mistake for a module that is not known, and for
/// one that only some of the layers keep. Returns whether the LM head is listed.
bool keep_modules(ConfigReader& file, std::string_view field, LanguageModel& model);

}  // namespace pimdse::models
