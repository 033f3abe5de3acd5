#include "sim/noc/open_loop.hpp"
#include "sim/noc/phase.hpp"

#include <benchmark/benchmark.h>
#include <numeric>

/// Router cycles per CPU second on one core: cycles simulated times routers, idle ones included, as the reference
/// simulator counts.
namespace {

using namespace pimdse::sim;

void uniform(benchmark::State& state) {
    noc::OpenLoop request;
    request.mesh = {static_cast<std::int32_t>(state.range(0)), static_cast<std::int32_t>(state.range(0))};
    request.packet_flits = static_cast<std::int32_t>(state.range(1));
    request.load = static_cast<double>(state.range(2)) / 1000.0;
    request.measured = 100'000;
    request.patience = 0;
    double cycles = 0.0;
    for (auto _ : state) {
        auto const result = noc::run(request);
        benchmark::DoNotOptimize(result.latency);
        cycles += static_cast<double>(result.cycles) * request.mesh.nodes();
    }
    state.counters["router_cycles"] = benchmark::Counter(cycles, benchmark::Counter::kIsRate);
}

/// Side, flits of a packet, load in thousandths of a flit per node and cycle: from idle to half, three quarters and
/// beyond saturation.
BENCHMARK(uniform)
    ->Args({8, 1, 2})
    ->Args({8, 1, 100})
    ->Args({8, 1, 150})
    ->Args({8, 4, 100})
    ->Args({8, 4, 150})
    ->Args({8, 4, 225})
    ->Args({8, 4, 350})
    ->Args({8, 32, 100})
    ->Args({8, 32, 200})
    ->Args({8, 32, 300})
    ->Args({16, 4, 100})
    ->Args({32, 4, 50})
    ->Unit(benchmark::kMillisecond);

/// A broadcast and a reduction over all routers of one compute tile.
void tile_collectives(benchmark::State& state) {
    noc::Mesh const mesh{32, 32};
    std::vector<noc::Node> all(1024);
    std::iota(all.begin(), all.end(), 0);
    auto const tree = noc::Tree::xy(mesh, mesh.at(16, 16), all);
    double flits = 0.0;
    for (auto _ : state) {
        for (noc::PhaseMessage const& message :
             {noc::PhaseMessage{noc::Broadcast{tree, 32}}, noc::PhaseMessage{noc::Reduction{tree, 32}}}) {
            flits += static_cast<double>(noc::simulate(mesh, {}, {{message}, 8}).flit_hops);
        }
    }
    state.counters["flit_hops"] = benchmark::Counter(flits, benchmark::Counter::kIsRate);
}
BENCHMARK(tile_collectives)->Unit(benchmark::kMillisecond);

}  // namespace
