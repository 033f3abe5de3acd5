#include "sim/dram/hybrid.hpp"
#include "models/dram_standard.hpp"
#include "random_cases.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#ifndef PIMDSE_HYBRID_CASES
#define PIMDSE_HYBRID_CASES 14
#endif

namespace pimdse::sim::dram::test {
namespace {

/// A stream of one of the kinds, long enough to be sampled.
std::string drawn_spec(std::mt19937& random, std::uint64_t capacity) {
    auto const power = [&](int low, int high) {
        return std::uint64_t{1} << (low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1)));
    };
    switch (random() % 7) {
        case 0:
            return fmt::format("seq:{}", 48 << 20);
        case 1:
            return fmt::format("rand:{}:{}", 1200000, capacity >> random() % 6);
        case 2:
            return fmt::format("stride:{}:{}", power(6, 9), 1000000);
        case 3:
            return fmt::format("copy:{}:{}:{}", 20 << 20, capacity / 2, random() % 2 == 0 ? 0 : power(4, 10));
        case 4:
            return fmt::format("tile:{}:{}:{}:{}", power(3, 7), power(6, 9), random() % 2 == 0 ? "C" : "R", 1 << 18);
        case 5:
            return fmt::format("seqw:{}", 40 << 20);
        default:
            return fmt::format("engines:4:{}", 48 << 20);
    }
}

TEST(Hybrid, bounds_hold_the_exact_answer_over_random_mappings_and_streams) {
    std::mt19937 random(31);
    int sampled = 0;
    double width = 0.0, error = 0.0;
    for (int i = 0; i < PIMDSE_HYBRID_CASES; ++i) {
        auto standard = models::load_dram_standard(i % 5 == 0 ? "D4_2400" : i % 5 == 1 ? "L5A" : i % 5 == 2 ? "HBM2_2000" : "L5J");
        standard.organisation.channels = std::min(standard.organisation.channels, 1 << random() % 3);
        auto const mapping = random() % 2 == 0 ? random_mapping(standard.organisation, random)
                                               : Mapping::parse(random() % 2 == 0 ? "umdam" : "conventional", standard.organisation);
        auto const spec = drawn_spec(random, std::uint64_t{1} << mapping.address_bits());
        auto const stream = Stream::parse(spec, standard.organisation.burst_bytes);
        if ((stream.highest_address() >> mapping.address_bits()) != 0) continue;
        Options options;
        options.refresh = random() % 4 == 0 ? RefreshMode::none : RefreshMode::all_bank;
        options.front_end = random() % 3 == 0 ? FrontEnd::independent : FrontEnd::in_order;
        options.scheduler = random() % 2 == 0 ? Scheduler::frfcfs : Scheduler::frfcfs_row_hit;
        auto const estimate = approximate(standard, mapping, stream, options);
        auto const exact = static_cast<double>(simulate(standard, mapping, stream, options).cycles);
        EXPECT_LE(estimate.low, exact) << standard.name << " " << spec << " on " << mapping.text() << " estimate " << estimate.cycles;
        EXPECT_GE(estimate.high, exact) << standard.name << " " << spec << " on " << mapping.text() << " estimate " << estimate.cycles;
        if (estimate.exact) continue;
        ++sampled;
        width += (estimate.high - estimate.low) / exact;
        error += std::abs(estimate.cycles / exact - 1.0);
    }
    ASSERT_GE(sampled, PIMDSE_HYBRID_CASES / 2);
    std::printf("[ hybrid   ] %d sampled, mean width %.4f, mean error %.4f\n", sampled, width / sampled, error / sampled);
    EXPECT_LT(error / sampled, 0.03);
}

TEST(Hybrid, is_exact_for_a_stream_too_short_to_sample) {
    auto const standard = models::load_dram_standard("L5J");
    auto const mapping = Mapping::parse("umdam", standard.organisation);
    auto const stream = Stream::parse("seq:1048576", 32);
    auto const estimate = approximate(standard, mapping, stream);
    EXPECT_TRUE(estimate.exact);
    EXPECT_EQ(estimate.low, estimate.high);
    EXPECT_EQ(estimate.counters.cycles, simulate(standard, mapping, stream).cycles);
}

TEST(Hybrid, scales_counts_to_the_whole_stream) {
    auto const standard = models::load_dram_standard("L5J");
    auto const mapping = Mapping::parse("umdam", standard.organisation);
    auto const stream = Stream::parse("seq:268435456", 32);
    auto const estimate = approximate(standard, mapping, stream);
    auto const exact = simulate(standard, mapping, stream);
    ASSERT_FALSE(estimate.exact);
    EXPECT_LT(estimate.counters.simulated, exact.requests / 10);
    EXPECT_NEAR(static_cast<double>(estimate.counters.hits), static_cast<double>(exact.hits), 0.01 * static_cast<double>(exact.hits));
    EXPECT_NEAR(static_cast<double>(estimate.counters.activates), static_cast<double>(exact.activates),
                0.05 * static_cast<double>(exact.activates));
    EXPECT_NEAR(energy(estimate.counters, standard).total().si, energy(exact, standard).total().si,
                0.02 * energy(exact, standard).total().si);
}

}  // namespace
}  // namespace pimdse::sim::dram::test
