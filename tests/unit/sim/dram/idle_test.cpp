#include "random_cases.hpp"
#include "sim/dram/channel.hpp"

#include <gtest/gtest.h>
#include <cstdint>
#include <random>

namespace pimdse::sim::dram::test::idle_test {
namespace {

/// A channel that skips what it can next to one that runs every event.
struct Pair {
    Channel skipping, stepping;

    Pair(Standard const& standard, ControllerSettings const& settings)
        : skipping(standard, settings), stepping(standard, settings) {}

    void advance(Tick until) {
        skipping.advance(until);
        while (stepping.wake() <= until) stepping.tick(stepping.wake());
    }
    void accept(Transaction const& transaction, Place const& place, Tick now) {
        ASSERT_EQ(skipping.accept(transaction, place, now, now), stepping.accept(transaction, place, now, now));
    }
    [[nodiscard]] bool equal() const {
        return skipping.counters() == stepping.counters() && skipping.wake() == stepping.wake() &&
               skipping.last_completion() == stepping.last_completion();
    }
};

class IdleChannel : public ::testing::TestWithParam<char const*> {};

TEST_P(IdleChannel, is_after_any_gap_as_if_every_refresh_had_been_run) {
    std::uint64_t refreshes = 0;
    for (unsigned seed = 0; seed < 120; ++seed) {
        auto random = random_case(GetParam(), seed, seed % 2 == 0 ? Timings::as_given : Timings::drawn, 200);
        if (seed % 3 == 0) random.options.observe = Observe::everything;
        ControllerSettings const settings(random.standard, random.options);
        Pair pair(random.standard, settings);
        std::mt19937 draw(seed);
        Tick const round = refresh_round(random.standard, random.options.refresh);
        Tick now = 0;
        for (auto const& transaction : random.transactions) {
            if (draw() % 12 == 0) now += static_cast<Tick>(draw() % static_cast<unsigned>(40 * round));
            now += static_cast<Tick>(draw() % 30);
            pair.advance(now);
            ASSERT_TRUE(pair.equal()) << random.what << " cycle " << now;
            pair.accept(transaction, random.mapping.place(transaction.address), now);
        }
        now += 50 * round;
        pair.advance(now);
        pair.skipping.finish(now);
        pair.stepping.finish(now);
        ASSERT_TRUE(pair.equal()) << random.what;
        refreshes += pair.stepping.counters().refreshes;
    }
    EXPECT_GT(refreshes, 20'000U);
}

INSTANTIATE_TEST_SUITE_P(Standards, IdleChannel, ::testing::Values("L5J", "D4_2400", "HBM2_2000", "gddr6_aim"));

/// With a window as well as without one, and in the channels that get no request.
TEST(IdleMemory, costs_no_time_however_long_it_rests) {
    auto random = random_case("L5J", 2, Timings::as_given, 2);
    Tick const gap = Tick{1} << 49;
    for (auto const refresh : {RefreshMode::all_bank, RefreshMode::per_bank}) {
        for (int const window : {0, 8}) {
            Options options;
            options.refresh = refresh;
            options.window = window;
            auto const stream =
                Stream::list(random.transactions, random.standard.organisation.burst_bytes, {gap / 2, gap});
            auto const counted = simulate(random.standard, random.mapping, stream, options);
            EXPECT_GT(counted.cycles, gap);
            auto const& o = random.standard.organisation;
            Tick const interval = refresh_round(random.standard, refresh) /
                                  (refresh == RefreshMode::per_bank ? o.banks_per_channel() / o.ranks : 1);
            EXPECT_NEAR(static_cast<double>(counted.refreshes),
                        static_cast<double>(gap / interval) * o.ranks * o.channels, 100.0);
        }
    }
}

}  // namespace
}  // namespace pimdse::sim::dram::test::idle_test
