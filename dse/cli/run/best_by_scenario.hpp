#pragma once

#include "dse/answers/result_store.hpp"
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

}  // namespace pimdse::dse::cli::run
