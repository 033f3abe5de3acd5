#include "models/contract/validation.hpp"
#include "tests/unit/models/dplena/support.hpp"

#include <benchmark/benchmark.h>

namespace {

using namespace pimdse::models;
using support::architecture, support::inputs;

std::vector<Value> with(std::string const& name, std::string const& text) {
    auto parameters = inputs().parameters;
    return point_with(parameters, {{name, text}});
}

void evaluate(benchmark::State& state, std::vector<Value> const& point, Fidelity fidelity) {
    benchmark::DoNotOptimize(architecture().evaluate(inputs(), point, fidelity));
    for (auto _ : state) benchmark::DoNotOptimize(architecture().evaluate(inputs(), point, fidelity));
    state.SetItemsProcessed(state.iterations());
}

void table_three_cycle(benchmark::State& state) { evaluate(state, with("vlen", "2048"), Fidelity::cycle); }
void table_three_analytic(benchmark::State& state) { evaluate(state, with("vlen", "2048"), Fidelity::analytic); }

BENCHMARK(table_three_cycle)->Unit(benchmark::kMillisecond);
BENCHMARK(table_three_analytic);

}  // namespace
