#include "sim/dram/simulate.hpp"
#include "models/dram/dram_standard.hpp"
#include "sim/dram/mapping.hpp"
#include "sim/dram/stream.hpp"

#include <benchmark/benchmark.h>

/// Requests simulated per second (items_per_second), one thread.
namespace {

using namespace pimdse;
using namespace pimdse::sim::dram;

struct Setup {
    Setup(char const* name, char const* order, char const* spec)
        : standard(models::load_dram_standard(name)),
          mapping(parse_mapping(order, standard.organisation)),
          stream(parse_stream(spec, standard.organisation.burst_bytes)) {}
    Standard standard;
    Mapping mapping;
    Stream stream;
};

void replay(benchmark::State& state, char const* name, char const* order, char const* spec, FastForward fast_forward) {
    Setup const setup(name, order, spec);
    Options options;
    options.fast_forward = fast_forward;
    for (auto _ : state) benchmark::DoNotOptimize(simulate(setup.standard, setup.mapping, setup.stream, options));
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) *
                            static_cast<std::int64_t>(setup.stream.size()));
}

constexpr auto off = FastForward::off;
BENCHMARK_CAPTURE(replay, sequential_L5B_lowest_channel, "L5B", "RoBaRaCoCh", "seq:33554432", off)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay, sequential_L5B_umdam, "L5B", "umdam", "seq:33554432", off)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay, sequential_L5J_umdam, "L5J", "umdam", "seq:33554432", off)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay, sequential_L5J_conventional, "L5J", "conventional", "seq:33554432", off)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay, sequential_D4_2400, "D4_2400", "umdam", "seq:33554432", off)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay, sequential_HBM2, "HBM2_2000", "umdam", "seq:33554432", off)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay, sequential_writes_L5B, "L5B", "umdam", "seqw:33554432", off)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay, random_L5B, "L5B", "RoBaRaCoCh", "rand:524288:1073741824", off)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay, random_L5J_umdam, "L5J", "umdam", "rand:524288:1073741824", off)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay, random_D4_2400, "D4_2400", "umdam", "rand:524288:1073741824", off)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay, random_HBM2, "HBM2_2000", "umdam", "rand:524288:1073741824", off)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay, copy_L5J_umdam, "L5J", "umdam", "copy:8388608:268435456:0", off)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay, transpose_L5J_umdam, "L5J", "umdam", "copy:8388608:268435456:512", off)
    ->Unit(benchmark::kMillisecond);

/// 13.4 GB, the weights of a 6.7 B model: seconds for the whole stream.
void fast_forward(benchmark::State& state, char const* name, char const* order) {
    Standard const standard = models::load_dram_standard(name, 32);
    Mapping const mapping = parse_mapping(order, standard.organisation);
    Stream const stream = parse_stream("seq:13400000000", standard.organisation.burst_bytes);
    for (auto _ : state) benchmark::DoNotOptimize(simulate(standard, mapping, stream));
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(stream.size()));
}
BENCHMARK_CAPTURE(fast_forward, weights_L5J_umdam, "L5J", "umdam")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(fast_forward, weights_L5B_conventional, "L5B", "conventional")->Unit(benchmark::kMillisecond);

void decode(benchmark::State& state) {
    Setup const setup("L5J", "MOP4CLXOR", "rand:4096:1073741824");
    std::vector<Transaction> transactions(4096);
    setup.stream.fill(0, transactions);
    for (auto _ : state) {
        for (auto const& t : transactions) benchmark::DoNotOptimize(setup.mapping.place(t.address));
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * 4096);
}
BENCHMARK(decode);

}  // namespace
