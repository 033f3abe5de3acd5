#pragma once

#include "dse/cli/front_table.hpp"
#include "dse/cli/options.hpp"
#include "dse/cli/text_table.hpp"
#include "dse/search/result_store.hpp"
#include "dse/space/columns.hpp"
#include "models/expression/expression.hpp"
#include "sim/base/json.hpp"

#include <string>
#include <vector>

namespace pimdse::dse::cli {

/// A row per scenario and metric with the best design and its value. `metrics` come from scenario_metrics() and must
/// have a direction that is better. `readable`: with unit prefixes, else in SI.
[[nodiscard]] TextTable best_by_scenario(space::Columns const& columns, search::ResultStore const& store,
                                         std::vector<std::string> const& metrics, models::Expression const* where,
                                         bool readable);

/// A row per design of a front: these metrics in each scenario, with unit prefixes, and the parameters that distinguish
/// the designs.
[[nodiscard]] TextTable by_design(space::Columns const& columns, search::ResultStore const& store,
                                  FrontTable const& front, std::vector<std::string> const& metrics);

/// A front for one value of a parameter or for one scenario.
struct FrontPer {
    std::string shown;  ///< the value as readable text
    std::string cell;   ///< the value in csv
    sim::Json value;    ///< the value in JSON; quantities in SI
    FrontTable front;
};

/// Throws InputError if the key is not a parameter, or if it is "scenario" and an objective is unknown in some
/// scenario.
void check_key(space::Columns const& columns, std::vector<space::Objective> const& objectives, std::string const& key);

/// The metrics that fronts per scenario need; none for any other key.
[[nodiscard]] std::vector<std::size_t> metrics_per(space::Columns const& columns,
                                                   std::vector<space::Objective> const& objectives,
                                                   std::string const& key);

/// A front per value of the parameter among the evaluated points, or per scenario; in their order.
[[nodiscard]] std::vector<FrontPer> fronts_per(space::Columns const& columns, search::ResultStore const& store,
                                               FrontQuery const& query, std::string const& key);

/// The text, csv or JSON of all fronts, one after the other.
[[nodiscard]] std::string fronts_text(std::vector<FrontPer> const& fronts, std::string const& key, Format format);

}  // namespace pimdse::dse::cli
