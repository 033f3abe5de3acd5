#include "models/dplena/hbm/outcome_memory.hpp"
#include "models/dplena/hbm/prefetch_memory.hpp"
#include "models/dplena/hybrid.hpp"
#include "tests/unit/models/dplena/random_designs.hpp"

#include <gtest/gtest.h>
#include <map>

namespace {

using namespace pimdse::models;
using namespace pimdse::models::dplena;
using support::Dice;
using support::Kind;

/// Designs with few values of everything, so that keys meet.
Design crowded(Dice& dice) {
    auto d = support::design({});
    d.mode = dice.below(2) == 0 ? Mode::performance : Mode::edge;
    d.vlen = 512 << dice.below(2);
    d.prefetch = 1 << dice.below(2);
    d.batch = 1 << dice.below(3);
    d.block_length = 8 << dice.below(3);
    d.steps = 1 << dice.below(2);
    d.vocab = 4096 << dice.below(2);
    d.chunk_is_given = d.mode == Mode::edge;
    d.v_chunk = d.chunk_is_given ? 2048 : d.vocab;
    d.overlap = static_cast<Overlap>(dice.below(4));
    d.buffers = 1 + dice.below(3);
    d.outstanding = 1 + dice.below(2);
    d.refresh = dice.below(4) == 0 ? Refresh::on : Refresh::off;
    d.exp_lanes = d.vlen;
    d.passes = dice.below(2) == 0 ? Passes::one : Passes::two;
    d.element = static_cast<Element>(dice.below(2));
    d.sram_limit = std::int64_t{1} << 40;
    return d;
}

FetchTimes const& times_of(StreamCalibrations::Found const& found) {
    return std::visit([](auto const* stream) -> FetchTimes const& { return stream->times; }, found);
}

TEST(DplenaMemo, of_streams_gives_designs_with_one_key_one_answer) {
    Dice dice(31);
    StreamCalibrations remembering;
    std::map<StreamCalibrations::Key, FetchTimes> seen;
    int met = 0;
    for (int i = 0; i < 600; ++i) {
        Program const program(crowded(dice), support::machine().costs);
        auto const& allowances = support::machine().calibration;
        auto const& remembered = times_of(remembering.of(program, support::machine().hbm, allowances));
        auto const [known, first] = seen.try_emplace(StreamCalibrations::key_of(program, allowances), remembered);
        if (first) continue;
        ++met;
        StreamCalibrations const fresh;
        EXPECT_EQ(times_of(fresh.of(program, support::machine().hbm, allowances)), known->second)
            << support::told(program.design());
    }
    EXPECT_GT(met, 50);
}

TEST(DplenaMemo, of_programs_gives_designs_with_one_key_one_answer) {
    Dice dice(32);
    OwnRuns const remembering;
    std::map<ProgramKey, WholeRun> seen;
    auto const& hbm = support::machine().hbm;
    int met = 0;
    for (int i = 0; i < 1000; ++i) {
        auto design = crowded(dice);
        design.steps = 1;
        design.batch = 1;
        Program const program(design, support::machine().costs);
        if (program.prefetches() == 0) continue;
        auto const run = remembering.whole(program, hbm);
        auto const [known, first] = seen.try_emplace(ProgramKey::of(design), run);
        if (first) continue;
        ++met;
        auto const fresh = OwnRuns().whole(program, hbm);
        EXPECT_EQ(fresh.ticks, known->second.ticks) << support::told(design);
        EXPECT_EQ(fresh.cycles, known->second.cycles) << support::told(design);
        EXPECT_EQ(OwnRuns().from_beginning(program, hbm, 64), remembering.from_beginning(program, hbm, 64));
    }
    EXPECT_GT(met, 20);
}

TEST(DplenaMemo, of_programs_tells_every_field_apart_that_changes_a_program) {
    auto const plain = support::design({});
    auto const differs = [&](auto change) {
        auto other = plain;
        change(other);
        return ProgramKey::of(other) != ProgramKey::of(plain);
    };
    EXPECT_TRUE(differs([](Design& d) { d.mode = Mode::edge; }));
    EXPECT_TRUE(differs([](Design& d) { d.bus = Bus::corrected; }));
    EXPECT_TRUE(differs([](Design& d) { d.refresh = Refresh::on; }));
    EXPECT_TRUE(differs([](Design& d) { d.overlap = Overlap::prefetch; }));
    EXPECT_TRUE(differs([](Design& d) { d.passes = Passes::one; }));
    EXPECT_TRUE(differs([](Design& d) { d.loop_hardware = LoopHardware::on; }));
    for (auto const number : {&Design::vlen, &Design::batch, &Design::block_length, &Design::vocab, &Design::steps,
                              &Design::preload, &Design::v_chunk, &Design::prefetch, &Design::mx_block,
                              &Design::channels, &Design::exp_lanes, &Design::buffers, &Design::outstanding}) {
        EXPECT_TRUE(differs([number](Design& d) { ++(d.*number); }));
    }
    EXPECT_FALSE(differs([](Design& d) { d.element = Element::int4; }));
}

TEST(DplenaMemo, of_programs_holds_all_that_a_program_is_made_of) {
    support::for_random_designs(33, 40, Kind::everything, [](Design const& design, Program const& program) {
        Program const again(ProgramKey::of(design).design(), support::machine().costs);
        EXPECT_EQ(again.total(), program.total()) << support::told(design);
        EXPECT_EQ(again.prefetches(), program.prefetches()) << support::told(design);
        EXPECT_EQ(ProgramKey::of(again.design()), ProgramKey::of(design));
    });
}

TEST(DplenaMemo, of_accuracy_gives_designs_with_one_key_one_answer) {
    Dice dice(34);
    auto constants = support::machine().proxy;
    constants.blocks = 1;
    AccuracyProxy const remembering;
    std::map<AccuracyKey, Accuracy> seen;
    int met = 0;
    for (int i = 0; i < 60; ++i) {
        auto const design = crowded(dice);
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
    Dice dice(35);
    ChannelTiming const timing(support::machine().hbm.timing, Bus::compat);
    constexpr std::int64_t channels = 2;
    OutcomeMemory remembering(timing, channels, support::machine().hbm.memory);
    for (int i = 0; i < 600; ++i) {
        OpenRows open(channels * AddressMap::banks, Channel::closed);
        for (auto& row : open) row = dice.below(4) - 1;
        std::vector<HbmAddress> reads;
        for (auto count = 1 + dice.below(i % 3 == 0 ? 90 : 10); count > 0; --count) {
            reads.push_back({static_cast<std::uint32_t>(dice.below(channels)),
                             static_cast<std::uint32_t>(dice.below(3)), dice.below(3)});
        }
        auto left = open;
        auto const ticks = remembering.plan(reads, left);
        remembering.carry_out(reads, left);
        OutcomeMemory fresh(timing, channels, support::machine().hbm.memory);
        auto left_afresh = open;
        ASSERT_EQ(fresh.plan(reads, left_afresh), ticks) << i;
        fresh.carry_out(reads, left_afresh);
        ASSERT_EQ(left_afresh, left) << i;
    }
}

/// Few places of data and scales, so that shapes meet with other rows open.
TEST(DplenaMemo, of_shapes_gives_what_the_reads_themselves_give) {
    Dice dice(36);
    auto design = support::design({});
    design.vlen = 512;
    auto const fetching = fetching_of(design);
    PrefetchReads reads(fetching);
    auto const& hbm = support::machine().hbm;
    PrefetchMemory by_shape(hbm, fetching), by_reads(hbm, fetching);
    std::int64_t now = 0;
    for (int i = 0; i < 2000; ++i) {
        auto const scales = static_cast<std::uint64_t>(1 + dice.below(3)) << 18U;
        auto const offset = static_cast<std::uint64_t>(dice.below(64)) * 2048U << (dice.below(2) * 3);
        auto const end = by_shape.fetch(0, scales, offset, now);
        ASSERT_EQ(by_reads.fetch(reads.of(reads.address(0, scales, offset)), now), end) << i;
        now = end + dice.below(3);
    }
}

}  // namespace
