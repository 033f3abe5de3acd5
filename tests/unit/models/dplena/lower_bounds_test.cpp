#include "models/dplena/hbm/lower_bounds.hpp"
#include "models/dplena/analytic.hpp"
#include "models/dplena/cycle.hpp"
#include "models/dplena/hbm/prefetch_cache.hpp"
#include "models/dplena/parameters.hpp"
#include "models/dplena/program.hpp"
#include "tests/unit/models/dplena/costs_within_bounds.hpp"
#include "tests/unit/models/dplena/random_designs.hpp"

#include <gtest/gtest.h>
#include <algorithm>

namespace lower_bounds_test {
namespace {

using namespace pimdse::models;
using namespace pimdse::models::dplena;
using support::Rng;

/// Sizes that are no powers of two, ends of ranges, all options.
Design odd_design(Rng& rng) {
    auto d = support::design({});
    d.mode = static_cast<Mode>(rng.below(2));
    d.vlen = rng.below(3) == 0 ? 64 * (1 + rng.below(40)) : 64 << rng.below(8);
    d.prefetch = rng.below(2) == 0 ? 1 + rng.below(20) : 1 << rng.below(6);
    d.batch = 1 + rng.below(12);
    d.block_length = 1 + rng.below(20);
    d.vocab = rng.below(3) == 0 ? d.vlen + rng.below(40000) : d.vlen * (1 + rng.below(60));
    d.steps = 1 + rng.below(3);
    d.step_logits = rng.below(2) == 0 ? StepLogits::overwrite : StepLogits::apart;
    d.preload = rng.below(2) == 0 ? d.batch : 1;
    d.mx_block = 1 << rng.below(8);
    d.channels = 1 << rng.below(7);
    d.bus = static_cast<Bus>(rng.below(2));
    d.addressing = static_cast<Addressing>(rng.below(2));
    d.element = static_cast<Element>(rng.below(6));
    d.chunk_is_given = d.mode == Mode::edge;
    d.v_chunk = d.chunk_is_given ? d.vlen * d.prefetch * (1 + rng.below(8)) : d.vocab;
    d.exp_lanes = d.vlen;
    d.loop_hardware = static_cast<LoopHardware>(rng.below(2));
    d.passes = static_cast<Passes>(rng.below(2));
    d.overlap = static_cast<Overlap>(rng.below(2) * rng.below(4));
    d.buffers = 1 + rng.below(4);
    d.outstanding = rng.below(2) == 0 ? 1 + rng.below(8) : 1;
    d.refresh = rng.below(4) == 0 ? Refresh::on : Refresh::off;
    d.sram_limit = std::int64_t{1} << 40;
    return d;
}

template <class Check>
void for_odd_designs(std::uint64_t seed, int count, Check check) {
    Rng rng(seed);
    while (count > 0) {
        auto const design = odd_design(rng);
        if (broken_rule(design, support::prepared())) continue;
        Program const program(design, support::machine().costs);
        if (program.logit_prefetches() * design.lines_per_prefetch() > 100'000) continue;
        SCOPED_TRACE(support::told(design));
        check(design, program);
        --count;
    }
}

TEST(DplenaLowerBounds, hold_for_odd_sizes_and_all_options) {
    for_odd_designs(41, 150, [](Design const&, Program const& program) {
        auto const exact = cycle_sampling(program, support::machine().hbm);
        auto const lower = sampling_lower_bound(program, support::machine().hbm.timing);
        EXPECT_LE(lower.total, exact.total.value);
        EXPECT_LE(lower.memory, exact.memory.value);
        EXPECT_GE(lower.total, static_cast<double>(exact.counts.vector));
    });
}

/// Calls `check(reads)` for every prefetch of logits in order.
template <class Check>
void for_prefetches(Design const& d, Program const& program, Check check) {
    PrefetchReads reads(fetching_of(d));
    for (std::int64_t block = 0; block < program.preloads(); ++block) {
        for (std::int64_t i = 0; i < program.prefetches_per_preload(); ++i) {
            auto const offset = program.preload_offset(block) + i * d.prefetch * d.vlen;
            check(
                reads.of(reads.address(0, static_cast<std::uint64_t>(d.logits()), static_cast<std::uint64_t>(offset))));
        }
    }
}

TEST(DplenaLowerBounds, know_the_busiest_pseudo_channel_of_every_prefetch) {
    int tight = 0, all = 0;
    for_odd_designs(42, 150, [&](Design const& d, Program const& program) {
        if (program.logit_prefetches() == 0) return;
        auto const lower = busiest_reads(program);
        std::int64_t min = 1'000'000;
        for_prefetches(d, program, [&](auto reads) {
            std::vector<std::int64_t> load(static_cast<std::size_t>(pseudo_channels(d)));
            for (auto const& read : reads) ++load[2 * read.channel + (read.bank >> 4)];
            min = std::min(min, *std::max_element(load.begin(), load.end()));
        });
        EXPECT_LE(lower, min);
        ++all;
        tight += lower == min ? 1 : 0;
    });
    EXPECT_GE(tight, all / 2);
}

TEST(DplenaLowerBounds, count_no_row_as_closed_that_is_open) {
    for_odd_designs(43, 100, [](Design d, Program const&) {
        d.overlap = Overlap::none;
        d.refresh = Refresh::off;
        Program const program(d, support::machine().costs);
        ChannelTiming const timing(support::machine().hbm.timing, d.bus);
        OutcomeCache outcomes(timing, d.channels, support::machine().hbm.cache_limits);
        OpenRows open(static_cast<std::size_t>(d.channels) * AddressMap::banks, Channel::closed);
        std::int64_t switched = 0;
        for_prefetches(d, program, [&](auto reads) {
            switched += std::any_of(reads.begin(), reads.end(), [&](auto const& read) {
                auto const row = open[bank_index(read)];
                return row != Channel::closed && row != read.row;
            });
            (void)outcomes.look_up(reads, open);
            outcomes.apply(reads, open);
        });
        auto const lower = row_activations_of(program);
        EXPECT_LE(lower.in_new_rows, lower.conflicts);
        EXPECT_LE(lower.conflicts, switched);
    });
}

TEST(DplenaLowerBounds, of_the_default_are_near) {
    auto const lower = support::metric({}, "latency", Fidelity::analytic).lower;
    EXPECT_LE(lower, 991038e-9);
    EXPECT_GE(lower, 0.95 * 991038e-9);
}

TEST(DplenaLowerBounds, are_those_of_energy_and_power_too) {
    for (auto const& more : std::vector<support::Settings>{
             {}, {{"scope", "end_to_end"}}, {{"overlap", "dual_issue"}, {"buffers", "2"}, {"outstanding", "3"}}}) {
        support::expect_bounds(more, {"energy", "power", "energy_delay", "vector_energy"});
        EXPECT_EQ(support::metric(more, "energy", Fidelity::analytic).kinds.lower, Bound::proved);
        EXPECT_EQ(support::metric(more, "power", Fidelity::analytic).kinds.upper, Bound::proved);
    }
}

/// What issue 16 found: one buffer, several prefetches under way.
TEST(DplenaLowerBounds, see_prefetches_beside_each_other_with_one_buffer) {
    support::Settings const point{{"overlap", "dual_issue"}, {"outstanding", "64"}, {"buffers", "1"},
                                  {"mode", "edge"},          {"vlen", "64"},        {"v_chunk", "4096"},
                                  {"prefetch", "1"},         {"batch", "2"},        {"block_length", "64"}};
    auto const coarse = support::metric(support::with(point, "vocab", "131072"), "latency", Fidelity::analytic);
    EXPECT_LE(coarse.lower, 4.796e-3);
    EXPECT_GE(coarse.upper, 4.796e-3);
    EXPECT_NEAR(coarse.value, 4.796e-3, 0.15 * 4.796e-3);
    support::expect_bounds(support::with(point, "vocab", "8192"), {"latency"});
}

TEST(DplenaLowerBounds, hold_the_memory_cycles_of_one_pass_with_three_buffers) {
    support::Settings const point{{"mode", "edge"},         {"vlen", "64"},       {"v_chunk", "512"},
                                  {"vocab", "10000"},       {"prefetch", "8"},    {"passes", "1"},
                                  {"overlap", "prefetch"},  {"outstanding", "2"}, {"buffers", "3"},
                                  {"hbm_bus", "corrected"}, {"batch", "16"},      {"block_length", "8"}};
    support::expect_bounds(point, {"cycles_memory"});
}

TEST(DplenaBlocks, share_all_work_but_the_prologue) {
    for_odd_designs(44, 60, [](Design d, Program const&) {
        d.overlap = Overlap::prefetch;
        Program const program(d, support::machine().costs);
        Blocks const blocks(program);
        std::int64_t sum = program.prologue().sum();
        for (std::int64_t block = 0; block < blocks.count(); ++block) sum += blocks.work(block);
        EXPECT_EQ(sum, program.total().sum());
    });
}

TEST(DplenaKey, is_equal_where_what_differs_is_not_used) {
    using support::key;
    EXPECT_EQ(key({{"llm", "dream-7b"}, {"input", "7"}, {"sram_limit", "1GB"}}), key({}));
    EXPECT_EQ(key({{"confidence_threshold", "0.5"}}), key({}));
    EXPECT_NE(key({{"confidence_threshold", "0.5"}, {"remasking", "threshold"}}), key({{"remasking", "threshold"}}));
    EXPECT_NE(key({{"scope", "end_to_end"}, {"input", "7"}}), key({{"scope", "end_to_end"}}));
    EXPECT_NE(key({{"buffers", "2"}}), key({})) << "they are built whether they are used or not";
}

}  // namespace
}  // namespace lower_bounds_test
