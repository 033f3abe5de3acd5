#pragma once

#include "models/contract/fidelity.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace pimdse::dse::space {

/// Which results are kept: all, or the non-dominated ones of each block of ids.
enum class Keep : std::uint8_t { all, front };

struct SearchSettings {
    std::string strategy = "sweep";
    std::uint64_t budget = 0;  ///< evaluations; 0 = the whole space
    std::uint64_t seed = 1;
    models::Fidelity fidelity = models::Fidelity::analytic;
    Keep keep = Keep::all;
    std::uint64_t shard = 0;  ///< index of this shard of `shards` equal parts of the planned points
    std::uint64_t shards = 1;
    double epsilon = 0.0;     ///< `ladder` only: prunes points that could improve no objective by more than this share
    double within = 0.0;      ///< `best` only: finds all points that are worse than the best by at most this share
    std::uint64_t audit = 0;  ///< `ladder` only: number of random pruned points to evaluate in the end
    std::uint64_t stop_after_no_gain = 0;  ///< stop after so many results without a gain; 0: never
};

/// A search strategy by name; search::make_strategy makes it.
struct StrategyName {
    std::string_view name;
    std::string_view summary, use;              ///< which points it evaluates; when to use it
    std::optional<models::Fidelity> ends_at{};  ///< set if the strategy decides its final fidelity
};

/// All strategies, one entry each.
[[nodiscard]] std::span<StrategyName const> strategies();

/// Throws InputError if no strategy has this name.
void check_strategy(std::string_view name);

/// Throw InputError if epsilon is not a share, if epsilon or audit is given with a strategy that does not prune, or if
/// fronts only are kept with a strategy that does not request ranges of ids.
void check_epsilon(double epsilon);
void check_bounds_settings(SearchSettings const& search);
void check_keep(SearchSettings const& search);

/// The final fidelity of a search with these settings.
[[nodiscard]] models::Fidelity final_fidelity(SearchSettings const& search);

}  // namespace pimdse::dse::space
