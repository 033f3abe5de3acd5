#include "dse/strategy/strategies.hpp"

#include "dse/space/meant_name.hpp"
#include "dse/space/space.hpp"
#include "dse/strategy/coded_search.hpp"
#include "dse/strategy/ladder_search.hpp"
#include "dse/strategy/no_gain.hpp"
#include "dse/strategy/random.hpp"
#include "dse/strategy/sobol.hpp"
#include "dse/strategy/sweep.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <array>

namespace pimdse::dse::strategy {

std::span<StrategyName const> strategies() {
    static constexpr std::array table{
        StrategyName{"sweep", "every point (with a budget the first ones); at any time from all over the space",
                     "the whole picture", &make_sweep},
        StrategyName{"random", "distinct points in an order that the seed decides, up to the budget",
                     "an unbiased sample of a large space", &make_random},
        StrategyName{"sobol", "distinct points that fill the space evenly, up to the budget",
                     "screening with few points: what matters, how wide answers scatter", &make_sobol},
        StrategyName{"ladder",
                     "the exact front of the cycle level: bounds everywhere, cycle level where they leave it open",
                     "the exact front of the cycle level, and a certificate", &make_ladder, models::Fidelity::cycle},
        StrategyName{"nsga2", "a genetic search towards the front (NSGA-II), up to the budget",
                     "a good front of a space too large to list; what others compare with", &make_nsga2},
        StrategyName{"pls",
                     "neighbours of the front so far, to a local optimum, and on from other points up to the budget",
                     "orders and other huge discrete spaces whose neighbours are alike", &make_pls},
    };
    return table;
}

void check_strategy(std::string_view name) {
    std::vector<std::string> known;
    for (auto const& strategy : strategies()) {
        if (strategy.name == name) return;
        known.emplace_back(strategy.name);
    }
    static constexpr std::array<space::Synonym, 9> said{{{"lhs", "sobol"},
                                                         {"latin", "sobol"},
                                                         {"latin_hypercube", "sobol"},
                                                         {"halton", "sobol"},
                                                         {"grid", "sweep"},
                                                         {"exhaustive", "sweep"},
                                                         {"montecarlo", "random"},
                                                         {"genetic", "nsga2"},
                                                         {"exact", "ladder"}}};
    throw sim::InputError(
        fmt::format("unknown strategy '{}'.{}", name, space::suggestion_by_meaning(name, known, said)));
}

models::Fidelity final_fidelity(space::SearchSettings const& search) {
    for (auto const& strategy : strategies()) {
        if (strategy.name == search.strategy) return strategy.ends_at.value_or(search.fidelity);
    }
    return search.fidelity;
}

void check_epsilon(double epsilon) {
    if (epsilon >= 0.0 && epsilon < 1.0) return;
    throw sim::InputError(fmt::format("epsilon {} is no share from 0 to less than 1 (0.02 is 2 %)", epsilon));
}

void check_bounds_settings(space::SearchSettings const& search) {
    if (search.strategy == "ladder" || (search.epsilon == 0.0 && search.audit == 0)) return;
    throw sim::InputError(fmt::format(
        "{} goes with strategy 'ladder', which closes points by bounds, not with '{}'. Leave it out, or use 'ladder'?",
        search.epsilon != 0.0 ? "epsilon" : "audit", search.strategy));
}

void check_keep(space::SearchSettings const& search) {
    if (search.keep != space::Keep::front || search.strategy == "sweep") return;
    throw sim::InputError(
        fmt::format("strategy '{}' does not go with keeping fronts only, whose blocks are runs of ids. Use strategy "
                    "'sweep', or keep 'all'?",
                    search.strategy));
}

std::unique_ptr<Strategy> make_strategy(space::Space const& space) {
    check_strategy(space.search().strategy);
    check_epsilon(space.search().epsilon);
    check_bounds_settings(space.search());
    check_keep(space.search());
    for (auto const& strategy : strategies()) {
        if (strategy.name != space.search().strategy) continue;
        auto made = strategy.make(space);
        return space.search().stop_after_no_gain == 0 ? std::move(made) : stopping_without_gain(std::move(made), space);
    }
    throw sim::InputError(fmt::format("unknown strategy '{}'", space.search().strategy));
}

}  // namespace pimdse::dse::strategy
