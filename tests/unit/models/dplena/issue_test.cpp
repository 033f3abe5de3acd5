#include "models/dplena/issue.hpp"

#include "models/dplena/cycle.hpp"
#include "models/dplena/parameters.hpp"
#include "models/dplena/walk.hpp"
#include "tests/unit/models/dplena/costs_within_bounds.hpp"
#include "tests/unit/models/dplena/random_designs.hpp"

#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>

namespace issue_test {
namespace {

using namespace pimdse::models;
using namespace pimdse::models::dplena;
using support::Kind;
using support::value;

/// Cycles of the RTL from issue to result, as printed by its authors, for the lanes that they simulated.
TEST(DplenaRtl, takes_what_its_authors_measured) {
    struct Measured {
        std::int64_t lanes;
        Opcode opcode;
        std::int64_t cycles;
    };
    for (auto const& row :
         {Measured{8, Opcode::v_red_sum, 33}, Measured{32, Opcode::v_red_sum, 47}, Measured{8, Opcode::v_red_max, 13},
          Measured{32, Opcode::v_red_max, 17}, Measured{8, Opcode::v_sub_vf, 13}, Measured{32, Opcode::v_mul_vf, 11},
          Measured{32, Opcode::v_exp_v, 21}, Measured{8, Opcode::s_map_v_fp, 11}, Measured{32, Opcode::s_map_v_fp, 35},
          Measured{8, Opcode::s_add_fp, 9}, Measured{8, Opcode::s_mul_fp, 7}, Measured{8, Opcode::s_exp_fp, 19},
          Measured{8, Opcode::s_reci_fp, 9}}) {
        auto d = support::design({{"instruction_latency", "rtl"}, {"vlen", "64"}, {"vocab", "128"}});
        d.vlen = row.lanes;
        d.exp_lanes = row.lanes;
        Program const program(d, support::machine().costs);
        constexpr std::int64_t issue = 1;
        EXPECT_EQ(result_delays(program)[static_cast<std::size_t>(row.opcode)] + issue, row.cycles)
            << row.lanes << " " << opcode_names[static_cast<std::size_t>(row.opcode)];
    }
}

/// Cycle after cycle, with registers by name: the next instruction issues if none that writes what it reads is under
/// way. A sink of Walk.
class CycleByCycle {
  public:
    explicit CycleByCycle(Program const& program) : delays_(result_delays(program)) {}

    void run(Unit, Opcode opcode, std::int64_t cycles, std::int64_t row) {
        auto const& [reads, writes] = registers().at(opcode_names[static_cast<std::size_t>(opcode)]);
        auto const name = [&](std::string const& of) { return of + std::to_string(row); };
        while (std::ranges::any_of(reads, [&](auto const& r) { return under_way_.contains(name(r)); })) tick(stalls);
        for (auto const& of : writes) {
            under_way_.erase(name(of));
            if (auto const left = cycles + delays_[static_cast<std::size_t>(opcode)]; left > 0)
                under_way_[name(of)] = left;
        }
        for (std::int64_t i = 0; i < cycles; ++i) tick(issued);
    }
    void fetch(std::uint64_t, std::uint64_t, std::uint64_t, std::int64_t) {}
    void drain() {
        while (!under_way_.empty()) tick(stalls);
    }

    std::int64_t issued = 0, stalls = 0;

  private:
    using Names = std::vector<std::string>;
    static std::map<std::string_view, std::pair<Names, Names>> const& registers() {
        static std::map<std::string_view, std::pair<Names, Names>> const all{{"V_RED_MAX_IDX", {{"m", "p"}, {"m"}}},
                                                                             {"V_RED_MAX", {{"m", "p"}, {"m"}}},
                                                                             {"V_SUB_VF", {{"m"}, {"x"}}},
                                                                             {"V_EXP_V", {{"x"}, {"x"}}},
                                                                             {"V_RED_SUM", {{"x", "s"}, {"s"}}},
                                                                             {"V_MUL_VF", {{"x", "f"}, {"p"}}},
                                                                             {"V_TOPK_MASK", {{"f"}, {}}},
                                                                             {"V_SELECT_INT", {}},
                                                                             {"S_MAP_V_FP", {{}, {"f"}}},
                                                                             {"S_ADD_FP", {{}, {"m", "s"}}},
                                                                             {"S_EXP_FP", {{"m"}, {"f"}}},
                                                                             {"S_MUL_FP", {{"f", "s"}, {"s"}}},
                                                                             {"S_RECI_FP", {{"s"}, {"f"}}},
                                                                             {"S_ST_FP", {{"m", "f"}, {}}},
                                                                             {"S_ST_INT", {{"m"}, {}}},
                                                                             {"S_ADD_INT", {}},
                                                                             {"S_ADDI_INT", {}},
                                                                             {"S_LUI_INT", {}},
                                                                             {"C_SET_ADDR_REG", {}},
                                                                             {"C_SET_SCALE_REG", {}},
                                                                             {"C_SET_STRIDE_REG", {}}};
        return all;
    }
    void tick(std::int64_t& counter) {
        ++counter;
        for (auto& result : under_way_) --result.second;
        std::erase_if(under_way_, [](auto const& result) { return result.second == 0; });
    }

    ResultDelays delays_;
    std::map<std::string, std::int64_t> under_way_;
};

/// Designs as support draws them, with the times of the RTL and chains from one to more than there are rows.
template <class Check>
void for_random_pipelines(std::uint64_t seed, int count, Kind kind, support::Sizes const& sizes, Check check) {
    support::Rng rng(seed);
    std::set<std::string> kinds;
    support::for_random_designs(
        seed, count, kind,
        [&](Design design, Program const&) {
            design.instruction_latency = InstructionLatency::rtl;
            design.chains = rng.below(3) == 0 ? 1 : 1 + rng.below(80);
            design.overlap = std::min(design.overlap, Overlap::prefetch);
            if (design.passes == Passes::two && rng.below(3) == 0) design.softmax = SoftmaxForm::plain;
            if (dplena::broken_rule(design, support::prepared())) return;
            SCOPED_TRACE(support::told(design) + " chains " + std::to_string(design.chains) + " plain " +
                         std::to_string(static_cast<int>(design.softmax)));
            kinds.insert(std::to_string(static_cast<int>(design.mode)) + std::to_string(design.interleaved_rows() > 1));
            check(design, Program(design, support::machine().costs));
        },
        sizes);
    EXPECT_GE(kinds.size(), 2U);
}

TEST(DplenaRtl, stalls_as_a_machine_that_is_stepped_cycle_by_cycle) {
    support::Sizes const short_programs{.max_prefetches = 12000, .max_cycles = 300'000};
    for_random_pipelines(71, 60, Kind::serial, short_programs, [](Design const&, Program const& program) {
        CycleByCycle machine(program);
        Walk walk(program, machine);
        walk.all();
        EXPECT_EQ(program.total().stall, machine.stalls);
        EXPECT_EQ(program.total().sum(), machine.issued + machine.stalls);
        auto const cost = serial_timeline(program, support::machine().hbm);
        EXPECT_EQ(cost.counts, program.total());
        EXPECT_EQ(cost.total.value, cost.memory.value + static_cast<double>(program.total().sum()));
    });
}

void expect_bounds_to_hold(std::uint64_t seed, Kind kind) {
    for_random_pipelines(seed, 40, kind, {},
                         [](Design const&, Program const& program) { (void)support::overlap_within_bounds(program); });
}

TEST(DplenaRtl, has_bounds_that_hold) { expect_bounds_to_hold(72, Kind::serial); }

TEST(DplenaRtl, has_bounds_that_hold_with_overlap_and_refresh) { expect_bounds_to_hold(73, Kind::everything); }

/// Cycles of a group whose rows are interleaved n at a time, by hand. A turn of the first pass issues n reductions and
/// 2 n increments; one of the second n differences, n exponentials, n reductions and n increments. A pass ends with the
/// result of its last row.
std::int64_t cycles_of_rows(std::int64_t n, std::int64_t vectors) {
    constexpr std::int64_t max = 5 + 2 * 12, sum = 5 + 7 * 12, sub = 13, exp = 21;
    auto const first = std::max(3 * n, max) * (vectors - 1) + n - 1 + max;
    auto const operands = std::max(n, sub) + std::max(n, exp);
    auto const second = operands + std::max(operands + 2 * n, sum) * (vectors - 1) + n - 1 + sum;
    return first + second;
}

TEST(DplenaRtl, takes_the_longest_chain_or_all_issues_of_a_turn) {
    for (std::int64_t const n : {1, 2, 4, 8, 16, 32}) {
        auto const design = support::design({{"instruction_latency", "rtl"}, {"chains", std::to_string(n)}});
        Program const program(design, support::machine().costs);
        auto const tail = program.tail().sum();
        auto const rest = program.total().sum() - program.prologue().sum() - 16 * tail -
                          16 * program.preload_header(1 << 20).sum() -
                          program.prefetch_bumps(program.logit_prefetches()).sum();
        auto const rows = 16 * (32 / n) * cycles_of_rows(n, 62);
        EXPECT_GE(rest, rows);
        EXPECT_LE(rest, rows + 16 * 32 * 24) << "addresses, registers and stores of a row";
    }
}

TEST(DplenaRtl, gains_from_interleaved_rows_until_the_issue_slot_is_full) {
    auto const cycles = [](std::int64_t chains) {
        return value({{"instruction_latency", "rtl"}, {"chains", std::to_string(chains)}}, "cycles_total",
                     Fidelity::cycle);
    };
    double before = cycles(1);
    for (std::int64_t const chains : {2, 4, 8, 16, 32}) {
        EXPECT_LT(cycles(chains), before) << chains;
        before = cycles(chains);
    }
    EXPECT_EQ(cycles(64), cycles(32)) << "a group has 32 rows";
}

TEST(DplenaRtl, needs_eight_interleaved_rows_for_what_table_two_says_of_the_a6000) {
    constexpr double board = 2.51e-3, published = 2.53;
    auto const speed_up = [](std::string const& chains) {
        return board / value({{"instruction_latency", "rtl"}, {"chains", chains}}, "latency", Fidelity::cycle);
    };
    EXPECT_LT(speed_up("1"), 0.6);
    EXPECT_LT(speed_up("7"), published);
    EXPECT_GT(speed_up("8"), published);
}

TEST(DplenaRtl, refuses_what_it_has_no_times_for) {
    for (auto const& setting : support::Settings{{"max_idx", "program"},
                                                 {"topk", "program"},
                                                 {"temperature", "1"},
                                                 {"memories", "unified"},
                                                 {"overlap", "dual_issue"},
                                                 {"overlap", "fused_head"}})
        EXPECT_EQ(support::broken_rule({{"instruction_latency", "rtl"}, setting}), "rtl_instructions") << setting.first;
    EXPECT_EQ(support::broken_rule({{"instruction_latency", "rtl"}, {"sampler", "host"}}), "host_programs");
    for (auto const& setting : support::Settings{{"overlap", "prefetch"}, {"softmax", "plain"}})
        EXPECT_EQ(support::broken_rule({{"instruction_latency", "rtl"}, setting}), "") << setting.first;
}

TEST(DplenaRtl, builds_registers_for_the_rows_that_it_interleaves_and_draws_no_more_than_the_published_power) {
    auto const area = [](support::Settings const& settings) { return value(settings, "area"); };
    double const one = area({{"instruction_latency", "rtl"}});
    EXPECT_EQ(one, area({}));
    EXPECT_NEAR(area({{"instruction_latency", "rtl"}, {"chains", "8"}}) - one, 7 * 64e-12, 1e-15);
    EXPECT_EQ(area({{"chains", "8"}}), one) << "the library's times leave nothing to interleave";
    auto const breakdown =
        dplena::Program(support::design({{"instruction_latency", "rtl"}, {"chains", "32"}}), support::machine().costs);
    EXPECT_LE(static_cast<double>(breakdown.total().vector),
              value({{"instruction_latency", "rtl"}, {"chains", "32"}}, "cycles_total"));
}

}  // namespace
}  // namespace issue_test
