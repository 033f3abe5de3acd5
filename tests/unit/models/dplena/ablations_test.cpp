#include "models/dplena/analytic.hpp"
#include "models/dplena/cycle.hpp"
#include "models/dplena/host.hpp"
#include "models/dplena/parameters.hpp"
#include "models/dplena/walk.hpp"
#include "tests/unit/models/dplena/costs_within_bounds.hpp"
#include "tests/unit/models/dplena/random_designs.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ablations_test {
namespace {

using namespace pimdse::models;
using namespace pimdse::models::dplena;
using support::Kind;
using support::Rng;
using support::Settings;
using support::value;

/// Random designs in which instructions, memories or formats of the paper are missing, or noise is added.
template <class Check>
void for_ablations(std::uint64_t seed, int count, Kind kind, Check check) {
    Rng rng(seed);
    support::for_random_designs(seed, count, kind, [&](Design d, Program const&) {
        d.softmax = rng.below(3) == 0 ? SoftmaxForm::plain : SoftmaxForm::stable_max;
        if (d.softmax == SoftmaxForm::plain) d.passes = Passes::two;
        d.max_idx = static_cast<Means>(rng.below(2));
        d.topk = static_cast<Means>(rng.below(2));
        d.topk_entries = rng.below(2) * (1 + rng.below(40));
        d.memories = static_cast<Memories>(rng.below(2));
        if (d.softmax == SoftmaxForm::stable_max) d.temperature = static_cast<double>(rng.below(3)) / 2.0;
        if (rng.below(3) == 0) d.element = Element::bf16;
        if (d.element == Element::bf16) d.mx_block = line_bytes;
        if (broken_rule(d, support::prepared())) return;
        SCOPED_TRACE(support::told(d));
        check(d, Program(d, support::machine().costs));
    });
}

TEST(DplenaAblations, walk_what_the_closed_form_counts) {
    for_ablations(61, 60, Kind::serial, [](Design const&, Program const& program) {
        auto const cost = serial_timeline(program, support::machine().hbm);
        EXPECT_EQ(cost.counts, program.total());
        EXPECT_EQ(cost.prefetches, program.prefetches());
    });
}

TEST(DplenaAblations, share_all_work_among_blocks) {
    for_ablations(62, 60, Kind::serial, [](Design d, Program const&) {
        d.overlap = Overlap::prefetch;
        Program const program(d, support::machine().costs);
        Blocks const blocks(program);
        std::int64_t sum = program.prologue().sum();
        for (std::int64_t block = 0; block < blocks.count(); ++block) sum += blocks.work(block);
        auto const vectors = d.memories == Memories::unified ? program.logit_prefetches() * d.prefetch : 0;
        EXPECT_EQ(sum, program.total().sum() + vectors) << "the port of a unified memory takes a cycle per vector";
    });
}

void expect_bounds(std::uint64_t seed, int count, Kind kind) {
    for_ablations(seed, count, kind,
                  [](Design const&, Program const& program) { (void)support::overlap_within_bounds(program); });
}

TEST(DplenaAblations, stay_within_bounds_without_overlap) { expect_bounds(63, 60, Kind::serial); }
TEST(DplenaAblations, stay_within_bounds_with_refresh) { expect_bounds(64, 40, Kind::refreshing); }
TEST(DplenaAblations, stay_within_bounds_with_overlap) { expect_bounds(65, 60, Kind::overlapped); }
TEST(DplenaAblations, stay_within_bounds_with_overlap_and_refresh) { expect_bounds(66, 40, Kind::everything); }

/// Number of exchanges in a bitonic network over `n` values, a power of two.
std::int64_t bitonic(std::int64_t n) {
    std::int64_t exchanges = 0;
    for (std::int64_t size = 2; size <= n; size *= 2)
        for (std::int64_t distance = size / 2; distance > 0; distance /= 2) exchanges += n / 2;
    return exchanges;
}

TEST(DplenaAblations, sort_with_insertions_or_a_network) {
    for (std::int64_t length = 1; length <= 70; ++length) {
        for (std::int64_t const steps : {1, 3, 16, 100}) {
            auto d = support::design({{"topk", "program"}});
            d.block_length = length;
            d.steps = steps;
            std::int64_t padded = 1;
            while (padded < length) padded *= 2;
            auto const insertions = length * ((length + steps - 1) / steps);
            EXPECT_EQ(Program(d, support::machine().costs).sort_exchanges(), std::min(insertions, bitonic(padded)));
        }
    }
}

double cycles(Settings const& settings) { return value(settings, "cycles_total", Fidelity::cycle); }
double area(Settings const& settings) { return value(settings, "area"); }

TEST(DplenaAblations, take_longer_and_less_area_without_an_instruction) {
    for (char const* const name : {"max_idx", "topk"}) {
        EXPECT_GT(cycles({{name, "program"}}), cycles({})) << name;
        EXPECT_LT(area({{name, "program"}}), area({})) << name;
    }
    // per vector a comparison and a search, 6 vector and 2 scalar cycles, with one increment instead of another; the
    // address of the results of comparisons
    EXPECT_EQ(cycles({{"max_idx", "program"}}) - cycles({}), 16.0 * 32 * 62 * 8 + 1);
    EXPECT_EQ(value({{"max_idx", "program"}}, "vector_sram") - value({}, "vector_sram"), 2048.0 * 2);
    // 240 exchanges of 4 instructions and 64 loads and stores for 32 cycles of V_TOPK_MASK
    EXPECT_EQ(cycles({{"topk", "program"}}) - cycles({}), 16.0 * (240 * 4 + 64 - 32));
}

TEST(DplenaAblations, find_the_first_set_element_with_an_encoder) {
    // without the path of the index, with an encoder and the vector of comparisons
    EXPECT_NEAR(area({{"max_idx", "program"}}) - area({}), 2048 * ((1.5 - 4) * 1e-12 + 16 * 0.0425e-12), 1e-15);
}

TEST(DplenaAblations, run_a_short_list_of_confidences_again) {
    EXPECT_EQ(cycles({{"topk_entries", "32"}}), cycles({}));
    EXPECT_EQ(cycles({{"topk_entries", "8"}}) - cycles({}), 16.0 * 3 * 32);
    EXPECT_EQ(cycles({{"topk_entries", "8"}, {"steps", "4"}}), cycles({{"steps", "4"}}));
    EXPECT_NEAR(area({{"topk_entries", "64"}}) - area({}), 32 * 11e-12, 1e-15);
    EXPECT_EQ(area({{"topk_entries", "32"}}), area({}));
    // a list of its own for longer blocks, as long as they are
    Settings const longer{{"block_length", "64"}};
    Settings const same_list{{"block_length", "64"}, {"topk_entries", "32"}};
    EXPECT_NEAR(area(longer) - area(same_list), 32 * 11e-12, 1e-15);
    EXPECT_EQ(cycles(same_list) - cycles(longer), 16.0 * 64);
    EXPECT_NEAR(area({}) - area({{"topk", "program"}}), 32 * 11e-12, 1e-15);
    EXPECT_EQ(area({{"topk", "program"}, {"steps", "2"}}), area({{"topk", "program"}}));
}

TEST(DplenaAblations, compute_all_probabilities_in_a_pass_more) {
    // on chip: a product, a maximum, three increments a vector; a pointer of one or two instructions a row
    auto const more = cycles({{"softmax", "plain"}}) - cycles({});
    EXPECT_NEAR(more, 16.0 * 32 * (62 * (2 + 4 + 2 - 1) + 2), 16.0 * 32);
    Settings edge{{"mode", "edge"},  {"vlen", "64"},     {"batch", "2"},   {"block_length", "64"},
                  {"vocab", "8192"}, {"v_chunk", "128"}, {"prefetch", "1"}};
    auto const two = Program(support::design(edge), support::machine().costs);
    edge.emplace_back("softmax", "plain");
    auto const three = Program(support::design(edge), support::machine().costs);
    EXPECT_EQ(2 * three.logit_prefetches(), 3 * two.logit_prefetches());
    EXPECT_EQ(support::broken_rule({{"softmax", "plain"}, {"passes", "1"}}), "plain_passes");
    EXPECT_EQ(support::broken_rule({{"softmax", "plain"}, {"temperature", "1"}}), "plain_temperature");
}

TEST(DplenaAblations, interfere_in_one_memory) {
    Settings const one{{"memories", "unified"}};
    // serial: stores read their row first, two a row and three a position of a block
    EXPECT_EQ(cycles(one) - cycles({}), 16.0 * 32 * (2 + 3));
    EXPECT_EQ(value(one, "int_sram"), 2.0 * 16 * 4096) << "a row of 4 KiB per sequence, where 128 B are used";
    EXPECT_GT(value(one, "sram_energy"), value({}, "sram_energy"));
    Settings const ahead{{"overlap", "prefetch"}, {"buffers", "2"}};
    Settings both = ahead;
    both.push_back(one.front());
    EXPECT_GT(cycles(both) - cycles(ahead), 15.0 * 32 * 62) << "every vector that arrives takes the port";
}

TEST(DplenaAblations, add_noise_to_every_logit) {
    Settings const noisy{{"temperature", "1"}};
    // a maximum, a random vector and a sum per vector; five scalar instructions a row; an address and a seed
    EXPECT_EQ(cycles(noisy) - cycles({}), 16.0 * 32 * (62 * (4 + 1 + 2) + 5) + 2);
    EXPECT_EQ(value(noisy, "vector_sram") - value({}, "vector_sram"), 2048.0 * 2) << "sums of logits and noise";
    // another temperature: a product per vector, and one number
    Settings const warmer{{"temperature", "0.7"}};
    EXPECT_EQ(cycles(warmer) - cycles(noisy), 16.0 * 32 * 62 * 2 + 1);
    EXPECT_EQ(value(warmer, "area"), value(noisy, "area"));
    EXPECT_GT(value(warmer, "sram_energy"), value(noisy, "sram_energy"));
    EXPECT_EQ(support::broken_rule({{"temperature", "0.0001"}}), "temperature");
    EXPECT_NEAR(area(noisy) - area({}), 2048 * 30e-12 + 2048 * 16 * 0.0425e-12, 1e-15);
}

/// A sink of Walk that remembers vector instructions, loads and runs of prefetches of row 0 as letters.
struct Order {
    std::string letters;
    void run(Unit, Opcode opcode, std::int64_t, std::int64_t row) {
        static std::map<Opcode, char> const names{
            {Opcode::v_red_max, 'm'}, {Opcode::v_red_max_idx, 'M'}, {Opcode::v_random, 'r'}, {Opcode::v_add_vv, '+'},
            {Opcode::v_cmp_vf, '='},  {Opcode::v_mul_vf, '*'},      {Opcode::v_sub_vf, '-'}, {Opcode::s_ld_fp, 'l'}};
        if (auto const found = names.find(opcode); row == 0 && found != names.end()) letters += found->second;
    }
    void drain() {}
    void fetch(std::uint64_t, std::uint64_t, std::uint64_t, std::int64_t row) {
        if (row == 0 && !letters.ends_with('f')) letters += 'f';
    }
};

/// The order within the first of several rows with two vectors.
std::string order(Settings const& settings) {
    Settings const small{{"vlen", "64"}, {"vocab", "128"}, {"batch", "1"}, {"prefetch", "1"}};
    Program const program(support::design(support::with(settings, small)), support::machine().costs);
    Order order;
    Walk walk(program, order);
    walk.all();
    return order.letters;
}

TEST(DplenaAblations, read_logits_before_differences_overwrite_them) {
    EXPECT_EQ(order({}), "fMM--");
    EXPECT_EQ(order({{"max_idx", "program"}}), "fmm=-=-") << "each comparison before its difference";
    EXPECT_EQ(order({{"temperature", "1"}}), "fmr+Mmr+Ml--") << "the chosen logit before any difference";
    EXPECT_EQ(order({{"temperature", "1"}, {"max_idx", "program"}}), "fmr+m=mr+m=l--") << "noise is drawn once";
    EXPECT_EQ(order({{"temperature", "2"}}), "f*mr+M*mr+Ml--") << "scaled once, in place";
    Settings const edge{{"mode", "edge"}, {"v_chunk", "64"}};
    auto const with = [&](Settings const& more) { return order(support::with(more, edge)); };
    EXPECT_EQ(with({}), "fMfMf-f-");
    EXPECT_EQ(with({{"max_idx", "program"}}), "fmfmf=-f=-");
    EXPECT_EQ(with({{"temperature", "1"}}), "fmr+Mlfmr+Mlf-f-") << "before the next chunk arrives";
    EXPECT_EQ(with({{"temperature", "1"}, {"passes", "1"}}), "fmr+Ml-fmr+Ml-");
    EXPECT_EQ(with({{"temperature", "2"}}), "f*mr+Mlf*mr+Mlf*-f*-") << "again after the second fetch";
    EXPECT_EQ(with({{"temperature", "2"}, {"passes", "1"}}), "f*mr+Ml-f*mr+Ml-");
}

TEST(DplenaAblations, hold_logits_of_16_bits) {
    Settings const wide{{"mx_element", "bf16"}};
    auto const d = support::design(wide);
    EXPECT_EQ(d.lines_per_prefetch(), 4 * 64);
    EXPECT_EQ(value(wide, "footprint"), 2.0 * 16 * 32 * 126976);
    EXPECT_GT(cycles(wide), cycles({}));
    EXPECT_NEAR(area({}) - area(wide), 2048 * 5e-12, (4.0 * 64 - 4 * 33) * 64 * 8 * 0.0425e-12 + 1e-15);
    EXPECT_GE(value(wide, "argmax_agreement", Fidelity::cycle), value({}, "argmax_agreement", Fidelity::cycle));
    // Section II: 64 positions of a vocabulary of 126k and of 152k take 16 and 19 MB
    EXPECT_NEAR(value({{"mx_element", "bf16"}, {"batch", "1"}, {"block_length", "64"}}, "footprint"), 16e6, 0.3e6);
}

TEST(DplenaHost, takes_what_its_timeline_takes) {
    Rng rng(71);
    for (int i = 0; i < 100; ++i) {
        auto d = support::design({{"sampler", "host"}});
        d.batch = 1 + rng.below(20);
        d.steps = 1 + rng.below(8);
        d.block_length = 1 + rng.below(64);
        d.vocab = 64 * (1 + rng.below(2000));
        d.element = rng.below(2) == 0 ? Element::e4m3 : Element::bf16;
        auto const cost = host_sampling(d, support::machine());
        EXPECT_EQ(cost.total.value, host_timeline(d, support::machine()).total.value);
        auto const bars = host_trace(d, support::machine(), 100'000);
        EXPECT_NEAR(bars.back().start + bars.back().duration, cost.total.value * 1e-9, 1e-12);
    }
}

TEST(DplenaHost, draws_a_random_number_for_every_logit) {
    Settings const plain{{"sampler", "host"}};
    Settings const noisy{{"sampler", "host"}, {"temperature", "1"}};
    double const numbers = 16.0 * 32 * 126976;
    EXPECT_NEAR(value(noisy, "latency") - value(plain, "latency"), numbers / 2e9, 0.3 * numbers / 10e9);
    EXPECT_GT(value(noisy, "energy"), value(plain, "energy") + 100.0 * numbers / 2.1e9);
}

TEST(DplenaHost, is_slower_than_the_npu_and_draws_power) {
    Settings const host{{"sampler", "host"}};
    double const logits = 16.0 * 32 * 126976;
    EXPECT_GT(value(host, "latency"), logits / 10e9);
    EXPECT_LT(value(host, "latency"), logits / 10e9 + logits * 1.125 / 26e9 + 1e-4);
    EXPECT_EQ(value(host, "cycles_vector"), 0.0);
    EXPECT_LT(area(host), area({}));
    EXPECT_GT(value(host, "energy"), 100.0 * logits / 10e9);
    EXPECT_EQ(support::broken_rule({{"sampler", "host"}, {"overlap", "prefetch"}}), "host_overlap");
    EXPECT_EQ(support::broken_rule({{"sampler", "host"}, {"buffers", "2"}}), "host_overlap");
}

TEST(DplenaAblations, refuse_what_would_mean_nothing) {
    for (auto const& setting :
         Settings{{"softmax", "plain"}, {"max_idx", "program"}, {"topk", "program"}, {"topk_entries", "8"}}) {
        EXPECT_EQ(support::broken_rule({{"sampler", "host"}, setting}), "host_programs") << setting.first;
        EXPECT_EQ(support::broken_rule({setting}), "") << setting.first;
    }
    EXPECT_EQ(support::broken_rule({{"sampler", "host"}, {"temperature", "1"}}), "");
    EXPECT_EQ(support::broken_rule({{"topk", "program"}, {"topk_entries", "8"}}), "topk_program");
    // a list that is longer than a block is never full, and takes its area
    EXPECT_EQ(cycles({{"topk_entries", "64"}}), cycles({}));
    EXPECT_GT(area({{"topk_entries", "64"}}), area({}));
}

}  // namespace
}  // namespace ablations_test
