#include "models/dplena/hbm/lower_bounds.hpp"
#include "models/dplena/hbm/prefetch_cache.hpp"
#include "models/dplena/parameters.hpp"
#include "tests/unit/models/dplena/random_designs.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <vector>

namespace aligned_lower_bound_test {
namespace {

using namespace pimdse::models;
using namespace pimdse::models::dplena;
using support::Rng;

/// Powers of two, so that many streams are aligned.
Design even_design(Rng& rng) {
    auto d = support::design({});
    d.mode = static_cast<Mode>(rng.below(2));
    d.passes = Passes::one;
    d.channels = 8 << rng.below(4);
    d.vlen = 64 << rng.below(8);
    d.prefetch = 1 << rng.below(6);
    d.mx_block = 1 << rng.below(8);
    d.bus = static_cast<Bus>(rng.below(2));
    d.addressing = static_cast<Addressing>(rng.below(2));
    d.element = static_cast<Element>(rng.below(6));
    d.batch = 1 + rng.below(8);
    d.block_length = 1 + rng.below(12);
    d.steps = 1 + rng.below(3);
    d.preload = rng.below(2) == 0 ? d.batch : 1;
    d.vocab = d.vlen * d.prefetch * (1 + rng.below(200));
    d.chunk_is_given = d.mode == Mode::edge;
    d.v_chunk = d.chunk_is_given ? d.vlen * d.prefetch : d.vocab;
    d.exp_lanes = d.vlen;
    d.sram_limit = std::int64_t{1} << 40;
    return d;
}

/// Ticks of every prefetch of logits, those of the mask before them.
std::vector<std::int64_t> simulated(Design const& d, Program const& program) {
    ChannelTiming const timing(support::machine().hbm.timing, d.bus);
    OutcomeCache outcomes(timing, d.channels, support::machine().hbm.cache_limits);
    OpenRows open(static_cast<std::size_t>(d.channels) * AddressMap::banks, Channel::closed);
    PrefetchReads reads(fetching_of(d));
    std::vector<std::int64_t> ticks;
    auto const fetch = [&](std::int64_t base, std::int64_t scales, std::int64_t offset) {
        auto const address = reads.address(static_cast<std::uint64_t>(base), static_cast<std::uint64_t>(scales),
                                           static_cast<std::uint64_t>(offset));
        auto const places = reads.of(address);
        ticks.push_back(outcomes.look_up(places, open) + timing.read_time());
        outcomes.apply(places, open);
    };
    auto const step = d.prefetch * d.vlen;
    for (std::int64_t i = 0; i < program.mask_prefetches(); ++i) fetch(program.mask_base(), d.batch * d.vlen, i * step);
    ticks.clear();
    for (std::int64_t block = 0; block < program.preloads(); ++block)
        for (std::int64_t i = 0; i < program.prefetches_per_preload(); ++i)
            fetch(0, d.logits(), program.preload_offset(block) + i * step);
    return ticks;
}

TEST(DplenaAlignedLowerBound, holds_for_every_prefetch_it_knows) {
    Rng rng(51);
    std::int64_t known = 0, tight = 0;
    for (int designs = 0; designs < 60;) {
        auto const d = even_design(rng);
        if (broken_rule(d, support::prepared())) continue;
        Program const program(d, support::machine().costs);
        if (program.logit_prefetches() * d.lines_per_prefetch() > 400'000) continue;
        auto const reads = busiest_reads(program);
        auto const lower = AlignedLowerBound::of(program, support::machine().hbm.timing, reads);
        if (!lower || lower->end() == lower->first()) continue;
        ++designs;
        SCOPED_TRACE(support::told(d));
        ChannelTiming const timing(support::machine().hbm.timing, d.bus);
        auto const alone = timing.read_time() + (reads - 1) * timing.bus;
        auto const ticks = simulated(d, program);
        std::int64_t beyond = 0;
        for (auto i = lower->first(); i < lower->end(); ++i) {
            auto const exact = ticks[static_cast<std::size_t>(i)];
            ASSERT_LE(lower->ticks(i), exact) << "prefetch " << i;
            ++known;
            tight += std::max(lower->ticks(i), alone) == exact ? 1 : 0;
            beyond += std::max<std::int64_t>(0, lower->ticks(i) - alone);
        }
        EXPECT_EQ(lower->beyond(alone), static_cast<double>(beyond));
    }
    EXPECT_GE(tight, known / 20);
}

TEST(DplenaAlignedLowerBound, knows_the_default_and_not_the_unaligned) {
    auto const known = [](support::Settings const& settings) {
        Program const program(support::design(settings), support::machine().costs);
        return AlignedLowerBound::of(program, support::machine().hbm.timing, busiest_reads(program)).has_value();
    };
    EXPECT_TRUE(known({}));
    EXPECT_TRUE(known({{"hbm_bus", "corrected"}, {"prefetch", "1"}}));
    EXPECT_FALSE(known({{"channels", "8"}})) << "the column is folded into bank groups";
    EXPECT_FALSE(known({{"vocab", "126975"}})) << "rows end within a vector";
    EXPECT_FALSE(known({{"mode", "edge"}, {"v_chunk", "8192"}})) << "chunks are fetched twice";
    EXPECT_FALSE(known({{"mx_block", "256"}})) << "prefetches share lines of scales";
}

}  // namespace
}  // namespace aligned_lower_bound_test
