#include "models/dplena/hbm/controller.hpp"
#include "models/dplena/hbm/prefetch_cache.hpp"
#include "tests/unit/models/dplena/hbm/lockstep_hbm.hpp"
#include "tests/unit/models/dplena/support.hpp"

#include <gtest/gtest.h>

namespace hbm_test {
namespace {

using namespace pimdse::models::dplena;
using support::Rng;

lockstep::Rules plain(HbmTiming const& t, Bus bus, Refresh refresh) {
    return {.burst = t.burst,
            .read_latency = t.read_latency,
            .activate_to_read = t.activate_to_read,
            .precharge = t.precharge,
            .activate_to_precharge = t.activate_to_precharge,
            .row_cycle = t.row_cycle,
            .read_to_precharge = t.read_to_precharge,
            .bus = t.bus[static_cast<std::size_t>(bus)],
            .same_group = t.same_group,
            .activate_gap = t.activate_gap,
            .activate_gap_group = t.activate_gap_group,
            .row_bus = t.row_bus,
            .four_activates = t.four_activates,
            .refresh_interval = refresh == Refresh::on ? t.refresh_interval : 0,
            .refresh_duration = t.refresh_duration,
            .queue = static_cast<std::size_t>(t.read_queue)};
}

HbmTiming real() { return support::machine().hbm.timing; }

Hbm with(HbmTiming const& timing) { return {timing, support::machine().hbm.cache_limits}; }

/// Timings under which rules bind that the real ones hide behind each other (PRE suppression, nRC, the four-ACT
/// window).
HbmTiming strange(Rng& rng) {
    auto t = real();
    for (auto* time : {&t.burst, &t.read_latency, &t.activate_to_read, &t.precharge, &t.read_to_precharge,
                       &t.same_group, &t.activate_gap, &t.activate_gap_group, &t.row_bus, &t.bus[0], &t.bus[1]}) {
        *time = 1 + rng.below(12);
    }
    t.activate_to_precharge = 1 + rng.below(30);
    t.row_cycle = 1 + rng.below(60);
    t.four_activates = 1 + rng.below(60);
    t.read_queue = 1 + rng.below(34);
    t.refresh_interval = 100 + rng.below(900);
    t.refresh_duration = 20 + rng.below(60);
    return t;
}

std::uint64_t address(Rng& rng, std::int64_t channels, std::int64_t rows) {
    // Few rows make open hits, misses and the same bank meet.
    auto const below_row = static_cast<std::uint64_t>(rng.below((std::int64_t{1} << 14) * channels)) / 32 * 32;
    return static_cast<std::uint64_t>(rng.below(rows)) * ((1ULL << 14) * static_cast<std::uint64_t>(channels)) +
           below_row;
}

std::vector<HbmAddress> places(std::vector<std::uint64_t> const& addresses, std::int64_t channels) {
    std::vector<HbmAddress> list;
    for (auto a : addresses) list.push_back(AddressMap(channels).decode(a));
    return list;
}

TEST(DplenaAddress, decodes_as_the_plain_reference_does) {
    Rng rng(1);
    for (int i = 0; i < 20000; ++i) {
        auto const channels = std::int64_t{1} << rng.below(7);
        auto const a = rng.next() >> 28 << 5;
        auto const fast = AddressMap(channels).decode(a);
        auto const slow = lockstep::decode(a, static_cast<int>(channels));
        EXPECT_EQ(fast.channel, static_cast<std::uint32_t>(slow.channel));
        EXPECT_EQ(fast.bank, static_cast<std::uint32_t>(slow.pseudo * 16 + slow.group * 4 + slow.bank));
        EXPECT_EQ(fast.row, slow.row);
    }
}

struct Random {
    HbmTiming timing;
    std::int64_t channels = 1;
    Bus bus = Bus::compat;
    Refresh refresh = Refresh::off;
    std::int64_t rows = 1;
};

Random random_memory(Rng& rng, bool strange_timing) {
    return {strange_timing ? strange(rng) : real(), std::int64_t{1} << rng.below(4),
            rng.below(2) == 0 ? Bus::compat : Bus::corrected, rng.below(2) == 0 ? Refresh::off : Refresh::on,
            1 + rng.below(4)};
}

/// Runs random lists one after the other through `fast(reads, start)` and the plain reference.
template <class Fast>
void compare(Rng& rng, Random const& memory, int lists, Fast fast) {
    lockstep::Controller slow(static_cast<int>(memory.channels), plain(memory.timing, memory.bus, memory.refresh));
    std::int64_t now = 0;
    for (int i = 0; i < lists; ++i) {
        std::vector<std::uint64_t> addresses;
        auto const count = 1 + rng.below(rng.below(3) == 0 ? 160 : 12);
        for (std::int64_t k = 0; k < count; ++k) addresses.push_back(address(rng, memory.channels, memory.rows));
        auto const end = slow.run(addresses, now);
        ASSERT_EQ(fast(places(addresses, memory.channels), now), end) << "list " << i << " at " << now;
        auto const gap = rng.below(4) == 0 ? rng.below(400) : rng.below(3);
        slow.idle(end + 1, end + gap);
        now = end + gap;
    }
}

TEST(DplenaController, equals_the_plain_reference_on_random_lists) {
    Rng rng(2);
    for (int run = 0; run < 60; ++run) {
        auto const memory = random_memory(rng, run % 2 == 1);
        ChannelTiming const timing(memory.timing, memory.bus);
        Controller controller(timing, memory.channels, memory.refresh, memory.timing.refresh_interval);
        compare(rng, memory, 60, [&](std::vector<HbmAddress> const& reads, std::int64_t start) {
            controller.present(reads, start);
            return controller.finish_oldest();
        });
        if (HasFatalFailure()) FAIL() << "run " << run;
    }
}

TEST(DplenaPrefetchCache, equals_the_plain_reference_on_random_lists) {
    Rng rng(3);
    for (int run = 0; run < 40; ++run) {
        auto const memory = random_memory(rng, false);
        auto design = support::design({});
        design.channels = memory.channels;
        design.bus = memory.bus;
        design.refresh = memory.refresh;
        CachedHbm remembering(with(memory.timing), fetching_of(design));
        compare(rng, memory, 150, [&](std::vector<HbmAddress> const& reads, std::int64_t start) {
            return remembering.fetch(reads, start);
        });
        if (HasFatalFailure()) FAIL() << "run " << run;
    }
}

TEST(DplenaPrefetchCache, equals_the_plain_reference_on_prefetch_streams) {
    Rng rng(4);
    for (int run = 0; run < 40; ++run) {
        auto design = support::design({});
        design.vlen = 64 << rng.below(5);
        design.prefetch = 1 + rng.below(6);
        design.mx_block = 8 << rng.below(3);
        design.channels = std::int64_t{1} << rng.below(6);
        design.bus = rng.below(2) == 0 ? Bus::compat : Bus::corrected;
        design.refresh = rng.below(2) == 0 ? Refresh::off : Refresh::on;
        auto const scales = static_cast<std::uint64_t>(64 * rng.below(20000));
        auto const stride = static_cast<std::uint64_t>(design.vlen * design.prefetch);
        CachedHbm remembering(with(real()), fetching_of(design));
        lockstep::Controller slow(static_cast<int>(design.channels), plain(real(), design.bus, design.refresh));
        std::int64_t now = 0;
        for (std::uint64_t i = 0; i < 400; ++i) {
            auto const offset = i % 100 * stride;  // comes back to where it was
            std::vector<std::uint64_t> addresses;
            for (std::int64_t vector = 0; vector < design.prefetch; ++vector) {
                auto const ahead = static_cast<std::uint64_t>(vector * design.vlen);
                auto const line = [&](std::uint64_t a) {
                    addresses.insert(addresses.end(), {a / 64 * 64, a / 64 * 64 + 32});
                };
                for (std::uint64_t at = 0; at < static_cast<std::uint64_t>(design.vlen); at += 64)
                    line(offset + ahead + at);
                line(scales + offset / static_cast<std::uint64_t>(design.mx_block) +
                     ahead / static_cast<std::uint64_t>(design.mx_block));
            }
            auto const end = slow.run(addresses, now);
            ASSERT_EQ(remembering.fetch(0, scales, offset, now), end) << "run " << run << " prefetch " << i;
            auto const gap = 2 + rng.below(30);
            slow.idle(end + 1, end + gap);
            now = end + gap;
        }
    }
}

/// The tick in which a list on closed banks ends; every place is pseudo-channel, group, bank, row of channel 0.
std::int64_t end_of(std::vector<std::array<std::uint32_t, 4>> const& reads, HbmTiming const& timing,
                    Bus bus = Bus::compat) {
    ChannelTiming const with_bus(timing, bus);
    Controller controller(with_bus, 1, Refresh::off, 0);
    std::vector<HbmAddress> list;
    for (auto const& [pseudo, group, bank, row] : reads) list.push_back({0, pseudo << 4 | group << 2 | bank, row});
    controller.present(list, 0);
    return controller.finish_oldest();
}

TEST(DplenaController, opens_a_closed_bank_before_it_reads) { EXPECT_EQ(end_of({{0, 0, 0, 5}}, real()), 7 + 11); }

TEST(DplenaController, keeps_reads_of_a_pseudo_channel_a_bus_slot_apart) {
    EXPECT_EQ(end_of({{0, 0, 0, 5}, {0, 0, 0, 5}}, real(), Bus::compat), 7 + 4 + 11);
    EXPECT_EQ(end_of({{0, 0, 0, 5}, {0, 0, 0, 5}}, real(), Bus::corrected), 7 + 2 + 11);
}

TEST(DplenaController, keeps_activates_of_a_channel_apart) {
    EXPECT_EQ(end_of({{0, 0, 0, 5}, {1, 0, 0, 5}}, real()), 2 + 7 + 11);                  // row bus
    EXPECT_EQ(end_of({{0, 0, 0, 5}, {0, 0, 1, 5}}, real(), Bus::corrected), 3 + 7 + 11);  // same group
    EXPECT_EQ(end_of({{0, 0, 0, 5}, {0, 1, 0, 5}}, real(), Bus::corrected), 2 + 7 + 11);  // other group
}

TEST(DplenaController, waits_for_the_window_of_four_activates) {
    std::vector<std::array<std::uint32_t, 4>> const five{
        {0, 0, 0, 5}, {0, 1, 0, 5}, {0, 2, 0, 5}, {0, 3, 0, 5}, {0, 0, 1, 5}};
    // The third read takes tick 15 on the data side, so the fifth ACT goes in tick 16.
    EXPECT_EQ(end_of(five, real()), 16 + 7 + 11);
    auto longer = real();
    longer.four_activates = 17;
    EXPECT_EQ(end_of(five, longer), 17 + 7 + 11);
}

TEST(DplenaController, reopens_a_bank_no_sooner_than_a_row_cycle) {
    std::vector<std::array<std::uint32_t, 4>> const two_rows{{0, 0, 0, 5}, {0, 0, 0, 6}};
    EXPECT_EQ(end_of(two_rows, real()), 17 + 7 + 7 + 11);  // nRAS, nRP, nRCD
    auto slow_row = real();
    slow_row.row_cycle = 24;
    EXPECT_EQ(end_of(two_rows, slow_row), 24 + 7 + 11);
    slow_row.row_cycle = 25;
    EXPECT_EQ(end_of(two_rows, slow_row), 25 + 7 + 11);
}

TEST(DplenaController, does_not_close_a_row_that_was_opened_for_a_waiting_read) {
    auto slow_bus = real();
    slow_bus.bus[0] = 30;
    // The second read's row is opened in tick 2 and read in tick 37; the third wants another row of that bank and may
    // close it only then, although nRAS is over in tick 19.
    EXPECT_EQ(end_of({{0, 0, 0, 5}, {0, 1, 0, 5}, {0, 1, 0, 6}}, slow_bus), 37 + 30 + 11);
    slow_bus.read_to_precharge = 20;
    EXPECT_EQ(end_of({{0, 0, 0, 5}, {0, 1, 0, 5}, {0, 1, 0, 6}}, slow_bus), 37 + 20 + 7 + 7 + 11);
}

TEST(DplenaController, refuses_the_read_that_finds_the_queue_full) {
    auto one_place = real();
    one_place.read_queue = 1;
    // The queue takes the second read when the first has left it for its opened row, in tick 0, so its ACT goes in
    // tick 3.
    EXPECT_EQ(end_of({{0, 0, 0, 5}, {0, 0, 1, 5}}, one_place, Bus::corrected), 3 + 7 + 11);
    // A read that hits an open row of another bank behind it cannot overtake: it is not in the queue yet.
    EXPECT_EQ(end_of({{0, 0, 0, 5}, {0, 0, 0, 6}, {1, 0, 0, 5}}, one_place), 17 + 7 + 2 + 7 + 11);
}

TEST(DplenaController, keeps_quiet_and_forgets_its_rows_while_it_refreshes) {
    auto const t = real();
    ChannelTiming const timing(t, Bus::compat);
    Controller controller(timing, 1, Refresh::on, t.refresh_interval);
    std::vector<HbmAddress> const read{{0, 0, 5}};
    controller.present(read, 0);
    EXPECT_EQ(controller.finish_oldest(), 18);
    controller.present(read, 3899);
    EXPECT_EQ(controller.finish_oldest(), 3899 + 11);  // one tick before: the row is still open
    controller.present(read, 3950);
    EXPECT_EQ(controller.finish_oldest(), 3900 + 350 + 18);  // inside: waits and opens the row again
    controller.present(read, 7799);
    EXPECT_EQ(controller.finish_oldest(), 7799 + 11);
    controller.present(std::vector<HbmAddress>{{0, 0, 6}}, 7799 + 11);
    EXPECT_EQ(controller.finish_oldest(), 7800 + 350 + 18);
}

}  // namespace
}  // namespace hbm_test
