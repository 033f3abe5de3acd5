#pragma once

#include "dse/cli/front_table.hpp"
#include "dse/cli/options.hpp"
#include "dse/cli/text_table.hpp"
#include "dse/search/result_store.hpp"
#include "dse/space/columns.hpp"
#include "dse/space/expression.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace pimdse::dse::cli {

/// A row per scenario and metric: the best design there, and how good. Where the answer flips, the design changes.
/// `metrics` are of scenario_metrics(), and have a better way; `readable`: in multiples of units, else in SI.
[[nodiscard]] TextTable best_by_scenario(space::Columns const& columns, search::ResultStore const& store,
                                         std::vector<std::string> const& metrics, space::Expression const* where,
                                         bool readable);

/// The designs of a front, a row each: these metrics in each scenario, and what tells the designs apart. In multiples
/// of units.
[[nodiscard]] TextTable by_design(space::Columns const& columns, search::ResultStore const& store,
                                  FrontTable const& front, std::vector<std::string> const& metrics);

/// A front, and the value of a parameter or the scenario that it belongs to.
struct FrontPer {
    std::string shown;             ///< of the value, for people
    std::string cell;              ///< for csv
    nlohmann::ordered_json value;  ///< a quantity in SI
    FrontTable front;
};

/// Throws InputError where the key is no parameter, or "scenario" where an objective is not known in every one.
void check_key(space::Columns const& columns, std::vector<space::Objective> const& objectives, std::string const& key);

/// The metrics that fronts per scenario read; none for another key.
[[nodiscard]] std::vector<std::size_t> metrics_per(space::Columns const& columns,
                                                   std::vector<space::Objective> const& objectives,
                                                   std::string const& key);

/// A front per value that answered points have, or per scenario; in their order.
[[nodiscard]] std::vector<FrontPer> fronts_per(space::Columns const& columns, search::ResultStore const& store,
                                               FrontQuestion const& question, std::string const& key);

/// All of them, one after the other.
[[nodiscard]] std::string fronts_text(std::vector<FrontPer> const& fronts, std::string const& key, Format format);

}  // namespace pimdse::dse::cli
