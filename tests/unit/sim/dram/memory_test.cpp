#include "models/dram/dram_standard.hpp"
#include "sim/dram/mapping.hpp"
#include "sim/dram/simulate.hpp"
#include "sim/dram/stream.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<std::uint64_t> allocations{0}, allocated_bytes{0};

void* counted(std::size_t size) {
    ++allocations;
    allocated_bytes += size;
    if (void* memory = std::malloc(size)) return memory;
    throw std::bad_alloc{};
}
}  // namespace

void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace pimdse::sim::dram::test::memory_test {
namespace {

struct Use {
    std::uint64_t allocations, bytes;
};

Use use_of(Standard const& standard, Mapping const& mapping, std::string const& spec, Options const& options) {
    auto const stream = parse_stream(spec, standard.organisation.burst_bytes);
    std::uint64_t const before = allocations, bytes = allocated_bytes;
    (void)simulate(standard, mapping, stream, options);
    return {allocations - before, allocated_bytes - bytes};
}

struct Workload {
    char const *standard, *spec;  ///< {} stands for the number of requests
    std::uint64_t bytes_per_count;
};

class Memory : public ::testing::TestWithParam<Workload> {};

TEST_P(Memory, is_taken_neither_per_request_nor_per_length_of_the_stream) {
    auto const& w = GetParam();
    auto const standard = models::load_dram_standard(w.standard);
    auto const mapping = parse_mapping("umdam", standard.organisation);
    for (auto const refresh : {RefreshMode::all_bank, RefreshMode::none}) {
        Options options;
        options.refresh = refresh;
        options.fast_forward = FastForward::off;
        auto const spec = [&](std::uint64_t count) {
            return fmt::format(fmt::runtime(w.spec), count * w.bytes_per_count);
        };
        (void)use_of(standard, mapping, spec(1000), options);  // warm-up: allocations that happen once per process
        auto const small = use_of(standard, mapping, spec(2000), options),
                   large = use_of(standard, mapping, spec(80000), options);
        EXPECT_EQ(small.allocations, large.allocations);
        EXPECT_EQ(small.bytes, large.bytes);
        EXPECT_LT(large.allocations, 200U);
    }
}

INSTANTIATE_TEST_SUITE_P(Streams, Memory,
                         ::testing::Values(Workload{"L5J", "seq:{}", 32}, Workload{"L5J", "rand:{}:268435456", 1},
                                           Workload{"L5B", "copy:{}:268435456:0", 32},
                                           Workload{"D4_2400", "rand:{}:268435456", 1},
                                           Workload{"HBM2_2000", "rand:{}:268435456", 1},
                                           Workload{"L5A", "seqw:{}", 32}));

TEST(MemoryOf, a_window_is_bounded_by_the_window) {
    auto const standard = models::load_dram_standard("L5J");
    auto const mapping = parse_mapping("umdam", standard.organisation);
    Options options;
    options.window = 64;
    auto const small = use_of(standard, mapping, "rand:5000:268435456", options),
               large = use_of(standard, mapping, "rand:80000:268435456", options);
    EXPECT_LE(large.bytes, small.bytes + 4096);
}

}  // namespace
}  // namespace pimdse::sim::dram::test::memory_test
