#pragma once

#include "models/llm/workload.hpp"

#include <string>
#include <vector>

namespace pimdse::models {

struct ShapeMistake {
    std::string field;     ///< the dimension, as in files of models/llm
    std::string sentence;  ///< what is wrong with it
};

/// What is wrong with the dimensions of a model, each of which is within its own limits (limits.hpp): they do not
/// divide, a layer has no feed-forward part, or there are more parameters or keys than are supported.
[[nodiscard]] std::vector<ShapeMistake> shape_mistakes(LanguageModel const& model);

}  // namespace pimdse::models
