#include "dse/space/search_settings.hpp"

#include "dse/space/search_names.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <array>
#include <vector>

namespace pimdse::dse::space {

std::span<StrategyName const> strategies() {
    static constexpr std::array table{
        StrategyName{"sweep",
                     "every point (with a budget: the first ones), in an order that covers the whole space at any time",
                     "complete results"},
        StrategyName{"random", "distinct points in a random order that depends on the seed, up to the budget",
                     "an unbiased sample of a large space"},
        StrategyName{"sobol", "distinct points that fill the space evenly, up to the budget",
                     "screening with few points: which parameters matter, how widely results scatter"},
        StrategyName{"best",
                     "every point that may be the best of its machine in one objective, the most promising first",
                     "services: the best design of each machine, and none that is better"},
        StrategyName{
            "ladder",
            "exact multi-fidelity branch and bound: bounds for every point, cycle level where bounds do not decide",
            "the exact front of the cycle level, and a certificate", models::Fidelity::cycle},
        StrategyName{"nsga2", "a genetic search towards the front (NSGA-II), up to the budget",
                     "a good front of a space too large to list; a common reference for comparisons"},
        StrategyName{"pls",
                     "Pareto local search: neighbours of the front to a local optimum, then restarts up to the budget",
                     "orderings and other huge discrete spaces whose neighbours have similar results"},
    };
    return table;
}

void check_strategy(std::string_view name) {
    std::vector<std::string> known;
    for (auto const& strategy : strategies()) {
        if (strategy.name == name) return;
        known.emplace_back(strategy.name);
    }
    static constexpr std::array<Synonym, 9> synonyms{{{"lhs", "sobol"},
                                                      {"latin", "sobol"},
                                                      {"latin_hypercube", "sobol"},
                                                      {"halton", "sobol"},
                                                      {"grid", "sweep"},
                                                      {"exhaustive", "sweep"},
                                                      {"montecarlo", "random"},
                                                      {"genetic", "nsga2"},
                                                      {"exact", "ladder"}}};
    throw sim::InputError(fmt::format("unknown strategy '{}'.{}", name, suggestion_by_meaning(name, known, synonyms)));
}

models::Fidelity final_fidelity(SearchSettings const& search) {
    for (auto const& strategy : strategies()) {
        if (strategy.name == search.strategy) return strategy.ends_at.value_or(search.fidelity);
    }
    return search.fidelity;
}

void check_epsilon(double epsilon) {
    if (epsilon >= 0.0 && epsilon < 1.0) return;
    throw sim::InputError(
        fmt::format("epsilon must be a share from 0 to less than 1, where 0.02 is 2 % (got {})", epsilon));
}

void check_bounds_settings(SearchSettings const& search) {
    if (search.strategy == "ladder" || (search.epsilon == 0.0 && search.audit == 0)) return;
    throw sim::InputError(
        fmt::format("{} only goes with strategy 'ladder', which prunes points by bounds, and not with '{}'. Leave it "
                    "out, or use 'ladder'?",
                    search.epsilon != 0.0 ? "epsilon" : "audit", search.strategy));
}

void check_keep(SearchSettings const& search) {
    if (search.keep != Keep::front || search.strategy == "sweep") return;
    throw sim::InputError(fmt::format(
        "strategy '{}' does not support keeping fronts only, because they are kept per block of consecutive ids. Use "
        "strategy 'sweep', or keep 'all'?",
        search.strategy));
}

}  // namespace pimdse::dse::space
