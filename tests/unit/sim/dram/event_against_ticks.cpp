#include "random_cases.hpp"
#include "slow_channel.hpp"
#include "tests/support/campaign.hpp"

#include <gtest/gtest.h>
#include <array>
#include <random>
#include <vector>

namespace pimdse::sim::dram::test {
namespace {

std::string describe(Counters const& c) {
    return "cycles " + std::to_string(c.cycles) + " hits " + std::to_string(c.hits) + " misses " +
           std::to_string(c.misses) + " conflicts " + std::to_string(c.conflicts) + " refreshes " +
           std::to_string(c.refreshes) + " cas " + std::to_string(c.clock_syncs) + " latency " +
           std::to_string(c.latency_sum) + " forwarded " + std::to_string(c.forwarded) + " coalesced " +
           std::to_string(c.coalesced) + " precharges " + std::to_string(c.precharges) + "+" +
           std::to_string(c.precharge_alls) + " activates " + std::to_string(c.row_activations);
}

struct Series {
    char const* standard;
    Timings timings;
    unsigned cases;
};

class EventAgainstTicks : public ::testing::TestWithParam<Series> {};

TEST_P(EventAgainstTicks, counts_the_same_on_random_streams_mappings_and_controllers) {
    auto const& series = GetParam();
    Counters met;
    for (unsigned seed = 0; seed < tests::draws(series.cases); ++seed) {
        auto const random = random_case(series.standard, seed, series.timings, 60 + seed % 5 * 60);
        auto const slow = SlowSystem(random.standard, random.mapping, random.options).run(random.transactions);
        auto fast =
            simulate(random.standard, random.mapping,
                     Stream::list(random.transactions, random.standard.organisation.burst_bytes), random.options);
        fast.refreshes_are_all_bank = slow.refreshes_are_all_bank;
        met.add(slow);
        ASSERT_TRUE(fast == slow) << random.what << "\n fast " << describe(fast) << "\n slow " << describe(slow);
    }
    // The test is meaningful only if the series contains every kind of event.
    for (auto const count : {met.hits, met.misses, met.conflicts, met.forwarded, met.coalesced, met.refreshes,
                             met.precharges, met.precharge_alls, met.write_commands})
        EXPECT_GT(count, tests::in_campaign() ? 20U : 0U);
}

/// Ascending arrivals: several at once, gaps within a row cycle, and gaps over several refreshes.
std::vector<Tick> random_arrivals(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::array<unsigned, 4> const longest{1, 4, 60, 3000};
    std::vector<Tick> arrivals;
    Tick now = random() % 2 == 0 ? 0 : static_cast<Tick>(random() % 2000);
    unsigned pace = longest[random() % 4];
    for (std::size_t i = 0; i < count; ++i) {
        if (random() % 16 == 0) pace = longest[random() % 4];
        now += static_cast<Tick>(random() % pace);
        arrivals.push_back(now);
    }
    return arrivals;
}

TEST_P(EventAgainstTicks, counts_the_same_when_requests_have_arrivals) {
    auto const& series = GetParam();
    std::uint64_t idle_runs = 0, reads = 0;
    for (unsigned seed = 0; seed < tests::draws(series.cases / 4); ++seed) {
        auto const random = random_case(series.standard, seed + 5000, series.timings, 60 + seed % 3 * 60);
        auto const arrivals = random_arrivals(random.transactions.size(), seed);
        auto const slow =
            SlowSystem(random.standard, random.mapping, random.options).run(random.transactions, arrivals);
        auto const stream = Stream::list(random.transactions, random.standard.organisation.burst_bytes, arrivals);
        auto fast = simulate(random.standard, random.mapping, stream, random.options);
        fast.refreshes_are_all_bank = slow.refreshes_are_all_bank;
        ASSERT_TRUE(fast == slow) << random.what << "\n fast " << describe(fast) << "\n slow " << describe(slow);
        EXPECT_GT(fast.cycles, arrivals.back());
        idle_runs += fast.cycles > 2 * static_cast<Tick>(random.transactions.size()) ? 1U : 0U;
        reads += fast.reads;
    }
    EXPECT_GT(idle_runs, 0U);
    EXPECT_GT(reads, 0U);
}

TEST(Arrivals, far_apart_cost_each_read_the_same) {
    auto const random = random_case("L5J", 3, Timings::as_given, 1);
    Options options;
    options.refresh = RefreshMode::none;
    std::vector<Transaction> const reads(50, random.transactions[0]);
    std::vector<Tick> arrivals;
    for (Tick i = 0; i < 50; ++i) arrivals.push_back(10'000 * i);
    auto const all_reads = [](std::vector<Transaction> list) {
        for (auto& t : list) t.access = Access::read;
        return list;
    }(reads);
    auto const counted = simulate(random.standard, random.mapping,
                                  Stream::list(all_reads, random.standard.organisation.burst_bytes, arrivals), options);
    EXPECT_EQ(counted.hits, 49U);
    EXPECT_GT(counted.cycles, 490'000);
    EXPECT_LT(counted.average_read_latency().value(), 100.0);
}

INSTANTIATE_TEST_SUITE_P(Standards, EventAgainstTicks,
                         ::testing::Values(Series{"L5A", Timings::as_given, 200}, Series{"L5B", Timings::as_given, 200},
                                           Series{"L5J", Timings::as_given, 200}, Series{"L5J", Timings::drawn, 800},
                                           Series{"D4_2400", Timings::as_given, 200},
                                           Series{"D4_3200", Timings::drawn, 500},
                                           Series{"HBM2_2000", Timings::as_given, 200},
                                           Series{"gddr6_aim", Timings::drawn, 300},
                                           Series{"HBM2_2000", Timings::drawn, 500}));

}  // namespace
}  // namespace pimdse::sim::dram::test
