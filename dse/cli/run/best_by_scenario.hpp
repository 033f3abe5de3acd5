#pragma once

#include "dse/answers/result_store.hpp"
#include "dse/cli/run/front_table.hpp"
#include "dse/cli/text_table.hpp"
#include "dse/space/expression.hpp"
#include "dse/task/columns.hpp"

#include <string>
#include <vector>

namespace pimdse::dse::cli::run {

/// A row per scenario and metric: the best design there, and how good. Where the answer flips, the design changes.
/// `metrics` are of scenario_metrics(), and have a better way; `readable`: in multiples of units, else in SI.
[[nodiscard]] TextTable best_by_scenario(task::Columns const& columns, answers::ResultStore const& store,
                                         std::vector<std::string> const& metrics, space::Expression const* where,
                                         bool readable);

/// The designs of a front, a row each: these metrics in each scenario, and what tells the designs apart. In multiples
/// of units.
[[nodiscard]] TextTable by_design(task::Columns const& columns, answers::ResultStore const& store,
                                  FrontTable const& front, std::vector<std::string> const& metrics);

}  // namespace pimdse::dse::cli::run
