#include "dse/search/result_store.hpp"
#include "dse/store/journal.hpp"
#include "dse/store/result_file.hpp"
#include "dse/store/result_writer.hpp"

#include <benchmark/benchmark.h>
#include <unistd.h>
#include <algorithm>
#include <filesystem>
#include <random>
#include <vector>

namespace pimdse::dse::store {
namespace {

constexpr std::size_t metrics = 16;
constexpr std::uint64_t million = 1000000;

space::Columns columns() {
    space::Columns made;
    made.architecture = "bench";
    made.canonical_text = "{}";
    for (std::size_t m = 0; m < metrics; ++m)
        made.metrics.push_back({"metric" + std::to_string(m), "s", "", models::Sense::minimize, false});
    for (std::size_t p = 0; p < 20; ++p) {
        models::Parameter parameter;
        parameter.name = "parameter" + std::to_string(p);
        made.parameters.push_back(parameter);
    }
    made.objectives = {{0, models::Sense::minimize}, {1, models::Sense::minimize}, {2, models::Sense::minimize}};
    made.decode = [](space::PointId id, std::vector<models::Value>& into) {
        into.clear();
        std::uint64_t rest = index_of(id);
        for (int p = 0; p < 20; ++p, rest /= 3)
            into.push_back(models::Value::integer(static_cast<std::int64_t>(rest % 3)));
    };
    return made;
}

/// Sixteen metrics, one of them with a range: about 190 bytes in the journal.
space::Result result(std::uint64_t id) {
    models::Metrics values;
    for (std::size_t m = 0; m < metrics; ++m)
        values.push_back(
            models::Estimate::exact(1.0 / (1.0 + static_cast<double>((id * 2654435761U * (m + 3)) % 1000003))));
    values[0] =
        models::Estimate::within(values[0].value, 0.9 * values[0].value, 1.1 * values[0].value, models::Bound::proved);
    return {{space::PointId{id}, models::Fidelity::analytic}, std::move(values), 1e-6, 1};
}

std::vector<space::Result> results(std::uint64_t count) {
    std::vector<space::Result> all;
    for (std::uint64_t id = 0; id < count; ++id) all.push_back(result(id));
    return all;
}

std::filesystem::path place(char const* name) {
    return std::filesystem::temp_directory_path() / ("pimdse-bench-" + std::to_string(::getpid()) + name);
}

/// range(0) results per batch; every one durable when the time is taken.
void durable_records(benchmark::State& state) {
    auto const all = results(200000);
    auto const batch = static_cast<std::size_t>(state.range(0));
    auto const path = place(".journal");
    for (auto _ : state) {
        auto journal = store::journal::Journal::create(path, store::journal::JournalHeader::of(columns()),
                                                       store::journal::Existing::replace);
        for (std::size_t at = 0; at < all.size(); at += batch)
            journal.append(std::span(all).subspan(at, std::min(batch, all.size() - at)));
        journal.commit();
        state.counters["bytes"] =
            static_cast<double>(std::filesystem::file_size(path)) / static_cast<double>(all.size());
    }
    std::filesystem::remove(path);
    state.SetItemsProcessed(static_cast<std::int64_t>(all.size()) * state.iterations());
}
BENCHMARK(durable_records)
    ->Arg(1)
    ->Arg(16)
    ->Arg(256)
    ->Arg(4096)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->MinTime(1.0);

/// From a journal on disk to a store that knows every result.
void recover_a_million(benchmark::State& state) {
    auto const path = place(".journal");
    store::journal::Journal::create(path, store::journal::JournalHeader::of(columns())).append(results(million));
    for (auto _ : state) {
        search::ResultStore store(metrics);
        auto const journal = store::journal::Journal::resume(path, store::journal::JournalHeader::of(columns()),
                                                             {[&](space::Result&& a) { store.insert(a); }, {}, {}});
        if (store.size() != million) state.SkipWithError("answers are missing");
    }
    std::filesystem::remove(path);
    state.SetItemsProcessed(static_cast<std::int64_t>(million) * state.iterations());
}
BENCHMARK(recover_a_million)->Unit(benchmark::kMillisecond)->UseRealTime();

/// Rows come in order (range(0) = 0) or in none.
void keep_results(benchmark::State& state) {
    auto all = results(million);
    if (state.range(0) != 0) std::shuffle(all.begin(), all.end(), std::mt19937(1));
    for (auto _ : state) {
        search::ResultStore store(metrics);
        for (std::size_t at = 0; at < all.size(); at += 1000) store.insert(std::span(all).subspan(at, 1000));
        state.counters["bytes"] = static_cast<double>(store.bytes()) / static_cast<double>(store.size());
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(million) * state.iterations());
}
BENCHMARK(keep_results)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond)->Iterations(3);

void seal_points(benchmark::State& state) {
    search::ResultStore store(metrics);
    for (std::uint64_t id = 0; id < static_cast<std::uint64_t>(state.range(0)); ++id) store.insert(result(id));
    auto const path = place(".h5");
    for (auto _ : state) store::seal(path, columns(), store, {});
    state.counters["bytes"] = static_cast<double>(std::filesystem::file_size(path)) / static_cast<double>(store.size());
    std::filesystem::remove(path);
    state.SetItemsProcessed(state.range(0) * state.iterations());
}
BENCHMARK(seal_points)->Arg(1000)->Arg(100000)->Arg(1000000)->Unit(benchmark::kMillisecond)->UseRealTime();

void load_points(benchmark::State& state) {
    search::ResultStore store(metrics);
    for (std::uint64_t id = 0; id < 100000; ++id) store.insert(result(id));
    auto const path = place(".h5");
    store::seal(path, columns(), store, {});
    for (auto _ : state) benchmark::DoNotOptimize(store::load_result_file(path));
    std::filesystem::remove(path);
    state.SetItemsProcessed(100000 * state.iterations());
}
BENCHMARK(load_points)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace pimdse::dse::store
