#include "models/dram/dram_standard.hpp"
#include "random_cases.hpp"
#include "sim/dram/front_end.hpp"
#include "sim/dram/mapping.hpp"
#include "sim/dram/stream.hpp"
#include "tests/support/campaign.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace pimdse::sim::dram::test::steady_state_test {
namespace {

/// True if all counters except `simulated` are equal.
bool same_result(Counters const& one, Counters other) {
    other.simulated = one.simulated;
    return one == other;
}

struct Periodic {
    char const *standard, *mapping, *stream;
    int queue_depth = 32;
    RefreshMode refresh = RefreshMode::all_bank;
    FrontEndMode front_end = FrontEndMode::in_order;
};

Counters run(Periodic const& p, FastForward fast_forward, Observe observe = Observe::counters) {
    auto const standard = models::load_dram_standard(p.standard);
    Options options;
    options.refresh = p.refresh;
    options.front_end = p.front_end;
    options.queue_depth = p.queue_depth;
    options.fast_forward = fast_forward;
    options.observe = observe;
    return simulate(standard, parse_mapping(p.mapping, standard.organisation),
                    parse_stream(p.stream, standard.organisation.burst_bytes), options);
}

class SteadyState : public ::testing::TestWithParam<Periodic> {};

TEST_P(SteadyState, skips_most_of_a_periodic_stream_and_changes_no_counter) {
    auto const slow = run(GetParam(), FastForward::off, Observe::everything),
               fast = run(GetParam(), FastForward::exact, Observe::everything);
    EXPECT_TRUE(same_result(fast, slow)) << fast.cycles << " against " << slow.cycles;
    EXPECT_EQ(slow.simulated, slow.requests);
    EXPECT_LT(fast.simulated, slow.requests * 9 / 10);
}

INSTANTIATE_TEST_SUITE_P(
    Streams, SteadyState,
    ::testing::Values(Periodic{"L5B", "RoBaRaCoCh", "seq:67108864"}, Periodic{"L5B", "conventional", "seq:67108864"},
                      Periodic{"D4_2400", "umdam", "seq:134217728"}, Periodic{"HBM2_2000", "umdam", "seq:134217728"},
                      Periodic{"L5J", "umdam", "seq:33554432", 32, RefreshMode::none},
                      Periodic{"L5J", "umdam", "copy:33554432:1073741824:0", 32, RefreshMode::none}));

TEST(SteadyStateOf, never_changes_a_result_whatever_the_mapping_stream_and_controller) {
    std::mt19937 random(23);
    std::uint64_t skipped = 0;
    for (int i = 0; i < tests::draws(40, 20); ++i) {
        auto standard = models::load_dram_standard(i % 4 == 0   ? "D4_2400"
                                                   : i % 4 == 1 ? "HBM2_2000"
                                                   : i % 4 == 2 ? "L5J"
                                                                : "L5A");
        standard.organisation.channels = 1 << random() % 3;
        standard.organisation.rows = 4096;
        // Few columns and a short refresh interval: short periods, many periods.
        standard.organisation.row_bytes = standard.organisation.burst_bytes * 8;
        standard.timing.nREFI = standard.timing.nRFC + 300 + static_cast<int>(random() % 500);
        auto const mapping = random_mapping(standard.organisation, random);
        auto const burst = static_cast<std::uint64_t>(standard.organisation.burst_bytes);
        auto const capacity = std::uint64_t{1} << mapping.address_bits();
        auto const longest = burst * (150000 + random() % 1000);
        auto const spec = random() % 3 == 0
                              ? fmt::format("copy:{}:{}:0", std::min(capacity / 4, longest / 2), capacity / 2)
                          : random() % 2 == 0 ? fmt::format("seq:{}", std::min(capacity / 2, longest))
                                              : fmt::format("stride:{}:40000", burst * (1 + random() % 20));
        auto const stream = parse_stream(spec, standard.organisation.burst_bytes);
        if (stream.highest_address() >= capacity) continue;
        Options options;
        options.refresh = random() % 3 == 0 ? RefreshMode::none : RefreshMode::all_bank;
        if (standard.timing.nREFIpb > 0 && random() % 4 == 0) options.refresh = RefreshMode::per_bank;
        options.scheduler = random() % 2 == 0 ? Scheduler::frfcfs : Scheduler::frfcfs_row_hit;
        options.front_end = random() % 3 == 0 ? FrontEndMode::independent : FrontEndMode::in_order;
        options.queue_depth = 1 + static_cast<int>(random() % 40);
        auto const fast = simulate(standard, mapping, stream, options);
        options.fast_forward = FastForward::off;
        auto const slow = simulate(standard, mapping, stream, options);
        ASSERT_TRUE(same_result(fast, slow))
            << spec << " on " << mapping.text() << ": " << fast.cycles << " against " << slow.cycles;
        skipped += slow.simulated - fast.simulated;
    }
    EXPECT_GT(skipped, tests::draws(100000U));
}

/// A memory whose streams soon become periodic: few columns and a short refresh interval.
Standard soon_periodic(std::mt19937& random) {
    auto standard = models::load_dram_standard(random() % 2 == 0 ? "L5J" : "L5A");
    standard.organisation.channels = 1 << random() % 3;
    standard.organisation.rows = 4096;
    standard.organisation.row_bytes = standard.organisation.burst_bytes * 8;
    standard.timing.nREFI = standard.timing.nRFC + 300 + static_cast<int>(random() % 500);
    return standard;
}

TEST(SteadyStateOf, skips_periods_between_prefixes_and_ends_each_as_if_alone) {
    std::mt19937 random(31);
    std::uint64_t skipped = 0;
    for (int i = 0; i < tests::draws(30, 5); ++i) {
        auto const standard = soon_periodic(random);
        auto const mapping = parse_mapping("conventional", standard.organisation);
        int const burst = standard.organisation.burst_bytes;
        auto const access = random() % 2 == 0 ? Access::read : Access::write;
        auto const stream = Stream::sequential(access, 0, 6400000, burst);
        Options options;
        options.refresh = i % 5 == 0 ? RefreshMode::none : i % 5 == 1 ? RefreshMode::per_bank : RefreshMode::all_bank;
        options.scheduler = random() % 2 == 0 ? Scheduler::frfcfs : Scheduler::frfcfs_row_hit;
        options.front_end = random() % 2 == 0 ? FrontEndMode::independent : FrontEndMode::in_order;
        options.queue_depth = 4 + static_cast<int>(random() % 40);
        std::vector<std::uint64_t> lengths;
        for (std::uint64_t at = random() % 40000; at < stream.size(); at += 1 + random() % 40000) lengths.push_back(at);
        lengths.push_back(stream.size());
        std::size_t const fed =
            options.front_end == FrontEndMode::in_order ? static_cast<std::size_t>(standard.organisation.channels) : 1;
        FrontEnd first({standard, mapping, stream, options}, 0, fed);
        ASSERT_EQ(first.run_prefixes(lengths).size(), lengths.size());
        skipped += first.skipped();
        auto const ends = simulate_prefixes(standard, mapping, stream, options, lengths);
        options.fast_forward = FastForward::off;
        for (std::size_t n = 0; n < lengths.size(); ++n) {
            if (lengths[n] == 0) continue;
            auto const alone =
                simulate(standard, mapping,
                         Stream::sequential(access, 0, lengths[n] * static_cast<std::uint64_t>(burst), burst), options);
            ASSERT_EQ(ends[n].cycles, alone.cycles) << i << ": " << lengths[n];
            ASSERT_EQ(ends[n].row_activations, alone.row_activations) << i << ": " << lengths[n];
        }
    }
    EXPECT_GT(skipped, tests::draws(30U, 5) * 40000U);  // more than precedes the first lengths
}

TEST(SteadyStateOf, is_not_looked_for_if_its_conditions_do_not_hold) {
    // Without a steady state: a random stream, a transposed copy (reads and writes move differently), and rows that
    // affect the bank bits.
    for (auto const& p :
         {Periodic{"L5J", "umdam", "rand:100000:1073741824"}, Periodic{"L5J", "umdam", "copy:2097152:268435456:512"},
          Periodic{"L5J", "of5 co3 ch2 bg2 ba2 co3 ro15 x.ba.ro.13.2", "seq:8388608"}}) {
        auto const fast = run(p, FastForward::exact);
        EXPECT_EQ(fast.simulated, fast.requests) << p.stream;
        EXPECT_TRUE(same_result(fast, run(p, FastForward::off)));
    }
}

TEST(SteadyStateOf, makes_13_gigabytes_of_weights_cost_a_few_million_requests) {
    auto const standard = models::load_dram_standard("L5J", 32);
    auto const counters =
        simulate(standard, parse_mapping("umdam", standard.organisation), parse_stream("seq:13400000000", 32));
    EXPECT_EQ(counters.requests, 418750000U);
    EXPECT_EQ(counters.hits + counters.misses + counters.conflicts, counters.requests);
    EXPECT_LT(counters.simulated, 8000000U);
    // Closed form of a saturated stream: data plus refresh.
    double const data = 418750000.0 / 4 * 2;
    EXPECT_NEAR(static_cast<double>(counters.cycles), data / (1.0 - (304.0 + 45.0) / 3125.0), 0.01 * data);
}

}  // namespace
}  // namespace pimdse::sim::dram::test::steady_state_test
