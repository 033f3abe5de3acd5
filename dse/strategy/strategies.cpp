#include "dse/strategy/strategies.hpp"

#include "dse/space/space.hpp"
#include "dse/strategy/ladder_search.hpp"
#include "dse/strategy/random.hpp"
#include "dse/strategy/sweep.hpp"
#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <array>

namespace pimdse::dse::strategy {

std::span<StrategyName const> strategies() {
    static constexpr std::array table{
        StrategyName{"sweep", "every point in the order of ids, up to the budget", &make_sweep},
        StrategyName{"random", "distinct points in an order that the seed decides, up to the budget", &make_random},
        StrategyName{"sobol", "a low-discrepancy sample", nullptr},
        StrategyName{"lhs", "a Latin hypercube sample", nullptr},
        StrategyName{"nsga2", "a genetic search towards the front", nullptr},
        StrategyName{"ladder",
                     "the exact front of the cycle level: bounds everywhere, cycle level where they leave it open",
                     &make_ladder, models::Fidelity::cycle},
    };
    return table;
}

void check_strategy(std::string_view name) {
    std::vector<std::string> built;
    bool known = false;
    for (auto const& strategy : strategies()) {
        if (strategy.make != nullptr) built.emplace_back(strategy.name);
        known = known || strategy.name == name;
        if (strategy.name == name && strategy.make != nullptr) return;
    }
    throw sim::InputError(known
                              ? fmt::format("strategy '{}' is not built yet (built: {})", name, fmt::join(built, ", "))
                              : fmt::format("unknown strategy '{}'.{}", name, sim::suggestion(name, built)));
}

models::Fidelity final_fidelity(space::SearchSettings const& search) {
    for (auto const& strategy : strategies()) {
        if (strategy.name == search.strategy) return strategy.ends_at.value_or(search.fidelity);
    }
    return search.fidelity;
}

std::unique_ptr<Strategy> make_strategy(space::Space const& space) {
    check_strategy(space.search().strategy);
    if (space.search().keep == space::Keep::front && space.search().strategy != "sweep") {
        throw sim::InputError(
            fmt::format("strategy '{}' does not go with keeping fronts only, whose blocks are runs of ids. Use "
                        "strategy 'sweep', or keep 'all'?",
                        space.search().strategy));
    }
    for (auto const& strategy : strategies()) {
        if (strategy.name == space.search().strategy) return strategy.make(space);
    }
    throw sim::InputError(fmt::format("unknown strategy '{}'", space.search().strategy));
}

}  // namespace pimdse::dse::strategy
