#include "sim/pim/command_channel.hpp"

#include "random_units.hpp"
#include "slow_command_channel.hpp"

#include <gtest/gtest.h>

namespace pimdse::sim::pim::command_channel_test {
namespace {

using Kind = ProgramStep::Kind;

UnitTiming small_timing() {
    UnitTiming t;
    t.clock = Time{1e-9};
    t.activate_to_mac = 10;
    t.activate_to_write = 7;
    t.mac_interval = 2;
    t.mac_to_precharge = 4;
    t.precharge = 6;
    t.activate_to_precharge = 15;
    t.activate_to_activate = 20;
    t.write_to_activate = 30;
    t.buffer_write = 2;
    t.sum_write = 3;
    t.sum_read = 5;
    return t;
}

std::int64_t cycles_of(UnitTiming const& timing, Program const& program) {
    CommandChannel channel(timing, 16);
    channel.execute(program);
    return channel.cycles();
}

TEST(CommandChannel, issues_by_hand_what_the_distances_allow) {
    auto const t = small_timing();
    EXPECT_EQ(cycles_of(t, {{Kind::multiply, 3, true}}), 0 + 10 + 2 * 2 + 1) << "ACT 0, MAC 10 12 14";
    EXPECT_EQ(cycles_of(t, {{Kind::multiply, 3, true}, {Kind::multiply, 1, false}}), 17);
    EXPECT_EQ(cycles_of(t, {{Kind::multiply, 3, true}, {Kind::multiply, 1, true}}), 18 + 6 + 10 + 1)
        << "PRE 18, ACT 24, MAC 34";
    EXPECT_EQ(cycles_of(t, {{Kind::multiply, 1, true}, {Kind::multiply, 1, true}}), 15 + 6 + 10 + 1)
        << "PRE waits for nRAS";
    EXPECT_EQ(cycles_of(t, {{Kind::write_buffer, 4}}), 7);
    EXPECT_EQ(cycles_of(t, {{Kind::write_buffer, 4}, {Kind::write_sums, 2}, {Kind::read_sums, 2}}),
              6 + 2 + 3 + 1 + 5 + 1);
    EXPECT_EQ(cycles_of(t, {{Kind::append, 2, true, 16}, {Kind::multiply, 1, true}}), 7 + 2 + 30 + 10 + 1);
}

TEST(CommandChannel, changes_its_mode_when_the_next_command_could_be_issued) {
    auto t = small_timing();
    t.mode_change = 32;
    Program const program{{Kind::write_buffer, 1}, {Kind::multiply, 1, true}, {Kind::read_sums, 1}};
    CommandChannel channel(t, 16);
    channel.execute(program);
    EXPECT_EQ(channel.cycles(), (1 + 32) + 10 + 1 + 32 + 1) << "mode 1, ACT 33, MAC 43, mode 44, read 76";
    EXPECT_EQ(channel.commands().mode_changes, 2);
}

TEST(CommandChannel, closes_the_row_for_a_refresh_and_opens_it_again) {
    auto t = small_timing();
    t.refresh_interval = 100;
    t.refresh_time = 40;
    CommandChannel channel(t, 16);
    channel.execute({{Kind::multiply, 60, true}});
    // MACs 10 .. 98 (45), PRE 102, REF 108, ACT 148, MACs from 158.
    EXPECT_EQ(channel.cycles(), 158 + 14 * 2 + 1);
    EXPECT_EQ(channel.commands().refreshes, 1);
    EXPECT_EQ(channel.commands().bank_activations, 32);
    EXPECT_EQ(channel.commands().macs, 60);
    EXPECT_EQ(channel.open_cycles(), 102 + (186 - 148));
}

TEST(CommandChannel, equals_the_slow_reference_on_random_programs) {
    test::RandomUnits random(3);
    int refreshes = 0, changes = 0;
    for (int i = 0; i < 4000; ++i) {
        auto const units = random.units();
        bool const refreshed = random.draw(0, 3) != 0;
        CommandChannel fast(units.timing, units.sizes.banks, refreshed);
        test::SlowCommandChannel slow(units.timing, units.sizes.banks, refreshed);
        for (auto executions = random.draw(1, 3); executions > 0; --executions) {
            auto const program = random.program(units);
            if (program.size() > 600) continue;
            fast.execute(program);
            slow.execute(program);
        }
        ASSERT_EQ(fast.cycles(), slow.cycles()) << "case " << i;
        ASSERT_EQ(fast.commands(), slow.commands()) << "case " << i;
        ASSERT_LE(fast.open_cycles(), fast.cycles() + units.timing.write_to_activate);
        refreshes += fast.commands().refreshes > 2 ? 1 : 0;
        changes += fast.commands().mode_changes > 2 ? 1 : 0;
    }
    EXPECT_GT(refreshes, 400);
    EXPECT_GT(changes, 400);
}

}  // namespace
}  // namespace pimdse::sim::pim::command_channel_test
