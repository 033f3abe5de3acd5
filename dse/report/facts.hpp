#pragma once

#include "dse/store/result/result_file.hpp"

#include <nlohmann/json.hpp>

namespace pimdse::dse::report {

/// What a page says of a file but its rows: names, units, senses and meanings of parameters and metrics, objectives,
/// scenarios, how much of the space was answered and whether the front is exact, how it grew, why points have no
/// metrics, who made the file. `known`: the columns of the file with what its space knows beyond them.
[[nodiscard]] nlohmann::ordered_json facts_json(store::result::ResultFile const& file, task::Columns const& known);

}  // namespace pimdse::dse::report
