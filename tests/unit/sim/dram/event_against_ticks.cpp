#include "random_cases.hpp"
#include "slow_channel.hpp"

#include <gtest/gtest.h>

namespace pimdse::sim::dram::test {
namespace {

std::string describe(Counters const& c) {
    return "cycles " + std::to_string(c.cycles) + " hits " + std::to_string(c.hits) + " misses " +
           std::to_string(c.misses) + " conflicts " + std::to_string(c.conflicts) + " refreshes " +
           std::to_string(c.refreshes) + " cas " + std::to_string(c.clock_syncs) + " latency " +
           std::to_string(c.latency_sum) + " forwarded " + std::to_string(c.forwarded) + " coalesced " +
           std::to_string(c.coalesced) + " precharges " + std::to_string(c.precharges) + "+" +
           std::to_string(c.precharge_alls) + " activates " + std::to_string(c.activates);
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
    for (unsigned seed = 0; seed < series.cases; ++seed) {
        auto const random = random_case(series.standard, seed, series.timings, 60 + seed % 5 * 60);
        auto const slow = SlowSystem(random.standard, random.mapping, random.options).run(random.transactions);
        auto fast =
            simulate(random.standard, random.mapping,
                     Stream::list(random.transactions, random.standard.organisation.burst_bytes), random.options);
        fast.refreshes_are_all_bank = slow.refreshes_are_all_bank;
        met.add(slow);
        ASSERT_TRUE(fast == slow) << random.what << "\n fast " << describe(fast) << "\n slow " << describe(slow);
    }
    // The series is worth something only if it meets every kind of event.
    for (auto const count : {met.hits, met.misses, met.conflicts, met.forwarded, met.coalesced, met.refreshes,
                             met.precharges, met.precharge_alls, met.write_commands})
        EXPECT_GT(count, 20U);
}

INSTANTIATE_TEST_SUITE_P(Standards, EventAgainstTicks,
                         ::testing::Values(Series{"L5A", Timings::as_given, 200}, Series{"L5B", Timings::as_given, 200},
                                           Series{"L5J", Timings::as_given, 200}, Series{"L5J", Timings::drawn, 800},
                                           Series{"D4_2400", Timings::as_given, 200},
                                           Series{"D4_3200", Timings::drawn, 500},
                                           Series{"HBM2_2000", Timings::as_given, 200},
                                           Series{"HBM2_2000", Timings::drawn, 500}));

}  // namespace
}  // namespace pimdse::sim::dram::test
