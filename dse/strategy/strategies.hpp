#pragma once

#include "dse/strategy/strategy.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace pimdse::dse::space {
struct SearchSettings;
class Space;
}  // namespace pimdse::dse::space

namespace pimdse::dse::strategy {

struct StrategyName {
    std::string_view name;
    std::string_view summary, use;  ///< what it asks for; when to take it
    std::unique_ptr<Strategy> (*make)(space::Space const&);
    std::optional<models::Fidelity> ends_at{};  ///< if it decides that itself
};

/// Every strategy, one line each.
[[nodiscard]] std::span<StrategyName const> strategies();

/// Throws InputError if there is no strategy of this name.
void check_strategy(std::string_view name);

/// Throw InputError: of an epsilon that is no share, of one (or an audit) beside a strategy that closes nothing, of
/// fronts kept by a strategy that asks for no runs of ids.
void check_epsilon(double epsilon);
void check_bounds_settings(space::SearchSettings const& search);
void check_keep(space::SearchSettings const& search);

/// At which fidelity a search with these settings ends.
[[nodiscard]] models::Fidelity final_fidelity(space::SearchSettings const& search);

/// The strategy that the space's search settings name.
[[nodiscard]] std::unique_ptr<Strategy> make_strategy(space::Space const& space);

}  // namespace pimdse::dse::strategy
