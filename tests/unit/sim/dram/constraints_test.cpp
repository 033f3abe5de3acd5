#include "models/dram/dram_standard.hpp"
#include "sim/dram/timers.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <string_view>

/// Every pairwise rule with values derived by hand: refused at n - 1, accepted at n.
namespace pimdse::sim::dram::test::constraints_test {
namespace {

using enum Command;

/// Place of `to` relative to `from`.
enum class Where { same_bank, same_group, same_rank, other_rank };

struct Rule {
    Command from, to;
    Where where;
    Tick delay;
};

struct Table {
    char const* standard;
    std::vector<Rule> rules;
};

// same_bank: the largest of bank, group, rank and channel; same_group: another bank of the group; same_rank: another
// group.
std::vector<Table> const tables{{"L5B",
                                 {{read, read, Where::same_bank, 2},
                                  {write, write, Where::same_rank, 2},
                                  {read, write, Where::same_rank, 13},
                                  {write, read, Where::same_rank, 18},
                                  {write, read, Where::same_group, 23},
                                  {read, precharge, Where::same_bank, 4},
                                  {write, precharge, Where::same_bank, 41},
                                  {activate, activate, Where::same_rank, 4},
                                  {activate, activate, Where::same_bank, 49},
                                  {activate, read, Where::same_bank, 15},
                                  {activate, write, Where::same_bank, 15},
                                  {activate, precharge, Where::same_bank, 34},
                                  {precharge, activate, Where::same_bank, 15},
                                  {precharge, precharge, Where::same_rank, 2},
                                  {activate, precharge_all, Where::same_rank, 34},
                                  {precharge_all, activate, Where::same_rank, 17},
                                  {precharge_all, precharge, Where::same_rank, 2},
                                  {precharge_all, refresh_all, Where::same_rank, 15},
                                  {precharge, refresh_all, Where::same_rank, 15},
                                  {activate, refresh_all, Where::same_rank, 49},
                                  {refresh_all, activate, Where::same_rank, 168},
                                  {refresh_all, refresh_all, Where::same_rank, 168},
                                  {refresh_all, precharge_all, Where::same_rank, 168},
                                  {refresh_all, refresh_bank, Where::same_rank, 168},
                                  {refresh_bank, refresh_bank, Where::same_rank, 72},
                                  {refresh_bank, refresh_all, Where::same_rank, 96},
                                  {refresh_bank, activate, Where::same_rank, 6},
                                  {refresh_bank, activate, Where::same_bank, 96},
                                  {activate, refresh_bank, Where::same_bank, 49},
                                  {precharge, refresh_bank, Where::same_bank, 15},
                                  {read, precharge_all, Where::same_rank, 4},
                                  {write, precharge_all, Where::same_rank, 41},
                                  {read, read, Where::same_rank, 2},
                                  {precharge, precharge_all, Where::same_rank, 2},
                                  {precharge_all, precharge_all, Where::same_rank, 2}}},
                                {"L5A",
                                 {{read, read, Where::same_rank, 4},
                                  {read, write, Where::same_rank, 15},
                                  {write, read, Where::same_rank, 20},
                                  {write, read, Where::same_group, 25},
                                  {write, precharge, Where::same_bank, 43}}},
                                {"L5J",
                                 {{read, read, Where::same_rank, 2},
                                  {read, read, Where::same_group, 4},
                                  {write, write, Where::same_group, 4},
                                  {read, write, Where::same_rank, 12},
                                  {write, read, Where::same_rank, 16},
                                  {write, read, Where::same_group, 23},
                                  {read, precharge, Where::same_bank, 8},
                                  {write, precharge, Where::same_bank, 39}}},
                                {"D4_2400",
                                 {{read, read, Where::other_rank, 6},
                                  {read, write, Where::other_rank, 6},
                                  {write, read, Where::other_rank, 2},
                                  {write, write, Where::other_rank, 4},
                                  {read, read, Where::same_rank, 4},
                                  {read, read, Where::same_group, 6},
                                  {read, write, Where::same_rank, 10},
                                  {write, read, Where::same_rank, 19},
                                  {write, read, Where::same_group, 25},
                                  {read, precharge_all, Where::same_rank, 9},
                                  {write, precharge_all, Where::same_rank, 34},
                                  {activate, activate, Where::same_rank, 4},
                                  {activate, activate, Where::same_group, 6},
                                  {activate, activate, Where::same_bank, 55},
                                  {activate, activate, Where::other_rank, 0},
                                  {activate, precharge_all, Where::same_rank, 39},
                                  {precharge_all, activate, Where::same_rank, 16},
                                  {activate, refresh_all, Where::same_rank, 55},
                                  {precharge, refresh_all, Where::same_rank, 16},
                                  {precharge_all, refresh_all, Where::same_rank, 16},
                                  {refresh_all, activate, Where::same_rank, 433},
                                  {refresh_all, precharge_all, Where::same_rank, 433},
                                  {refresh_all, refresh_all, Where::same_rank, 0},
                                  {precharge, precharge, Where::same_rank, 0},
                                  {activate, read, Where::same_bank, 16},
                                  {activate, precharge, Where::same_bank, 39},
                                  {precharge, activate, Where::same_bank, 16},
                                  {read, precharge, Where::same_bank, 9},
                                  {write, precharge, Where::same_bank, 34},
                                  {write, write, Where::same_rank, 4},
                                  {write, write, Where::same_group, 6},
                                  {activate, write, Where::same_bank, 16}}},
                                {"D4_3200",
                                 {{write, read, Where::other_rank, 0},
                                  {read, write, Where::same_rank, 12},
                                  {write, read, Where::same_rank, 24},
                                  {write, read, Where::same_group, 32},
                                  {activate, activate, Where::same_group, 8}}},
                                {"HBM2_2000",
                                 {{activate, activate, Where::other_rank, 2},
                                  {activate, precharge, Where::other_rank, 2},
                                  {activate, precharge_all, Where::other_rank, 2},
                                  {activate, refresh_all, Where::other_rank, 2},
                                  {read, read, Where::same_rank, 2},
                                  {read, read, Where::other_rank, 0},
                                  {read, write, Where::same_rank, 13},
                                  {write, read, Where::same_rank, 13},
                                  {write, read, Where::same_group, 15},
                                  {read, read, Where::same_group, 4},
                                  {activate, activate, Where::same_rank, 4},
                                  {activate, precharge_all, Where::same_rank, 35},
                                  {precharge_all, activate, Where::same_rank, 13},
                                  {activate, refresh_all, Where::same_rank, 49},
                                  {precharge, refresh_all, Where::same_rank, 14},
                                  {refresh_all, activate, Where::same_rank, 259},
                                  {refresh_all, precharge_all, Where::same_rank, 260},
                                  {activate, activate, Where::same_bank, 48},
                                  {activate, read, Where::same_bank, 15},
                                  {activate, write, Where::same_bank, 13},
                                  {activate, precharge, Where::same_bank, 35},
                                  {precharge, activate, Where::same_bank, 13},
                                  {read, precharge, Where::same_bank, 5},
                                  {write, precharge, Where::same_bank, 23},
                                  {write, write, Where::same_rank, 2},
                                  {write, write, Where::same_group, 4},
                                  {read, precharge_all, Where::same_rank, 5},
                                  {write, precharge_all, Where::same_rank, 23},
                                  {precharge_all, refresh_all, Where::same_rank, 14},
                                  {activate, precharge, Where::same_rank, 2},
                                  {activate, refresh_bank, Where::other_rank, 2},
                                  {activate, refresh_bank, Where::same_rank, 5},
                                  {activate, refresh_bank, Where::same_bank, 49},
                                  {refresh_bank, refresh_bank, Where::same_rank, 8},
                                  {refresh_bank, activate, Where::same_rank, 7},
                                  {refresh_bank, activate, Where::same_bank, 159},
                                  {precharge, refresh_bank, Where::same_bank, 14}}}};

bool of_rank(Command command) { return command == precharge_all || command == refresh_all; }

std::size_t bank_at(Organisation const& o, Where where) {
    auto const banks = static_cast<std::size_t>(o.banks), groups = static_cast<std::size_t>(o.bank_groups);
    return where == Where::same_bank    ? 0
           : where == Where::same_group ? 1
           : where == Where::same_rank  ? banks
                                        : banks * groups;
}

/// Cycles from one command to the earliest tick of another.
Tick gap(Standard const& standard, Command from, Command to, Where where) {
    constexpr Tick start = 1000;
    Timers timers(standard);
    if (of_rank(from))
        timers.issue_at_rank(from, 0, start);
    else
        timers.issue_at_bank(from, 0, start);
    auto const bank = bank_at(standard.organisation, where);
    Tick const earliest = of_rank(to) ? timers.at_rank(to, timers.rank_of(bank)) : timers.at_bank(to, bank);
    return std::max(earliest, start) - start;
}

class Constraints : public ::testing::TestWithParam<std::size_t> {};

TEST_P(Constraints, refuse_at_n_minus_1_and_accept_at_n) {
    auto const& table = tables[GetParam()];
    auto const standard = models::load_dram_standard(table.standard);
    for (auto const& rule : table.rules) {
        EXPECT_EQ(gap(standard, rule.from, rule.to, rule.where), rule.delay)
            << table.standard << " command " << static_cast<int>(rule.from) << " -> " << static_cast<int>(rule.to)
            << " at " << static_cast<int>(rule.where);
    }
}

/// Delay that the rules of a table require at a place: those for it and for wider places.
Tick demanded(Table const& table, Command from, Command to, Where where) {
    Tick max = 0;
    for (auto const& rule : table.rules) {
        bool const covers =
            where == Where::other_rank ? rule.where == where : rule.where >= where && rule.where != Where::other_rank;
        if (rule.from == from && rule.to == to && covers) max = std::max(max, rule.delay);
    }
    return max;
}

TEST(ConstraintsOf, demand_nothing_that_the_tables_do_not_say) {
    for (auto const* name : {"L5B", "D4_2400", "HBM2_2000"}) {
        auto const& table = *std::find_if(tables.begin(), tables.end(),
                                          [&](Table const& t) { return t.standard == std::string_view(name); });
        auto const standard = models::load_dram_standard(name);
        for (std::size_t pair = 0; pair < command_count * command_count; ++pair) {
            auto const from = static_cast<Command>(pair / command_count),
                       to = static_cast<Command>(pair % command_count);
            for (auto const where : {Where::same_bank, Where::same_group, Where::same_rank, Where::other_rank}) {
                if (where == Where::other_rank && standard.organisation.ranks == 1) continue;
                if (of_rank(to) && where < Where::same_rank) continue;
                EXPECT_EQ(gap(standard, from, to, where), demanded(table, from, to, where))
                    << name << " command " << pair / command_count << " -> " << pair % command_count << " at "
                    << static_cast<int>(where);
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Section26, Constraints, ::testing::Range(std::size_t{0}, std::size_t{6}));

TEST(FourActivates, make_the_fifth_wait_for_nFAW_and_not_the_fourth) {
    for (auto const& [name, faw] : {std::pair{"D4_2400", 26}, {"D4_3200", 34}}) {
        auto const standard = models::load_dram_standard(name);
        Timers timers(standard);
        // One ACT per group, as close as nRRD_S allows.
        for (std::size_t i = 0; i < 4; ++i) {
            EXPECT_EQ(timers.at_bank(Command::activate, 4 * i), i == 0 ? 0 : 100 + 4 * static_cast<Tick>(i)) << name;
            timers.issue_at_bank(Command::activate, 4 * i, 100 + 4 * static_cast<Tick>(i));
        }
        EXPECT_EQ(timers.at_bank(Command::activate, 1), 100 + faw) << name;
        EXPECT_EQ(timers.at_bank(Command::activate, 17), 0) << "the other rank is counted separately";
    }
}

TEST(FourActivates, bind_in_hbm2_only_when_spread_by_nRRD) {
    auto const standard = models::load_dram_standard("HBM2_2000");
    Timers timers(standard);
    for (std::size_t i = 0; i < 4; ++i) timers.issue_at_bank(Command::activate, 4 * i, 100 + 4 * static_cast<Tick>(i));
    EXPECT_EQ(timers.at_bank(Command::activate, 1), 116);  // nRRD after the fourth exceeds nFAW = 15
}

}  // namespace
}  // namespace pimdse::sim::dram::test::constraints_test
