#include "dse/space/search_settings.hpp"

#include "dse/space/search_names.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace pimdse::dse::space {

std::span<StrategyName const> strategies() {
    static constexpr std::array table{
        StrategyName{"sweep", "every point (with a budget the first ones); at any time from all over the space",
                     "the whole picture"},
        StrategyName{"random", "distinct points in an order that the seed decides, up to the budget",
                     "an unbiased sample of a large space"},
        StrategyName{"sobol", "distinct points that fill the space evenly, up to the budget",
                     "screening with few points: what matters, how wide answers scatter"},
        StrategyName{"ladder",
                     "the exact front of the cycle level: bounds everywhere, cycle level where they leave it open",
                     "the exact front of the cycle level, and a certificate", models::Fidelity::cycle},
        StrategyName{"nsga2", "a genetic search towards the front (NSGA-II), up to the budget",
                     "a good front of a space too large to list; what others compare with"},
        StrategyName{"pls",
                     "neighbours of the front so far, to a local optimum, and on from other points up to the budget",
                     "orders and other huge discrete spaces whose neighbours are alike"},
    };
    return table;
}

void check_strategy(std::string_view name) {
    std::vector<std::string> known;
    for (auto const& strategy : strategies()) {
        if (strategy.name == name) return;
        known.emplace_back(strategy.name);
    }
    static constexpr std::array<Synonym, 9> said{{{"lhs", "sobol"},
                                                  {"latin", "sobol"},
                                                  {"latin_hypercube", "sobol"},
                                                  {"halton", "sobol"},
                                                  {"grid", "sweep"},
                                                  {"exhaustive", "sweep"},
                                                  {"montecarlo", "random"},
                                                  {"genetic", "nsga2"},
                                                  {"exact", "ladder"}}};
    throw sim::InputError(fmt::format("unknown strategy '{}'.{}", name, suggestion_by_meaning(name, known, said)));
}

models::Fidelity final_fidelity(SearchSettings const& search) {
    for (auto const& strategy : strategies()) {
        if (strategy.name == search.strategy) return strategy.ends_at.value_or(search.fidelity);
    }
    return search.fidelity;
}

void check_epsilon(double epsilon) {
    if (epsilon >= 0.0 && epsilon < 1.0) return;
    throw sim::InputError(fmt::format("epsilon {} is no share from 0 to less than 1 (0.02 is 2 %)", epsilon));
}

void check_bounds_settings(SearchSettings const& search) {
    if (search.strategy == "ladder" || (search.epsilon == 0.0 && search.audit == 0)) return;
    throw sim::InputError(fmt::format(
        "{} goes with strategy 'ladder', which closes points by bounds, not with '{}'. Leave it out, or use 'ladder'?",
        search.epsilon != 0.0 ? "epsilon" : "audit", search.strategy));
}

void check_keep(SearchSettings const& search) {
    if (search.keep != Keep::front || search.strategy == "sweep") return;
    throw sim::InputError(
        fmt::format("strategy '{}' does not go with keeping fronts only, whose blocks are runs of ids. Use strategy "
                    "'sweep', or keep 'all'?",
                    search.strategy));
}

}  // namespace pimdse::dse::space
