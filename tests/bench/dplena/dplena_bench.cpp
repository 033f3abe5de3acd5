#include "models/contract/validation.hpp"
#include "models/dplena/dplena.hpp"

#include <benchmark/benchmark.h>

namespace {

using namespace pimdse::models;

Inputs const& inputs() {
    static Inputs const made = prepare(dplena::architecture(), dplena::architecture().parameters());
    return made;
}

std::vector<Value> with(std::string const& name, std::string const& text) {
    auto parameters = inputs().parameters;
    return point_with(parameters, {{name, text}});
}

void evaluate(benchmark::State& state, std::vector<Value> const& point, Fidelity fidelity) {
    auto const architecture = dplena::architecture();
    benchmark::DoNotOptimize(architecture.evaluate(inputs(), point, fidelity));
    for (auto _ : state) benchmark::DoNotOptimize(architecture.evaluate(inputs(), point, fidelity));
    state.SetItemsProcessed(state.iterations());
}

void table_three_cycle(benchmark::State& state) { evaluate(state, with("vlen", "2048"), Fidelity::cycle); }
void table_three_analytic(benchmark::State& state) { evaluate(state, with("vlen", "2048"), Fidelity::analytic); }

/// Points of a sweep whose prefetch times are known: batch, block length and chunk vary, the HBM's streams do not.
void calibrated_hybrid(benchmark::State& state) {
    auto const architecture = dplena::architecture();
    std::vector<std::vector<Value>> points;
    for (std::int64_t batch = 1; batch <= 64; ++batch) {
        auto point = with("block_length", "64");
        point[static_cast<std::size_t>(find_parameter(inputs().parameters, "batch"))] = Value::integer(batch);
        points.push_back(point);
    }
    for (auto const& point : points) benchmark::DoNotOptimize(architecture.evaluate(inputs(), point, Fidelity::hybrid));
    std::size_t at = 0;
    for (auto _ : state)
        benchmark::DoNotOptimize(architecture.evaluate(inputs(), points[at++ % points.size()], Fidelity::hybrid));
    state.SetItemsProcessed(state.iterations());
}

void calibrated_hybrid_overlapped(benchmark::State& state) {
    evaluate(state, with("overlap", "dual_issue"), Fidelity::hybrid);
}

BENCHMARK(calibrated_hybrid);
BENCHMARK(calibrated_hybrid_overlapped);
BENCHMARK(table_three_cycle)->Unit(benchmark::kMillisecond);
BENCHMARK(table_three_analytic);

}  // namespace
