#pragma once

#include "dse/cli/options.hpp"
#include "models/llm/shard.hpp"

#include <string>

namespace pimdse::dse::cli {

/// Prints the kinds of layers, the parameters, the multiply-accumulates and the cache of a model: a name of models/llm,
/// or a path to a model file or config.json. If it is divided, those of the part that a device of the last stage has.
/// Throws InputError if it cannot be divided in this way.
void print_model(std::string const& name, models::Division const& division, Format format);

}  // namespace pimdse::dse::cli
