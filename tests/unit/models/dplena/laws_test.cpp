#include "models/dplena/cycle.hpp"
#include "tests/unit/models/dplena/costs_within_bounds.hpp"
#include "tests/unit/models/dplena/random_designs.hpp"

#include <gtest/gtest.h>
#include <cmath>

namespace laws_test {
namespace {

using namespace pimdse::models;
using namespace pimdse::models::dplena;
using support::Kind;

template <class Check>
void for_random_designs(std::uint64_t seed, int count, Kind kind, Check check) {
    support::for_random_designs(seed, count, kind, [&](Design const& design, Program const& program) {
        SCOPED_TRACE(support::told(design));
        check(design, program);
    });
}

TEST(DplenaLaws, the_walk_counts_what_the_closed_form_counts) {
    for_random_designs(11, 40, Kind::everything, [](Design const&, Program const& program) {
        auto const cost = serial_timeline(program, support::machine().hbm);
        EXPECT_EQ(cost.counts, program.total());
        EXPECT_EQ(cost.prefetches, program.prefetches());
        EXPECT_EQ(cost.total.value, cost.memory.value + static_cast<double>(program.total().sum()));
    });
}

void expect_bounds_to_hold(std::uint64_t seed, int count, Kind kind) {
    for_random_designs(seed, count, kind,
                       [&](Design const&, Program const& program) { (void)support::overlap_within_bounds(program); });
}

TEST(DplenaLaws, bounds_hold_without_overlap) { expect_bounds_to_hold(12, 80, Kind::serial); }

TEST(DplenaLaws, bounds_hold_with_refresh) { expect_bounds_to_hold(13, 40, Kind::refreshing); }

TEST(DplenaLaws, bounds_hold_with_overlap) { expect_bounds_to_hold(14, 60, Kind::overlapped); }

TEST(DplenaLaws, bounds_hold_with_overlap_and_refresh) { expect_bounds_to_hold(17, 40, Kind::everything); }

TEST(DplenaLaws, overlap_is_never_faster_than_a_resource) {
    for_random_designs(15, 40, Kind::everything, [](Design const& design, Program const& program) {
        auto const fast = cycle_sampling(program, support::machine().hbm);
        EXPECT_GE(fast.total.value, fast.memory.value);
        EXPECT_GE(fast.total.value, static_cast<double>(fast.counts.vector));
        // Bytes over the pins: channels x 2 pseudo-channels x 32 bytes every bus slot.
        auto const bus = static_cast<double>(support::machine().hbm.timing.bus[static_cast<std::size_t>(design.bus)]);
        auto const bytes =
            64.0 * static_cast<double>(fast.prefetches) * static_cast<double>(design.lines_per_prefetch());
        EXPECT_GE(fast.total.value, bytes / (static_cast<double>(design.channels) * 64.0) * bus - bus);
        if (design.overlap == Overlap::prefetch) {
            EXPECT_GE(fast.total.value, static_cast<double>(program.total().sum()));
        }
    });
}

TEST(DplenaLaws, more_overlap_and_more_buffers_do_not_hurt) {
    for_random_designs(16, 20, Kind::overlapped, [](Design design, Program const&) {
        design.outstanding = 1;
        auto const total = [&] {
            return cycle_sampling(Program(design, support::machine().costs), support::machine().hbm).total.value;
        };
        design.overlap = Overlap::prefetch;
        auto const prefetch = total();
        design.overlap = Overlap::dual_issue;
        auto const dual = total();
        EXPECT_LE(dual, prefetch);
        design.buffers += 2;
        EXPECT_LE(total(), dual);
    });
}

TEST(DplenaOverlap, hides_what_the_ideal_bounds_of_the_table_three_point_say) {
    auto const total = [](std::string const& overlap) {
        return support::value({{"overlap", overlap}, {"buffers", "2"}}, "cycles_total", Fidelity::cycle);
    };
    EXPECT_EQ(support::value({}, "cycles_total", Fidelity::cycle), 991038.0);
    EXPECT_NEAR(total("prefetch"), 596000.0, 0.05 * 596000.0);  // and the first group's fetch
    EXPECT_GE(total("prefetch"), 595656.0);
    EXPECT_GE(total("dual_issue"), 477696.0);
    EXPECT_LE(total("dual_issue"), 1.08 * 478000.0);
    EXPECT_LT(total("fused_head"), total("dual_issue"));
}

TEST(DplenaOverlap, online_reads_every_chunk_once) {
    support::Settings const edge{{"mode", "edge"},  {"vlen", "64"},     {"batch", "2"},   {"block_length", "64"},
                                 {"vocab", "8192"}, {"v_chunk", "128"}, {"prefetch", "1"}};
    auto const once = support::with(edge, "passes", "1");
    auto const two = Program(support::design(edge), support::machine().costs);
    auto const one = Program(support::design(once), support::machine().costs);
    EXPECT_EQ(one.logit_prefetches() * 2, two.logit_prefetches());
    EXPECT_LT(support::value(once, "cycles_total", Fidelity::cycle),
              support::value(edge, "cycles_total", Fidelity::cycle));
}

TEST(DplenaFigureFive, time_grows_in_proportion_to_batch_steps_and_vocabulary) {
    auto const total = [](std::string const& batch, std::string const& steps, std::string const& vocab) {
        return support::value({{"mode", "edge"},
                               {"vlen", "64"},
                               {"prefetch", "1"},
                               {"block_length", "64"},
                               {"v_chunk", "128"},
                               {"batch", batch},
                               {"steps", steps},
                               {"vocab", vocab}},
                              "cycles_total", Fidelity::cycle);
    };
    EXPECT_NEAR(total("16", "1", "2048") / total("2", "1", "2048"), 8.17, 0.01);
    EXPECT_NEAR(total("2", "8", "2048") / total("2", "2", "2048"), 4.04, 0.01);
    EXPECT_NEAR(total("2", "1", "32768") / total("2", "1", "8192"), 4.1, 0.02);
}

TEST(DplenaFigureFive, larger_chunks_stop_paying_at_about_four_thousand) {
    auto const total = [](std::string const& chunk) {
        return support::value({{"mode", "edge"},
                               {"vlen", "64"},
                               {"prefetch", "1"},
                               {"block_length", "64"},
                               {"batch", "2"},
                               {"vocab", "32768"},
                               {"v_chunk", chunk}},
                              "cycles_total", Fidelity::cycle);
    };
    EXPECT_GT(total("128") / total("4096"), 1.15);
    EXPECT_LT(total("4096") / total("32768"), 1.006);
}

TEST(DplenaTrace, covers_the_whole_run_without_gaps_when_nothing_overlaps) {
    support::Settings const small{{"vlen", "512"}, {"batch", "4"}, {"vocab", "4096"}};
    auto const trace = support::architecture().trace(support::inputs(), support::point(small), Fidelity::cycle);
    double now = 0.0;
    for (auto const& event : trace) {
        ASSERT_NEAR(event.start, now, 1e-12);
        now = event.start + event.duration;
    }
    EXPECT_NEAR(now, support::value(small, "latency", Fidelity::cycle), 1e-12);
    EXPECT_EQ(trace.front().what, "S_LUI_INT");  // the mask's base is a far constant
}

TEST(DplenaTrace, shows_fetches_beside_work_when_they_overlap) {
    support::Settings const overlapped{{"overlap", "prefetch"}, {"buffers", "2"}};
    auto const trace = support::architecture().trace(support::inputs(), support::point(overlapped), Fidelity::cycle);
    ASSERT_EQ(trace.size(), 32U);
    EXPECT_EQ(trace[2].what, "fetch block 1");
    EXPECT_LT(trace[2].start, trace[1].start + trace[1].duration);  // while block 0 is worked on
    EXPECT_NEAR(trace.back().start + trace.back().duration, support::value(overlapped, "latency", Fidelity::cycle),
                1e-12);
}

TEST(DplenaDesigns, gain_what_a_search_should_find) {
    auto const total = [](support::Settings const& settings) {
        return support::value(settings, "cycles_total", Fidelity::cycle);
    };
    EXPECT_NEAR(total({{"prefetch", "8"}}) / total({{"prefetch", "1"}}), 916976.0 / 1595010.0, 0.005);
    EXPECT_NEAR(total({{"channels", "8"}}) / total({}), 1.26, 0.01);
    EXPECT_NEAR(total({{"vlen", "512"}}) / total({}), 3.44, 0.01);
}

}  // namespace
}  // namespace laws_test
