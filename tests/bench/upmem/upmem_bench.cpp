#include "models/contract/validation.hpp"
#include "models/upmem/cycle.hpp"
#include "models/upmem/parameters.hpp"
#include "models/upmem/plan.hpp"
#include "models/upmem/upmem.hpp"

#include <benchmark/benchmark.h>

namespace {

using namespace pimdse::models;
using namespace pimdse::models::upmem;

Inputs const& inputs() {
    static Inputs const made = pimdse::models::prepare(architecture(), architecture().parameters());
    return made;
}

std::vector<Value> point_of(char const* kernel, int tasklets, std::int64_t elements, int block, char const* preset) {
    auto parameters = inputs().parameters;
    return point_with(parameters, {{"kernel", kernel},
                                   {"tasklets", std::to_string(tasklets)},
                                   {"elements", std::to_string(elements)},
                                   {"dma_block", std::to_string(block)},
                                   {"preset", preset}});
}

/// DPU cycles per second of one listing; the targets are 20 million where tasklets wait and 5 million on full
/// pipelines.
void dpu_cycles(benchmark::State& state, char const* kernel, int tasklets, std::int64_t elements, int block = 1024,
                char const* preset = "upimulator-go") {
    auto const& p = inputs().as<Prepared>();
    auto const point = point_of(kernel, tasklets, elements, block, preset);
    Design const d = read_design(p, point);
    Plan const work = plan(p, d);
    std::int64_t cycles = 0;
    for (auto _ : state) cycles += simulate(p, d, work.launches.front().task).counters.cycles;
    state.counters["DPU cycles/s"] = benchmark::Counter(static_cast<double>(cycles), benchmark::Counter::kIsRate);
}

void evaluate_point(benchmark::State& state, Fidelity fidelity) {
    auto const point = point_of("va", 16, 4194304, 1024, "hardware");
    auto const row = architecture();
    for (auto _ : state) benchmark::DoNotOptimize(row.evaluate(inputs(), point, fidelity));
    state.SetItemsProcessed(state.iterations());
}

BENCHMARK_CAPTURE(dpu_cycles, waiting_dmat_2048, "dmat", 16, 32 * 16 * 256, 2048)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(dpu_cycles, waiting_dmat_64, "dmat", 16, 32 * 16 * 8, 64)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(dpu_cycles, waiting_bslike_16, "bslike", 16, 128)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(dpu_cycles, waiting_va_1, "va", 1, 65536)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(dpu_cycles, full_aluhaz_16, "aluhaz", 16, 16000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(dpu_cycles, full_red_16, "red", 16, 16384)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(dpu_cycles, full_gemv_16, "gemv-rows", 16, 64)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(dpu_cycles, full_va_16, "va", 16, 65536)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(dpu_cycles, full_va_16_repaired_clock, "va", 16, 65536, 1024, "upimulator-cpp")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(dpu_cycles, made_va_16_hardware, "va", 16, 4194304, 1024, "hardware")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(evaluate_point, analytic, Fidelity::analytic)->Unit(benchmark::kMicrosecond);

}  // namespace
