#pragma once

#include "tests/unit/dse/search/problems.hpp"

#include <algorithm>
#include <deque>

namespace pimdse::dse::search::testing {

/// The share of the best hypervolume that all results of a search reach together, with `lag` points under way.
template <class Search>
double reached(Problem const& problem, Search search, std::uint64_t budget, std::size_t lag = 64) {
    std::deque<CodedPoint> in_flight;
    std::vector<double> values;
    for (std::uint64_t requested = 0; true;) {
        while (in_flight.size() < lag && requested < budget) {
            auto point = search.ask();
            if (!point) break;
            in_flight.push_back(std::move(*point));
            ++requested;
        }
        if (in_flight.empty()) break;
        auto const merit = problem.merit(in_flight.front());
        values.insert(values.end(), merit.values.begin(),
                      merit.values.begin() + static_cast<std::ptrdiff_t>(problem.objectives));
        search.tell(in_flight.front(), merit);
        in_flight.pop_front();
    }
    return search::hypervolume(values, problem.reference) / problem.best;
}

template <class Search>
double median_reached(Problem const& problem, std::uint64_t budget, std::uint64_t seeds) {
    std::vector<double> shares;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed)
        shares.push_back(reached(problem, Search(problem.genomes, {problem.objectives, seed}), budget));
    std::ranges::sort(shares);
    return shares[shares.size() / 2];
}

}  // namespace pimdse::dse::search::testing
