#!/usr/bin/env bash
# Google benchmark 1.7.1: a kernel whose stated time is proportional to its size has the complexity 1.
#
# Guess: times of 10 us + 1 ns n that a benchmark states itself are O(N).
# Seen:  not even times of 1 us n are. The kind of growth is fitted to the CPU time, also where UseManualTime() says
#        that another is meant, and then only the factor to that; what a host spends on a launch does not depend on n.
#        The root mean square of the error is 142 percent. With Complexity(oN) the factor is right.
# Who:   times of accelerators or simulators that a benchmark reports by SetIterationTime().
# Why right to expect: the time that is shown in the table, and that decides how often to repeat, is the manual one.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs g++
debian libbenchmark-dev=1.7.1-1 libbenchmark1debian=1.7.1-1

cat >kernel.cc <<'CPP'
#include <benchmark/benchmark.h>
namespace {
void kernel(benchmark::State& state) {
    for (auto _ : state) {
        for (int step = 0; step < 100000; ++step) benchmark::DoNotOptimize(step);
        state.SetIterationTime(1e-6 * static_cast<double>(state.range(0)));
    }
    state.SetComplexityN(state.range(0));
}
}  // namespace
BENCHMARK(kernel)->RangeMultiplier(4)->Range(16, 4096)->UseManualTime()->Iterations(20)->Complexity();
BENCHMARK(kernel)->Name("stated")->Range(16, 4096)->UseManualTime()->Iterations(20)->Complexity(benchmark::oN);
BENCHMARK_MAIN();
CPP
g++ -O1 -Iunpacked/usr/include kernel.cc -o kernel -Lunpacked/usr/lib/x86_64-linux-gnu -lbenchmark -lpthread
seen=$(./kernel 2>/dev/null | sed -nE 's|/iterations:20/manual_time||; s/ +/ /g
    s/^((kernel|stated)(_BigO [^ ]+ [^ ]+|_RMS [^ ]+ %|[^ ]* [^ ]+ ns)).*/\1/p')
same "$seen" <<'EXPECTED'
kernel/16 16000 ns
kernel/64 64000 ns
kernel/256 256000 ns
kernel/1024 1024000 ns
kernel/4096 4096000 ns
kernel_BigO 1091200.00 (1)
kernel_RMS 142 %
stated/16 16000 ns
stated/64 64000 ns
stated/512 512000 ns
stated/4096 4096000 ns
stated_BigO 1000.00 N
stated_RMS 0 %
EXPECTED
