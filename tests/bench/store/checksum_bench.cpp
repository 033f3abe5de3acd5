#include "sim/base/digest.hpp"

#include <benchmark/benchmark.h>
#include <zlib.h>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pimdse::dse::store {
namespace {

/// The sum of so many bytes, over and over: 145 bytes are a record of a journal.
template <auto sum>
void checksum(benchmark::State& state) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(state.range(0)));
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 131 + i / 7);
    for (auto _ : state) {
        benchmark::DoNotOptimize(bytes.data());
        benchmark::DoNotOptimize(sum(bytes));
    }
    state.SetBytesProcessed(state.iterations() * state.range(0));
}

std::uint32_t by_zlib(std::span<std::byte const> bytes) {
    return static_cast<std::uint32_t>(::crc32_z(0, reinterpret_cast<Bytef const*>(bytes.data()), bytes.size()));
}

BENCHMARK(checksum<sim::crc32>)->Name("checksum")->Arg(40)->Arg(145)->Arg(4096)->Arg(1 << 20);
BENCHMARK(checksum<by_zlib>)->Name("checksum_by_zlib")->Arg(40)->Arg(145)->Arg(4096)->Arg(1 << 20);

}  // namespace
}  // namespace pimdse::dse::store
