#include "dse/search/archive.hpp"
#include "dse/search/crowding.hpp"
#include "dse/search/front.hpp"
#include "dse/search/hypervolume.hpp"

#include <benchmark/benchmark.h>
#include <cmath>
#include <random>
#include <vector>

namespace pimdse::dse::search {
namespace {

/// Vectors near a concave front: the wider `depth`, the fewer of them stay on it.
std::vector<double> cloud(std::size_t count, std::size_t dimensions, double depth) {
    std::mt19937_64 random(1);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> away(1.0, 1.0 + depth);
    std::vector<double> points;
    std::vector<double> direction(dimensions);
    for (std::size_t k = 0; k < count; ++k) {
        double length = 0.0;
        for (auto& d : direction) length += std::pow(d = std::abs(normal(random)), 2);
        double const radius = away(random);
        for (double const d : direction) points.push_back(radius * d / std::sqrt(length));
    }
    return points;
}

/// A million insertions; range(0) objectives, fronts of some thousand members.
void insert_a_million(benchmark::State& state) {
    auto const dimensions = static_cast<std::size_t>(state.range(0));
    constexpr std::size_t count = 1000000;
    auto const points = cloud(count, dimensions, static_cast<double>(state.range(1)) / 1000.0);
    std::size_t members = 0;
    for (auto _ : state) {
        Archive archive(std::vector<models::Sense>(dimensions, models::Sense::minimize));
        for (std::size_t k = 0; k < count; ++k)
            archive.insert(space::PointId{k}, std::span(points).subspan(k * dimensions, dimensions));
        members = archive.size();
    }
    state.counters["members"] = static_cast<double>(members);
    state.SetItemsProcessed(static_cast<std::int64_t>(count) * state.iterations());
}
BENCHMARK(insert_a_million)
    ->Args({2, 1000})
    ->Args({3, 1000})
    ->Args({3, 30})
    ->Args({4, 1000})
    ->Args({6, 3000})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

void exact_hypervolume(benchmark::State& state) {
    auto const dimensions = static_cast<std::size_t>(state.range(0));
    auto const points = cloud(static_cast<std::size_t>(state.range(1)), dimensions, 0.0);
    std::vector<double> const reference(dimensions, 1.0);
    double volume = 0.0;
    for (auto _ : state) benchmark::DoNotOptimize(volume = hypervolume(points, reference));
    state.counters["volume"] = volume;
}
BENCHMARK(exact_hypervolume)
    ->Args({2, 10000})
    ->Args({3, 10000})
    ->Args({4, 1000})
    ->Args({4, 4000})
    ->Args({4, 10000})
    ->Args({5, 300})
    ->Args({5, 1000})
    ->Args({6, 100})
    ->Args({6, 300})
    ->Args({6, 1000})
    ->Unit(benchmark::kMillisecond);

/// range(0) objectives, range(1) vectors; all on one front (0) or within a cloud.
void rank_by_fronts(benchmark::State& state) {
    auto const dimensions = static_cast<std::size_t>(state.range(0));
    auto const points =
        cloud(static_cast<std::size_t>(state.range(1)), dimensions, static_cast<double>(state.range(2)));
    for (auto _ : state) benchmark::DoNotOptimize(front_ranks(points, dimensions));
}
BENCHMARK(rank_by_fronts)->ArgsProduct({{2, 3, 4, 6}, {100, 1000}, {0, 1}})->Unit(benchmark::kMillisecond);

/// Every result is a member, spread over all 128 rows of the history.
void history_of_members(benchmark::State& state) {
    auto const dimensions = static_cast<std::size_t>(state.range(0));
    auto const count = static_cast<std::size_t>(state.range(1));
    auto const points = cloud(count, dimensions, 0.0);
    std::vector<space::Objective> objectives;
    for (std::size_t m = 0; m < dimensions; ++m) objectives.push_back({m, models::Sense::maximize});
    search::ResultStore store(dimensions);
    for (std::size_t k = 0; k < count; ++k) {
        models::Metrics metrics;
        for (std::size_t m = 0; m < dimensions; ++m)
            metrics.push_back(models::Estimate::exact(points[k * dimensions + m]));
        store.insert({{space::PointId{k * 128 * space::BlockSummary::ids / count}, models::Fidelity::analytic},
                      std::move(metrics),
                      0.0,
                      0});
    }
    std::size_t members = 0;
    for (auto _ : state) members = front_history(store, objectives, models::Fidelity::analytic).front.size();
    state.counters["members"] = static_cast<double>(members);
}
BENCHMARK(history_of_members)
    ->Args({2, 10000})
    ->Args({2, 30000})
    ->Args({3, 10000})
    ->Args({3, 30000})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

}  // namespace
}  // namespace pimdse::dse::search
