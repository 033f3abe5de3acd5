#include "sim/pim/attention.hpp"

#include "sim/base/check.hpp"

#include <gtest/gtest.h>

namespace pimdse::sim::pim {
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
    auto const program = scores_program(sixteen_units(), grouped());
    // Eight heads of 256 bytes fill a row; three tokens of a unit, eight queries each.
    EXPECT_EQ(rows(program), 3);
    EXPECT_EQ(count(program, Kind::multiply), 3 * 8 * 8 * 8);
    EXPECT_EQ(count(program, Kind::write_buffer), 3 * 8 * 64);
    EXPECT_EQ(count(program, Kind::write_sums), 3 * 8 * 8);
    EXPECT_EQ(count(program, Kind::read_sums), 3 * 8 * 8);
}

TEST(Attention, values_open_a_row_for_each_dimension_and_part_of_the_scores) {
    auto const program = values_program(sixteen_units(), grouped());
    // One head in a channel, eight queries, eight dimensions of a unit, 1,024 and 128 scores.
    EXPECT_EQ(rows(program), 8 * 2 * 8);
    EXPECT_EQ(count(program, Kind::multiply), 8 * 8 * (64 + 8));
    EXPECT_EQ(count(program, Kind::write_buffer), 8 * (64 + 8));
    EXPECT_EQ(count(program, Kind::read_sums), 8 * 2 * 8);
    auto together = grouped();
    together.sums_together = 8;
    EXPECT_EQ(values_program(sixteen_units(), together).size(), 8U * 2U * (1U + 1U + 8U + 1U));
}

TEST(Attention, keys_are_written_to_one_bank_and_values_to_all) {
    auto const program = append_program(sixteen_units(), grouped());
    ASSERT_EQ(program.size(), 1U + 8U);
    EXPECT_EQ(program.front(), (ProgramStep{Kind::append, 64, true, 1}));
    EXPECT_EQ(program.back(), (ProgramStep{Kind::append, 1, true, 16}));
}

TEST(Attention, small_buffers_are_filled_head_by_head_and_in_parts) {
    auto units = sixteen_units();
    units.sizes.buffer_bytes = 128;
    auto const program = scores_program(units, grouped());
    EXPECT_EQ(count(program, Kind::multiply), 3 * 8 * 8 * 8) << "as many MACs";
    EXPECT_EQ(count(program, Kind::write_buffer), 3 * 8 * 64) << "as many inputs";
    EXPECT_EQ(program[1].count, 4) << "half a query";
}

TEST(Attention, work_grows_with_the_context) {
    auto a = grouped();
    std::int64_t before = 0;
    for (a.context = 1; a.context < 5000; a.context += 97) {
        auto const macs = count(scores_program(sixteen_units(), a), Kind::multiply) +
                          count(values_program(sixteen_units(), a), Kind::multiply);
        EXPECT_GE(macs, before);
        before = macs;
    }
}

TEST(Attention, refuses_heads_that_do_not_fit) {
    auto a = grouped();
    a.kv_heads = 7;
    EXPECT_THROW((void)scores_program(sixteen_units(), a), ContractViolation);
    a = grouped();
    a.head_size = 2048;
    EXPECT_THROW((void)values_program(sixteen_units(), a), ContractViolation);
}

}  // namespace
}  // namespace pimdse::sim::pim
