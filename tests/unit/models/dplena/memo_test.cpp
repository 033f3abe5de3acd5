#include "models/dplena/hbm/prefetch_cache.hpp"
#include "models/dplena/numerics/accuracy.hpp"
#include "tests/unit/models/dplena/random_designs.hpp"

#include <gtest/gtest.h>
#include <map>

namespace memo_test {
namespace {

using namespace pimdse::models;
using namespace pimdse::models::dplena;
using support::Kind;
using support::Rng;

/// Designs with few values of everything, so that keys meet.
Design crowded(Rng& rng) {
    auto d = support::design({});
    d.mode = rng.below(2) == 0 ? Mode::performance : Mode::edge;
    d.vlen = 512 << rng.below(2);
    d.prefetch = 1 << rng.below(2);
    d.batch = 1 << rng.below(3);
    d.block_length = 8 << rng.below(3);
    d.steps = 1 << rng.below(2);
    d.step_logits = rng.below(2) == 0 ? StepLogits::overwrite : StepLogits::apart;
    d.vocab = 4096 << rng.below(2);
    d.chunk_is_given = d.mode == Mode::edge;
    d.v_chunk = d.chunk_is_given ? 2048 : d.vocab;
    d.overlap = static_cast<Overlap>(rng.below(4));
    d.buffers = 1 + rng.below(3);
    d.outstanding = 1 + rng.below(2);
    d.refresh = rng.below(4) == 0 ? Refresh::on : Refresh::off;
    d.exp_lanes = d.vlen;
    d.passes = rng.below(2) == 0 ? Passes::one : Passes::two;
    d.element = static_cast<Element>(rng.below(2));
    d.sram_limit = std::int64_t{1} << 40;
    return d;
}

TEST(DplenaMemo, of_accuracy_gives_designs_with_one_key_one_result) {
    Rng rng(34);
    auto constants = support::machine().proxy;
    constants.blocks = 1;
    AccuracyProxy const remembering;
    std::map<AccuracyKey, Accuracy> seen;
    int met = 0;
    for (int i = 0; i < 60; ++i) {
        auto const design = crowded(rng);
        auto const [known, first] = seen.try_emplace(AccuracyKey::of(design), remembering.of(design, constants));
        if (first) continue;
        ++met;
        auto const fresh = AccuracyProxy().of(design, constants);
        EXPECT_EQ(fresh.argmax_agreement, known->second.argmax_agreement);
        EXPECT_EQ(fresh.transfer_overlap, known->second.transfer_overlap);
    }
    EXPECT_GT(met, 10);
}

TEST(DplenaMemo, of_reads_gives_the_outcome_of_what_the_reads_look_like) {
    Rng rng(35);
    ChannelTiming const timing(support::machine().hbm.timing, Bus::compat);
    constexpr std::int64_t channels = 2;
    OutcomeCache remembering(timing, channels, support::machine().hbm.cache_limits);
    for (int i = 0; i < 600; ++i) {
        OpenRows open(channels * AddressMap::banks, Channel::closed);
        for (auto& row : open) row = rng.below(4) - 1;
        std::vector<HbmAddress> reads;
        for (auto count = 1 + rng.below(i % 3 == 0 ? 90 : 10); count > 0; --count) {
            reads.push_back({static_cast<std::uint32_t>(rng.below(channels)), static_cast<std::uint32_t>(rng.below(3)),
                             rng.below(3)});
        }
        auto left = open;
        auto const ticks = remembering.look_up(reads, left);
        remembering.apply(reads, left);
        OutcomeCache fresh(timing, channels, support::machine().hbm.cache_limits);
        auto left_afresh = open;
        ASSERT_EQ(fresh.look_up(reads, left_afresh), ticks) << i;
        fresh.apply(reads, left_afresh);
        ASSERT_EQ(left_afresh, left) << i;
    }
}

/// Few places of data and scales, so that shapes meet with other rows open.
TEST(DplenaMemo, of_shapes_gives_what_the_reads_themselves_give) {
    Rng rng(36);
    auto design = support::design({});
    design.vlen = 512;
    auto const fetching = fetching_of(design);
    PrefetchReads reads(fetching);
    auto const& hbm = support::machine().hbm;
    CachedHbm by_shape(hbm, fetching), by_reads(hbm, fetching);
    std::int64_t now = 0;
    for (int i = 0; i < 2000; ++i) {
        auto const scales = static_cast<std::uint64_t>(1 + rng.below(3)) << 18U;
        auto const offset = static_cast<std::uint64_t>(rng.below(64)) * 2048U << (rng.below(2) * 3);
        auto const end = by_shape.fetch(0, scales, offset, now);
        ASSERT_EQ(by_reads.fetch(reads.of(reads.address(0, scales, offset)), now), end) << i;
        now = end + rng.below(3);
    }
}

}  // namespace
}  // namespace memo_test
