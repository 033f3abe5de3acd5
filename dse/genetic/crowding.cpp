#include "dse/genetic/crowding.hpp"

#include "dse/front/front_ranks.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::dse::genetic {
namespace {

using Members = std::vector<std::size_t>;

/// Members of one front, by one objective: the outer ones are as lonely as can be.
void add_distances(std::span<std::size_t> members, std::span<Merit const> merits, std::size_t objective,
                   std::vector<Fitness>& into) {
    auto const value = [&](std::size_t member) { return merits[member].values[objective]; };
    std::ranges::stable_sort(members, {}, value);
    double const range = value(members.back()) - value(members.front());
    into[members.front()].distance = into[members.back()].distance = std::numeric_limits<double>::infinity();
    if (!(range > 0.0) || std::isinf(range)) return;
    for (std::size_t i = 1; i + 1 < members.size(); ++i)
        into[members[i]].distance += (value(members[i + 1]) - value(members[i - 1])) / range;
}

}  // namespace

std::vector<Fitness> fitness_of(std::span<Merit const> merits, std::size_t objectives) {
    std::vector<Fitness> fitness(merits.size());
    Members members;
    std::vector<double> values;
    for (std::size_t i = 0; i < merits.size(); ++i) {
        if (!merits[i].feasible) continue;
        members.push_back(i);
        values.insert(values.end(), merits[i].values.begin(),
                      merits[i].values.begin() + static_cast<std::ptrdiff_t>(objectives));
    }
    auto const ranks = front::front_ranks(values, objectives);
    for (std::size_t i = 0; i < members.size(); ++i) fitness[members[i]].rank = ranks[i];
    std::ranges::stable_sort(members, {}, [&](std::size_t member) { return fitness[member].rank; });
    for (auto first = members.begin(); first != members.end();) {
        auto const last =
            std::find_if(first, members.end(), [&](auto m) { return fitness[m].rank != fitness[*first].rank; });
        for (std::size_t i = 0; i < objectives; ++i) add_distances({first, last}, merits, i, fitness);
        first = last;
    }
    return fitness;
}

}  // namespace pimdse::dse::genetic
