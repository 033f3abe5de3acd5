#pragma once

#include "models/contract/architecture.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace pimdse::dse::space {

/// Which answers stay: every one, or of each block of ids only what nobody in the block dominates.
enum class Keep : std::uint8_t { all, front };

struct SearchSettings {
    std::string strategy = "sweep";
    std::uint64_t budget = 0;  ///< evaluations; 0 = the whole space
    std::uint64_t seed = 1;
    models::Fidelity fidelity = models::Fidelity::analytic;
    Keep keep = Keep::all;
    std::uint64_t shard = 0;  ///< of `shards` equal parts of what would be asked, this one is
    std::uint64_t shards = 1;
    double epsilon = 0.0;     ///< of a ladder: what could improve no objective by more than this share is left out
    std::uint64_t audit = 0;  ///< of a ladder: closed points that are answered in the end, picked at random
    std::uint64_t stop_after_no_gain = 0;  ///< answers in a row that add nothing to the hypervolume; 0: it goes on
};

/// A search strategy by name; search::make_strategy makes it.
struct StrategyName {
    std::string_view name;
    std::string_view summary, use;              ///< what it asks for; when to take it
    std::optional<models::Fidelity> ends_at{};  ///< if it decides that itself
};

/// Every strategy, one line each.
[[nodiscard]] std::span<StrategyName const> strategies();

/// Throws InputError if there is no strategy of this name.
void check_strategy(std::string_view name);

/// Throw InputError: of an epsilon that is no share, of one (or an audit) beside a strategy that closes nothing, of
/// fronts kept by a strategy that asks for no runs of ids.
void check_epsilon(double epsilon);
void check_bounds_settings(SearchSettings const& search);
void check_keep(SearchSettings const& search);

/// At which fidelity a search with these settings ends.
[[nodiscard]] models::Fidelity final_fidelity(SearchSettings const& search);

}  // namespace pimdse::dse::space
