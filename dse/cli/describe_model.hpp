#pragma once

#include "dse/cli/options.hpp"

#include <string>

namespace pimdse::dse::cli {

/// Prints the kinds of layers, the parameters, the multiply-accumulates and the cache of a model: a name of models/llm,
/// or a path to a model file or config.json.
void print_model(std::string const& name, Format format);

}  // namespace pimdse::dse::cli
