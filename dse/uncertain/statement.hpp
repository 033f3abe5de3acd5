#pragma once

#include "dse/uncertain/robust_front.hpp"

#include <string>

namespace pimdse::dse::uncertain {

/// What was found, in sentences: how many designs are on the front always, nearly always or never; and on what it
/// rests. What is proved is told apart from what was only sampled.
[[nodiscard]] std::string statement_of(RobustFront const& front);

/// A share of the draws counts as "nearly all" from here on.
inline constexpr double nearly_all = 0.95;

/// Number of designs that are on the front in this share of the draws at least.
[[nodiscard]] std::uint64_t on_front_in(RobustFront const& front, double share);

}  // namespace pimdse::dse::uncertain
