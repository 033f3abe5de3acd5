#pragma once

#include "dse/answers/result_store.hpp"
#include "dse/task/columns.hpp"

#include <string>

namespace pimdse::dse::cli::run {

/// A line for the machines of which nothing was asked (a run that was stopped or had a budget did not meet their few
/// points), and one for each of which no design is feasible, with the rule that most of them break: whoever reads who
/// is best should know who is not among them. Empty where there are none, or one machine only.
[[nodiscard]] std::string machines_left_out(task::Columns const& columns, answers::ResultStore const& store);

}  // namespace pimdse::dse::cli::run
