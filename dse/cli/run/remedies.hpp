#pragma once

#include "dse/answers/result_store.hpp"
#include "dse/space/space.hpp"

#include <string>

namespace pimdse::dse::cli::run {

/// Of a run without a feasible point: the three rules that most points break, a point each, and what change of one of
/// its parameters would help; a line or two a rule.
[[nodiscard]] std::string commonest_rules(space::Space const& space, answers::ResultStore const& store);

}  // namespace pimdse::dse::cli::run
