#pragma once

#include "dse/task/standing.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace pimdse::dse::cli::run {

/// One look at a run.
struct WatchView {
    std::uint64_t answered = 0, planned = 0, feasible = 0;
    std::map<std::string, std::uint64_t> rules;  ///< points per broken rule and class of failure
    std::size_t front = 0;
    double hypervolume = 0.0;  ///< share of the box around all feasible answers so far
    double rate = 0.0;         ///< points per second lately
    double seconds_left = 0.0;
    std::optional<task::Standing> standing;  ///< of a search that closes points by bounds
    /// "running", "died", "unknown" where the file system does not say; of a run that is over, as its file says:
    /// "complete", "stopped", "part"
    std::string state;
};

/// A line and what follows it: where it stands, how quickly it goes on, a line per broken rule.
[[nodiscard]] std::string text_of(WatchView const& view);
/// One JSON object (docs/cluster.md).
[[nodiscard]] std::string json_of(WatchView const& view);

}  // namespace pimdse::dse::cli::run
