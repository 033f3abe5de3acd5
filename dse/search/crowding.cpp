#include "dse/search/crowding.hpp"

#include "sim/base/check.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pimdse::dse::search {
namespace {

using Members = std::vector<std::size_t>;

/// Adds the crowding distances of one front in one objective; the outer members have infinite distance.
void add_distances(std::span<std::size_t> members, std::span<ObjectiveValues const> population, std::size_t objective,
                   std::vector<Fitness>& into) {
    auto const value = [&](std::size_t member) { return population[member].values[objective]; };
    std::ranges::stable_sort(members, {}, value);
    double const range = value(members.back()) - value(members.front());
    into[members.front()].distance = into[members.back()].distance = std::numeric_limits<double>::infinity();
    if (!(range > 0.0) || std::isinf(range)) return;
    for (std::size_t i = 1; i + 1 < members.size(); ++i)
        into[members[i]].distance += (value(members[i + 1]) - value(members[i - 1])) / range;
}

}  // namespace

std::vector<Fitness> fitness_of(std::span<ObjectiveValues const> population, std::size_t objectives) {
    std::vector<Fitness> fitness(population.size());
    Members members;
    std::vector<double> values;
    for (std::size_t i = 0; i < population.size(); ++i) {
        if (!population[i].feasible) {
            fitness[i].distance = -population[i].violation;
            continue;
        }
        members.push_back(i);
        values.insert(values.end(), population[i].values.begin(),
                      population[i].values.begin() + static_cast<std::ptrdiff_t>(objectives));
    }
    auto const ranks = search::front_ranks(values, objectives);
    for (std::size_t i = 0; i < members.size(); ++i) fitness[members[i]].rank = ranks[i];
    std::ranges::stable_sort(members, {}, [&](std::size_t member) { return fitness[member].rank; });
    for (auto first = members.begin(); first != members.end();) {
        auto const last =
            std::find_if(first, members.end(), [&](auto m) { return fitness[m].rank != fitness[*first].rank; });
        for (std::size_t i = 0; i < objectives; ++i) add_distances({first, last}, population, i, fitness);
        first = last;
    }
    return fitness;
}

/// Pairwise: for a population of 100 this takes up to half longer than methods that scale better (Jensen, 2003). In
/// lexicographic order only an earlier vector can dominate a later one.
std::vector<std::uint32_t> front_ranks(std::span<double const> points, std::size_t objectives) {
    sim::expects(objectives >= 1 && points.size() % objectives == 0, "one value per objective");
    auto const vector = [&](std::size_t i) { return points.subspan(i * objectives, objectives); };
    std::vector<std::size_t> order(points.size() / objectives);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
        return std::ranges::lexicographical_compare(vector(a), vector(b));
    });
    std::vector<std::uint32_t> ranks(order.size(), 0);
    for (auto later = order.begin(); later != order.end(); ++later) {
        auto const worse = vector(*later);
        auto& rank = ranks[*later];
        for (auto earlier = order.begin(); earlier != later; ++earlier) {
            if (ranks[*earlier] < rank) continue;
            auto const better = vector(*earlier);
            std::size_t i = 1;  // the first objective follows from the order
            while (i < objectives && better[i] <= worse[i]) ++i;
            if (i == objectives && !std::ranges::equal(better, worse)) rank = ranks[*earlier] + 1;
        }
    }
    return ranks;
}

}  // namespace pimdse::dse::search
