#pragma once

#include "dse/uncertain/robust_front.hpp"

#include <string>

namespace pimdse::dse::uncertain {

/// What was found, in sentences: how many designs are on the front always, nearly always or never; and on what it
/// rests. What is proved is told apart from what was only sampled.
[[nodiscard]] std::string statement_of(RobustFront const& front);

/// The same for a reader in a hurry: three short lines, each with its end.
[[nodiscard]] std::string short_statement(RobustFront const& front);

}  // namespace pimdse::dse::uncertain
