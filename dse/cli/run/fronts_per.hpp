#pragma once

#include "dse/cli/options.hpp"
#include "dse/cli/run/front_table.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace pimdse::dse::cli::run {

/// A front, and the value of a parameter or the scenario that it belongs to.
struct FrontPer {
    std::string shown;             ///< of the value, for people
    std::string cell;              ///< for csv
    nlohmann::ordered_json value;  ///< a quantity in SI
    FrontTable front;
};

/// Throws InputError where the key is no parameter, or "scenario" where an objective is not known in every one.
void check_key(task::Columns const& columns, std::vector<task::Objective> const& objectives, std::string const& key);

/// The metrics that fronts per scenario read; none for another key.
[[nodiscard]] std::vector<std::size_t> metrics_per(task::Columns const& columns,
                                                   std::vector<task::Objective> const& objectives,
                                                   std::string const& key);

/// A front per value that answered points have, or per scenario; in their order.
[[nodiscard]] std::vector<FrontPer> fronts_per(task::Columns const& columns, answers::ResultStore const& store,
                                               FrontQuestion const& question, std::string const& key);

/// All of them, one after the other.
[[nodiscard]] std::string fronts_text(std::vector<FrontPer> const& fronts, std::string const& key, Format format);

}  // namespace pimdse::dse::cli::run
