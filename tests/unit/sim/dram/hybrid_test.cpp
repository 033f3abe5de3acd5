#include "sim/dram/hybrid.hpp"
#include "hybrid_cases.hpp"
#include "models/dram/dram_standard.hpp"
#include "sim/dram/effort.hpp"
#include "sim/dram/mapping.hpp"
#include "sim/dram/stream.hpp"

#include <gtest/gtest.h>

#ifndef PIMDSE_HYBRID_CASES
#define PIMDSE_HYBRID_CASES 150
#define PIMDSE_HYBRID_LONG_CASES 6
#endif

namespace pimdse::sim::dram::test {
namespace {

/// How estimates of many cases came out.
struct Tally {
    int sampled = 0, exact = 0;
    double width = 0.0, error = 0.0;
};

Tally held_against_exact(unsigned cases, Scale scale) {
    Tally tally;
    for (unsigned seed = 0; seed < cases; ++seed) {
        auto const drawn = hybrid_case(seed, scale);
        auto const estimate = approximate(drawn.standard, drawn.mapping, drawn.stream, drawn.options);
        ++(estimate.exact ? tally.exact : tally.sampled);
        if (estimate.exact && seed % 8 != 0) continue;  // what it runs is what it would be compared with
        auto const exact =
            static_cast<double>(simulate(drawn.standard, drawn.mapping, drawn.stream, drawn.options).cycles);
        EXPECT_LE(estimate.low, exact) << drawn.what << " estimate " << estimate.cycles;
        EXPECT_GE(estimate.high, exact) << drawn.what << " estimate " << estimate.cycles;
        if (estimate.exact) continue;
        tally.width += (estimate.high - estimate.low) / exact;
        tally.error += std::abs(estimate.cycles / exact - 1.0);
    }
    std::printf("[ hybrid   ] %d sampled, %d exact, mean width %.4f, mean error %.4f\n", tally.sampled, tally.exact,
                tally.width / tally.sampled, tally.error / tally.sampled);
    return tally;
}

TEST(Hybrid, bounds_hold_the_exact_answer_over_random_mappings_streams_and_controllers) {
    auto const tally = held_against_exact(PIMDSE_HYBRID_CASES, Scale::close_refreshes);
    ASSERT_GE(tally.sampled, PIMDSE_HYBRID_CASES / 4);
    EXPECT_LT(tally.width / tally.sampled, 0.08);
    EXPECT_LT(tally.error / tally.sampled, 0.01);
}

TEST(Hybrid, bounds_hold_the_exact_answer_of_the_timing_sets_as_they_are) {
    auto const tally = held_against_exact(PIMDSE_HYBRID_LONG_CASES, Scale::as_given);
    ASSERT_GE(tally.sampled, PIMDSE_HYBRID_LONG_CASES / 3);
    EXPECT_LT(tally.width / tally.sampled, 0.06);
    EXPECT_LT(tally.error / tally.sampled, 0.01);
}

TEST(Hybrid, is_exact_for_a_stream_too_short_to_sample) {
    auto const standard = models::load_dram_standard("L5J");
    auto const mapping = parse_mapping("umdam", standard.organisation);
    auto const stream = parse_stream("seq:1048576", 32);
    auto const estimate = approximate(standard, mapping, stream);
    EXPECT_TRUE(estimate.exact);
    EXPECT_EQ(estimate.low, estimate.high);
    EXPECT_EQ(estimate.counters.cycles, simulate(standard, mapping, stream).cycles);
}

TEST(Hybrid, copes_with_stretches_that_leave_channels_without_requests) {
    // The channel is the highest of the bits that change: each stretch meets one channel, the others none, and some
    // never any.
    auto const standard = models::load_dram_standard("L5J");
    for (auto const* order : {"of5 co6 ba2 bg2 ro4 ch2 ro11", "of5 co6 ba2 bg2 ro15 ch2"}) {
        auto const mapping = parse_mapping(order, standard.organisation);
        for (auto const* spec : {"seq:25000000", "seqw:21000000"}) {
            auto const stream = parse_stream(spec, 32);
            for (auto const front_end : {FrontEnd::independent, FrontEnd::in_order}) {
                Options options;
                options.front_end = front_end;
                auto const estimate = approximate(standard, mapping, stream, options);
                auto const exact = static_cast<double>(simulate(standard, mapping, stream, options).cycles);
                EXPECT_LE(estimate.low, exact) << order << " " << spec;
                EXPECT_GE(estimate.high, exact) << order << " " << spec;
            }
        }
    }
}

TEST(Hybrid, knows_that_forwarded_reads_need_no_bus) {
    // Each read wants what the write before it has just written.
    auto const standard = models::load_dram_standard("L5B");
    auto const mapping = parse_mapping("conventional", standard.organisation);
    auto const stream = parse_stream("copy:32000000:32:0", 32);
    auto const estimate = approximate(standard, mapping, stream);
    auto const exact = simulate(standard, mapping, stream);
    EXPECT_GT(exact.forwarded, exact.reads / 2);
    EXPECT_LE(estimate.low, static_cast<double>(exact.cycles));
    EXPECT_GE(estimate.high, static_cast<double>(exact.cycles));
}

TEST(Hybrid, runs_through_what_no_refresh_brings_back_into_step) {
    // Without refresh this stream changes its rhythm for good after some thousand requests; no stretch from a fresh
    // start shows it.
    auto const standard = models::load_dram_standard("L5A");
    auto const mapping = parse_mapping("conventional", standard.organisation);
    Options options;
    options.refresh = RefreshMode::none;
    options.queue_depth = 4;
    auto const estimate = approximate(standard, mapping, parse_stream("seq:67108864", 32), options);
    EXPECT_TRUE(estimate.exact);
}

TEST(Hybrid, runs_through_a_stream_whose_stretches_disagree) {
    // Rows alternate between one bank and many, at intervals no sampling can follow: nothing but the whole stream will
    // do.
    auto const standard = models::load_dram_standard("D4_2400");
    auto const mapping = parse_mapping("umdam", standard.organisation);
    std::vector<Transaction> transactions;
    std::mt19937_64 random(5);
    for (int part = 0; transactions.size() < 400000; ++part) {
        bool const slow = random() % 2 == 0;
        for (std::uint64_t i = 0; i < 9000 * (1 + random() % 3); ++i)
            transactions.push_back(
                {slow ? (i % 2) << 32 | (i << 18) % (1 << 30) : (std::uint64_t{64} * i) % (1 << 30), Access::read});
    }
    auto const stream = Stream::list(transactions, 64);
    auto const estimate = approximate(standard, mapping, stream);
    auto const exact = static_cast<double>(simulate(standard, mapping, stream).cycles);
    EXPECT_LE(estimate.low, exact);
    EXPECT_GE(estimate.high, exact);
}

TEST(Hybrid, sees_the_short_parts_in_which_engines_meet_in_one_bank) {
    // Every engine is a little farther than a bank from the next: two of them are in the same bank for a thirtieth of
    // the stream.
    auto standard = models::load_dram_standard("L5A");
    standard.organisation.channels = 1;
    standard.organisation.bank_groups = 1;
    standard.organisation.banks = 4;
    standard.organisation.rows = 1 << 17;
    auto const mapping = parse_mapping("of5 ro17 ba2 co6", standard.organisation);
    Options options;
    options.front_end = FrontEnd::independent;
    for (int const depth : {1, 2, 5}) {
        options.queue_depth = depth;
        for (auto const* spec : {"engines:4:17301504", "engines:4:25253216"}) {
            auto const stream = parse_stream(spec, 32);
            auto const estimate = approximate(standard, mapping, stream, options);
            auto const exact = static_cast<double>(simulate(standard, mapping, stream, options).cycles);
            EXPECT_LE(estimate.low, exact) << spec << " " << depth;
            EXPECT_GE(estimate.high, exact) << spec << " " << depth;
        }
    }
}

TEST(Hybrid, does_not_take_the_slowest_of_many_like_channels_for_all) {
    // Sixteen channels in turn, 128 KiB each: what stretches show of each differs by chance.
    auto standard = models::load_dram_standard("L5J", 32);
    standard.organisation.channels = 16;
    standard.organisation.ranks = 4;
    standard.organisation.bank_groups = 1;
    standard.organisation.row_bytes = 8192;
    auto const mapping = parse_mapping("of5 ba2 co8 ra2 ch4 ro12", standard.organisation);
    Options options;
    options.front_end = FrontEnd::independent;
    options.scheduler = Scheduler::frfcfs_row_hit;
    options.queue_depth = 109;
    auto const stream = parse_stream("seq:102957056", 32);
    auto const estimate = approximate(standard, mapping, stream, options);
    auto const exact = static_cast<double>(simulate(standard, mapping, stream, options).cycles);
    EXPECT_LE(estimate.low, exact);
    EXPECT_GE(estimate.high, exact);
}

TEST(Hybrid, scales_counts_to_the_whole_stream) {
    auto const standard = models::load_dram_standard("L5J");
    auto const mapping = parse_mapping("umdam", standard.organisation);
    auto const stream = parse_stream("seq:268435456", 32);
    auto const estimate = approximate(standard, mapping, stream);
    auto const exact = simulate(standard, mapping, stream);
    ASSERT_FALSE(estimate.exact);
    EXPECT_LT(estimate.counters.simulated, exact.requests / 10);
    EXPECT_EQ(estimate.counters.requests, exact.requests);
    EXPECT_NEAR(static_cast<double>(estimate.counters.hits), static_cast<double>(exact.hits),
                0.01 * static_cast<double>(exact.hits));
    EXPECT_NEAR(static_cast<double>(estimate.counters.refreshes), static_cast<double>(exact.refreshes),
                0.02 * static_cast<double>(exact.refreshes));
    EXPECT_NEAR(static_cast<double>(estimate.counters.activates), static_cast<double>(exact.activates),
                0.05 * static_cast<double>(exact.activates));
    EXPECT_NEAR(energy(estimate.counters, standard).total().si, energy(exact, standard).total().si,
                0.02 * energy(exact, standard).total().si);
}

TEST(Effort, counts_requests_that_meet_another_row_in_their_bank) {
    auto const standard = models::load_dram_standard("L5B");
    auto const mapping = parse_mapping("of5 co6 ro15 ba2 bg2 ch2", standard.organisation);
    Effort effort(standard, mapping, {});
    (void)effort.of(parse_stream("seq:65536", 32), 0, 2048);  // 32 rows, each 64 bursts after the one before
    EXPECT_DOUBLE_EQ(effort.meetings(), 31.0);
    (void)effort.of(parse_stream("stride:2048:512", 32), 0, 512);  // a row for every burst
    EXPECT_DOUBLE_EQ(effort.meetings(), 511.0);
}

TEST(Effort, tells_what_one_resource_alone_must_take) {
    auto const standard = models::load_dram_standard("L5B");
    Options const options;
    auto const cycles = [&](char const* order, char const* spec) {
        auto const mapping = parse_mapping(order, standard.organisation);
        auto const stream = parse_stream(spec, 32);
        return Effort(standard, mapping, options).of(stream, 0, stream.size()).front() /
               static_cast<double>(stream.size());
    };
    double const sequential = cycles("RoBaRaCoCh", "seq:4194304");
    EXPECT_GE(sequential, 2.0 / 4.0);  // the data bus of four channels, and what fillings waste
    EXPECT_LT(sequential, 0.65);
    EXPECT_NEAR(cycles("ChRaBaRoCo", "stride:2048:20000"), 49.0, 0.5);  // the row cycle of one bank
    EXPECT_GT(cycles("RoBaRaCoCh", "rand:200000:1073741824"), 1.0);     // four commands a request on four command buses
}

}  // namespace
}  // namespace pimdse::sim::dram::test
