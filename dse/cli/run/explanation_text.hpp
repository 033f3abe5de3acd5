#pragma once

#include "dse/explain/explanation.hpp"

#include <string>

namespace pimdse::dse::cli::run {

/// An explanation for people.
[[nodiscard]] std::string explanation_text(explain::Ground const& ground, explain::Explanation const& explanation);

}  // namespace pimdse::dse::cli::run
