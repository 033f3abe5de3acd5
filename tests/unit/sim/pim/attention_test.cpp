#include "sim/pim/attention.hpp"

#include "sim/base/check.hpp"
#include "sim/pim/gemv.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <vector>

namespace pimdse::sim::pim::attention_test {
namespace {

using Kind = ProgramStep::Kind;

/// A channel of GDDR6-AiM.
BankUnits sixteen_units() {
    BankUnits u;
    u.sizes = {.banks = 16,
               .banks_per_unit = 1,
               .word_bytes = 32,
               .row_bytes = 2048,
               .buffer_bytes = 2048,
               .sums = 32,
               .sum_bytes = 2,
               .policy = SumPolicy::carried,
               .placement = WeightPlacement::row_per_output};
    u.timing.clock = Time{1e-9};
    return u;
}

Program program_of(AttentionPart part, Attention const& attention) {
    return program_of(sixteen_units(), AttentionProduct{part, attention});
}

std::int64_t count(Program const& program, Kind kind) {
    std::int64_t sum = 0;
    for (auto const& step : program) sum += step.kind == kind ? step.count : 0;
    return sum;
}

std::int64_t rows(Program const& program) {
    std::int64_t sum = 0;
    for (auto const& step : program) sum += step.kind == Kind::multiply && step.new_row ? 1 : 0;
    return sum;
}

/// A layer of Llama-2 70B on the 512 units of 32 channels.
Attention grouped() {
    Attention a;
    a.heads = 64;
    a.kv_heads = 8;
    a.head_size = 128;
    a.context = 1152;
    a.key_units = 512;
    a.value_channels = 32;
    return a;
}

TEST(Attention, scores_open_a_row_for_each_token_of_a_unit) {
    auto const program = program_of(AttentionPart::scores, grouped());
    // Eight heads of 256 bytes fill a row; three tokens of a unit, eight queries each.
    EXPECT_EQ(rows(program), 3);
    EXPECT_EQ(count(program, Kind::multiply), 3 * 8 * 8 * 8);
    EXPECT_EQ(count(program, Kind::write_buffer), 3 * 8 * 64);
    EXPECT_EQ(count(program, Kind::write_sums), 3 * 8 * 8);
    EXPECT_EQ(count(program, Kind::read_sums), 3 * 8 * 8);
}

TEST(Attention, values_open_a_row_for_each_dimension_and_part_of_the_scores) {
    auto const program = program_of(AttentionPart::values, grouped());
    // One head in a channel, eight queries, eight dimensions of a unit, 1,024 and 128 scores.
    EXPECT_EQ(rows(program), 8 * 2 * 8);
    EXPECT_EQ(count(program, Kind::multiply), 8 * 8 * (64 + 8));
    EXPECT_EQ(count(program, Kind::write_buffer), 8 * (64 + 8));
    EXPECT_EQ(count(program, Kind::read_sums), 8 * 2 * 8);
    auto together = grouped();
    together.sums_together = 8;
    EXPECT_EQ(program_of(AttentionPart::values, together).size(), 8U * 2U * (1U + 1U + 8U + 1U));
}

/// Three tokens of a unit, eight queries of eight heads; and one head of a channel with eight queries, each of which
/// has eight dimensions of a unit.
TEST(Attention, kept_sums_are_read_when_the_registers_are_full_or_all_inputs_have_passed) {
    auto units = sixteen_units();
    units.sizes.policy = SumPolicy::kept;
    auto const of = [&units](AttentionPart part) { return program_of(units, AttentionProduct{part, grouped()}); };
    auto const reads = [](Program const& program) {
        return std::ranges::count(program, Kind::read_sums, &ProgramStep::kind);
    };
    for (auto const part : {AttentionPart::scores, AttentionPart::values}) {
        auto const carried = program_of(part, grouped());
        EXPECT_EQ(rows(of(part)), rows(carried));
        EXPECT_EQ(count(of(part), Kind::multiply), count(carried, Kind::multiply));
        EXPECT_EQ(count(of(part), Kind::write_buffer), count(carried, Kind::write_buffer));
        EXPECT_EQ(count(of(part), Kind::write_sums), 0);
    }
    EXPECT_EQ(reads(of(AttentionPart::scores)), 3 * 8 * 8 / 32);
    EXPECT_EQ(count(of(AttentionPart::scores), Kind::read_sums), 3 * 8 * 8) << "as many sums";
    EXPECT_EQ(reads(of(AttentionPart::values)), 8);
    EXPECT_EQ(count(of(AttentionPart::values), Kind::read_sums), 8 * 8) << "once, not for each part of the scores";
    units.sizes.sums = 3;
    EXPECT_EQ(reads(of(AttentionPart::values)), 8 * 3);
    EXPECT_EQ(count(of(AttentionPart::values), Kind::write_buffer), 3 * 8 * (64 + 8)) << "again for each group";
}

TEST(Attention, values_of_their_own_width_are_as_heads_of_that_width_and_keys_stay) {
    auto narrow = grouped(), whole = grouped();
    narrow.value_size = 64;
    whole.head_size = 64;
    EXPECT_EQ(program_of(AttentionPart::values, narrow), program_of(AttentionPart::values, whole));
    EXPECT_EQ(program_of(AttentionPart::append_values, narrow), program_of(AttentionPart::append_values, whole));
    EXPECT_EQ(program_of(AttentionPart::scores, narrow), program_of(AttentionPart::scores, grouped()));
    EXPECT_EQ(program_of(AttentionPart::append, narrow).front(), program_of(AttentionPart::append, grouped()).front());
}

TEST(Attention, keys_are_written_to_one_bank_and_values_to_all) {
    auto const program = program_of(AttentionPart::append, grouped());
    ASSERT_EQ(program.size(), 1U + 8U);
    EXPECT_EQ(program.front(), (ProgramStep{Kind::append, 64, true, 1}));
    EXPECT_EQ(program.back(), (ProgramStep{Kind::append, 1, true, 16}));
}

TEST(Attention, small_buffers_are_filled_head_by_head_and_in_parts) {
    auto units = sixteen_units();
    units.sizes.buffer_bytes = 128;
    auto const program = program_of(units, AttentionProduct{AttentionPart::scores, grouped()});
    EXPECT_EQ(count(program, Kind::multiply), 3 * 8 * 8 * 8) << "as many MACs";
    EXPECT_EQ(count(program, Kind::write_buffer), 3 * 8 * 64) << "as many inputs";
    EXPECT_EQ(program[1].count, 4) << "half a query";
}

TEST(Attention, work_grows_with_the_context) {
    auto a = grouped();
    std::int64_t before = 0;
    for (a.context = 1; a.context < 5000; a.context += 97) {
        auto const macs = count(program_of(AttentionPart::scores, a), Kind::multiply) +
                          count(program_of(AttentionPart::values, a), Kind::multiply);
        EXPECT_GE(macs, before);
        before = macs;
    }
}

TEST(Attention, refuses_heads_that_do_not_fit) {
    auto a = grouped();
    a.kv_heads = 7;
    EXPECT_THROW((void)program_of(AttentionPart::scores, a), ContractViolation);
    a = grouped();
    a.head_size = 2048;
    EXPECT_THROW((void)program_of(AttentionPart::values, a), ContractViolation);
}

/// How many channels have how much work, the longest first.
using Dealt = std::map<std::int64_t, std::int64_t, std::greater<>>;

Dealt dealt(std::vector<std::int64_t> const& work_of_channels) {
    Dealt counts;
    for (auto const work : work_of_channels) {
        if (work > 0) ++counts[work];
    }
    return counts;
}

template <class Product, class Work>
Dealt dealt(std::vector<ChannelShare<Product>> const& shares, Work const& work) {
    Dealt counts;
    for (auto const& share : shares) counts[work(share.product)] += share.channels;
    return counts;
}

TEST(Shares, of_attention_are_those_of_tokens_and_heads_dealt_one_by_one) {
    std::mt19937 random(4);
    auto const units = sixteen_units();
    for (int i = 0; i < 500; ++i) {
        Attention a;
        std::int64_t const channels = 1 + random() % 40, in_step = units.sizes.units();
        a.kv_heads = 1 + random() % 50;
        a.heads = a.kv_heads * (1 + random() % 4);
        a.head_size = 16;
        a.context = 1 + random() % 3000;
        a.key_units = channels * in_step;
        a.value_channels = 1 + random() % 40;
        a.head_size = 16 * (1 + random() % 8);
        a.head_channels = 1 + random() % a.value_channels;
        std::int64_t const places = a.value_channels / a.head_channels;
        std::vector<std::int64_t> tokens(static_cast<std::size_t>(a.key_units)), busiest(tokens.size());
        for (std::int64_t t = 0; t < a.context; ++t) {
            auto const unit = t % a.key_units;
            auto& most = busiest[static_cast<std::size_t>(unit / in_step)];
            most = std::max(most, ++tokens[static_cast<std::size_t>(unit)]);
        }
        auto const scores = shares_of(units, AttentionProduct{AttentionPart::scores, a});
        EXPECT_EQ(dealt(scores, [](auto const& p) { return p.attention.context / p.attention.key_units; }),
                  dealt(busiest));
        EXPECT_EQ(program_of(units, scores.front().product), program_of(AttentionPart::scores, a));

        std::vector<std::int64_t> heads(static_cast<std::size_t>(places * a.head_channels));
        for (std::int64_t h = 0; h < a.kv_heads; ++h)
            for (std::int64_t c = 0; c < a.head_channels; ++c)
                ++heads[static_cast<std::size_t>(h % places * a.head_channels + c)];
        auto const of_heads = [](auto const& p) { return p.attention.kv_heads; };
        auto const values = shares_of(units, AttentionProduct{AttentionPart::values, a});
        EXPECT_EQ(dealt(values, of_heads), dealt(heads));
        EXPECT_EQ(program_of(units, values.front().product), program_of(AttentionPart::values, a));
        auto const dimensions = (a.head_size + in_step * a.head_channels - 1) / (in_step * a.head_channels);
        auto const each_row = rows(program_of(units, values.back().product)) / values.back().product.attention.heads;
        EXPECT_EQ(each_row, dimensions * ((a.context + 1023) / 1024)) << "its dimensions go round all units of a head";

        auto appended = shares_of(units, AttentionProduct{AttentionPart::append, a});
        EXPECT_EQ(appended.front().channels, 1) << "one channel receives the keys of a token";
        EXPECT_EQ(program_of(units, appended.front().product), program_of(AttentionPart::append, a));
        appended.front().product = {AttentionPart::append_values, values.front().product.attention};
        EXPECT_EQ(dealt(appended, of_heads), dealt(heads));
    }
}

TEST(Shares, of_a_matrix_are_those_of_outputs_dealt_one_by_one) {
    std::mt19937 random(9);
    auto const units = sixteen_units();
    for (int i = 0; i < 500; ++i) {
        std::int64_t const channels = 1 + random() % 40, in_step = units.sizes.units();
        Gemv product;
        product.outputs = 1 + random() % 4000;
        std::int64_t const of_unit = (product.outputs - 1) / (channels * in_step) + 1;
        std::vector<std::int64_t> busiest(static_cast<std::size_t>(channels));
        for (std::int64_t o = 0; o < product.outputs; ++o) {
            auto& most = busiest[static_cast<std::size_t>(o / (of_unit * in_step))];
            most = std::max(most, std::min(of_unit, (o % (of_unit * in_step)) / in_step + 1));
        }
        EXPECT_EQ(dealt(shares_of(units, product, channels), [&](auto const& p) { return p.outputs / in_step; }),
                  dealt(busiest))
            << product.outputs << " outputs on " << channels << " channels";
    }
}

}  // namespace
}  // namespace pimdse::sim::pim::attention_test
