#include "sim/pim/gemv.hpp"

#include "random_units.hpp"
#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <gtest/gtest.h>
#include <algorithm>

namespace pimdse::sim::pim::gemv_test {
namespace {

using Kind = ProgramStep::Kind;

BankUnits two_units() {
    BankUnits u;
    u.sizes = {.banks = 2,
               .banks_per_unit = 1,
               .word_bytes = 32,
               .row_bytes = 128,
               .buffer_bytes = 128,
               .sums = 4,
               .sum_bytes = 2,
               .policy = SumPolicy::carried,
               .placement = WeightPlacement::row_per_output};
    u.timing.clock = Time{1e-9};
    return u;
}

TEST(Gemv, carries_sums_between_the_parts_of_the_inputs) {
    Gemv product;
    product.inputs = 96;   // a buffer of 64, and 32 more
    product.outputs = 10;  // five of each unit: groups of three and two
    Program const part_of_first{{Kind::write_buffer, 4},   {Kind::write_sums, 1},     {Kind::multiply, 4, true},
                                {Kind::multiply, 4, true}, {Kind::multiply, 4, true}, {Kind::read_sums, 1},
                                {Kind::write_sums, 1},     {Kind::multiply, 4, true}, {Kind::multiply, 4, true},
                                {Kind::read_sums, 1}};
    auto const program = program_of(two_units(), product);
    ASSERT_EQ(program.size(), 2 * part_of_first.size());
    EXPECT_TRUE(std::equal(part_of_first.begin(), part_of_first.end(), program.begin()));
    EXPECT_EQ(program[10], (ProgramStep{Kind::write_buffer, 2}));
    EXPECT_EQ(program[12], (ProgramStep{Kind::multiply, 2, true}));
}

TEST(Gemv, keeps_sums_and_packs_weights_where_the_units_do) {
    auto units = two_units();
    units.sizes.policy = SumPolicy::kept;
    units.sizes.placement = WeightPlacement::packed;
    units.sizes.row_bytes = 192;  // six words
    Gemv product;
    product.inputs = 96;
    product.outputs = 6;
    // 3 x 4 words of the first part, then 3 x 2 words of the second: three rows.
    EXPECT_EQ(program_of(units, product), (Program{{Kind::write_buffer, 4},
                                                   {Kind::multiply, 6, true},
                                                   {Kind::multiply, 6, true},
                                                   {Kind::write_buffer, 2},
                                                   {Kind::multiply, 6, true},
                                                   {Kind::read_sums, 1}}));
}

TEST(Gemv, writes_no_inputs_that_are_there) {
    Gemv product;
    product.inputs = 64;
    product.vector_in_buffer = true;
    EXPECT_EQ(program_of(two_units(), product).front().kind, Kind::write_sums);
    product.inputs = 65;
    EXPECT_THROW((void)program_of(two_units(), product), ContractViolation);
}

/// Whatever the units, every weight is multiplied once, every input written for every group that needs it, and every
/// sum read.
TEST(Gemv, has_the_commands_that_its_shape_needs) {
    test::RandomUnits random(7);
    for (int i = 0; i < 3000; ++i) {
        auto const units = random.units();
        auto const& s = units.sizes;
        Gemv product;
        product.inputs = random.draw(1, 1500);
        product.outputs = random.draw(1, 200);
        product.weight_bits = random.draw(0, 1) == 0 ? 8 : 16;
        product.activation_bits = random.draw(0, 1) == 0 ? 8 : 16;
        std::int64_t macs = 0, rows = 0, inputs = 0, in_row = 0, reads = 0, writes = 0;
        for (auto const& step : program_of(units, product)) {
            ASSERT_GE(step.count, 1);
            if (step.kind == Kind::multiply) {
                macs += step.count;
                rows += step.new_row ? 1 : 0;
                in_row = step.new_row ? step.count : in_row + step.count;
                ASSERT_LE(in_row, s.words_per_row());
            }
            inputs += step.kind == Kind::write_buffer ? step.count : 0;
            reads += step.kind == Kind::read_sums ? step.count : 0;
            writes += step.kind == Kind::write_sums ? step.count : 0;
        }
        auto const outputs = divide_up(product.outputs, s.units());
        auto const weight_bytes = divide_up(product.inputs * product.weight_bits, 8);
        EXPECT_GE(macs, outputs * divide_up(weight_bytes, s.word_bytes));
        EXPECT_GE(rows, divide_up(macs, s.words_per_row()));
        EXPECT_GE(inputs, divide_up(divide_up(product.inputs * product.activation_bits, 8), s.word_bytes));
        EXPECT_GE(reads, divide_up(outputs * s.units() * s.sum_bytes, s.word_bytes));
        EXPECT_EQ(writes, s.policy == SumPolicy::carried ? reads : 0);
        if (s.placement == WeightPlacement::packed) {
            EXPECT_EQ(rows, divide_up(macs, s.words_per_row()));
        }
    }
}

}  // namespace
}  // namespace pimdse::sim::pim::gemv_test
