#pragma once

#include "dse/cli/options.hpp"

#include <nlohmann/json_fwd.hpp>

namespace pimdse::dse::cli::check {

/// What one simulation answered: JSON, or a line per field.
void print_answer(nlohmann::ordered_json const& answer, Format format);

}  // namespace pimdse::dse::cli::check
