#pragma once

#include "dse/answers/result_store.hpp"
#include "dse/cli/text_table.hpp"
#include "dse/task/columns.hpp"

#include <span>
#include <string>
#include <vector>

namespace pimdse::dse::cli::run {

/// A design, and what it answers.
struct AnsweredDesign {
    task::PointId point{};
    models::Metrics metrics;
};

/// The scenarios of a run in order; none where points are asked as they are.
[[nodiscard]] std::vector<std::string> scenarios_of(task::Columns const& columns);

/// The metrics of a run without those of single scenarios, of those named; "ttft@chat" names ttft. Throws InputError
/// for a name that is not known in every scenario.
[[nodiscard]] std::vector<std::string> scenario_metrics(task::Columns const& columns,
                                                        std::vector<std::string> const& names);

/// A row per scenario, a column per metric and design: a figure of a paper as numbers. `readable`: in multiples of
/// units, else in SI.
[[nodiscard]] TextTable scenario_table(task::Columns const& columns, std::span<AnsweredDesign const> designs,
                                       std::vector<std::string> const& metrics, bool readable);

}  // namespace pimdse::dse::cli::run
