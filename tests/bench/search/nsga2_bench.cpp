// NSGA-II on problems whose best hypervolume is known: the share of it that all results reach together, median of
// eleven seeds, beside pagmo's NSGA-II at an equal budget and population where pagmo is installed. bench_nsga2 [BUDGET
// [SEEDS]]
#include "dse/search/hypervolume.hpp"
#include "dse/search/nsga2.hpp"
#include "tests/unit/dse/search/problems.hpp"
#include "tests/unit/dse/search/reached.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#ifdef PIMDSE_PAGMO
#include <memory>
#include <pagmo/algorithm.hpp>
#include <pagmo/algorithms/nsga2.hpp>
#include <pagmo/population.hpp>
#include <pagmo/problem.hpp>
#include <pagmo/problems/dtlz.hpp>
#include <pagmo/problems/zdt.hpp>
#endif

namespace {

using namespace pimdse::dse;
using search::testing::Problem;

struct Outcome {
    double share = 0.0, seconds = 0.0;  ///< medians; of the best hypervolume, of the clock
};

double median(std::vector<double> numbers) {
    std::ranges::sort(numbers);
    return numbers[numbers.size() / 2];
}

template <class Share>
Outcome median_of(std::uint64_t seeds, Share const& share) {
    std::vector<double> shares, seconds;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        auto const begun = std::chrono::steady_clock::now();
        shares.push_back(share(seed));
        seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count());
    }
    return {median(shares), median(seconds)};
}

Outcome ours(Problem const& problem, std::uint64_t budget, std::uint64_t seeds) {
    return median_of(seeds, [&](std::uint64_t seed) {
        return reached(problem, search::Nsga2(problem.genomes, {problem.objectives, seed}), budget);
    });
}

#ifdef PIMDSE_PAGMO
/// A problem of pagmo that keeps all that was evaluated.
struct Recorded {
    pagmo::problem inner;
    std::shared_ptr<std::vector<double>> results = std::make_shared<std::vector<double>>();
    pagmo::vector_double fitness(pagmo::vector_double const& x) const {
        auto values = inner.fitness(x);
        results->insert(results->end(), values.begin(), values.end());
        return values;
    }
    std::pair<pagmo::vector_double, pagmo::vector_double> get_bounds() const { return inner.get_bounds(); }
    pagmo::vector_double::size_type get_nobj() const { return inner.get_nobj(); }
};

pagmo::problem peer_of(std::string const& name) {
    if (name == "ZDT1") return pagmo::problem{pagmo::zdt(1, 30)};
    if (name == "ZDT2") return pagmo::problem{pagmo::zdt(2, 30)};
    return name == "DTLZ1" ? pagmo::problem{pagmo::dtlz(1, 7, 3)} : pagmo::problem{pagmo::dtlz(2, 12, 3)};
}

/// A population of 100 as ours, and variables that are not divided into levels. `like_ours`: crossover, mutation and
/// their distributions as ours are; else as pagmo has them unless told.
Outcome theirs(Problem const& problem, std::uint64_t budget, std::uint64_t seeds, bool like_ours) {
    constexpr unsigned population = 100;
    double const one_variable = 1.0 / static_cast<double>(peer_of(problem.name).get_nx());
    auto const generations = static_cast<unsigned>(budget / population) - 1;
    return median_of(seeds, [&](std::uint64_t seed) {
        Recorded const recorded{peer_of(problem.name)};
        auto const results = recorded.results;
        pagmo::population people(recorded, population, static_cast<unsigned>(seed));
        auto const number = static_cast<unsigned>(seed);
        pagmo::algorithm const search{like_ours ? pagmo::nsga2(generations, 0.9, 15.0, one_variable, 15.0, number)
                                                : pagmo::nsga2(generations, 0.95, 10.0, 0.01, 50.0, number)};
        search.evolve(std::move(people));
        return search::hypervolume(*results, problem.reference) / problem.best;
    });
}
#endif

}  // namespace

int main(int count, char** words) {
    std::uint64_t const budget = count > 1 ? std::strtoull(words[1], nullptr, 10) : 25'000;
    std::uint64_t const seeds = count > 2 ? std::strtoull(words[2], nullptr, 10) : 11;
    fmt::print("{} results, median of {} seeds: share of the best hypervolume, seconds\n", budget, seeds);
    for (auto const& problem :
         {search::testing::zdt1(), search::testing::zdt2(), search::testing::dtlz1(), search::testing::dtlz2()}) {
        auto const mine = ours(problem, budget, seeds);
        fmt::print("{:6} pimdse {:8.4f} % {:6.2f} s", problem.name, 100.0 * mine.share, mine.seconds);
#ifdef PIMDSE_PAGMO
        for (bool const like_ours : {false, true}) {
            auto const peer = theirs(problem, budget, seeds, like_ours);
            fmt::print("   pagmo{} {:8.4f} % {:6.2f} s", like_ours ? ", operators as ours" : "", 100.0 * peer.share,
                       peer.seconds);
        }
#endif
        fmt::print("\n");
    }
    return 0;
}
