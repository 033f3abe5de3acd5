#include "dse/report/packed_values.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace pimdse::dse::report {
namespace {

using Form = Formula::Form;
using Column = std::vector<double>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t rows = 1000;

Column random_column(unsigned seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> between(0.5, 4000.0);
    Column values(rows);
    std::ranges::generate(values, [&] { return between(random); });
    return values;
}

template <class Of>
Column column_of(Column const& a, Column const& b, Of const& of) {
    Column values(a.size());
    std::ranges::transform(a, b, values.begin(), of);
    return values;
}

struct Known {
    Column a = random_column(1), b = random_column(2);
    ColumnFormulas formulas;
    Known() {
        formulas.add(10, a);
        formulas.add(20, b);
    }

    /// What comes back, bit for bit.
    [[nodiscard]] Column read_back(Formula const& formula) const {
        auto const& left = formula.a == 10 ? a : b;
        auto const& right = formula.b == 10 ? a : b;
        Column values;
        for (std::size_t row = 0; row < rows; ++row) {
            auto const bits = std::bit_cast<std::uint64_t>(result_of(formula, left[row], right[row]));
            values.push_back(std::bit_cast<double>(bits + static_cast<std::uint64_t>(formula.offsets[row])));
        }
        return values;
    }
};

TEST(ColumnFormulas, find_every_form) {
    Known const known;
    auto const expect = [&](Form form, auto const& of) {
        auto const values = column_of(known.a, known.b, of);
        auto const found = known.formulas.find(values);
        ASSERT_TRUE(found) << form_names[static_cast<std::size_t>(form)];
        EXPECT_EQ(found->form, form);
        EXPECT_EQ(known.read_back(*found), values);
    };
    expect(Form::scaled, [](double a, double) { return a * 3.7; });
    expect(Form::inverse, [](double a, double) { return 128.0 / a; });
    expect(Form::product, [](double a, double b) { return a * b; });
    expect(Form::quotient, [](double a, double b) { return b / a * 1.3; });
    expect(Form::inverse_product, [](double a, double b) { return 7.0 / (a * b); });
    expect(Form::sum, [](double a, double b) { return a + b; });
    expect(Form::difference, [](double a, double b) { return b - a; });
}

TEST(ColumnFormulas, keep_the_last_bits_of_what_was_computed_otherwise) {
    Known const known;
    auto const values = column_of(known.a, known.b, [](double a, double b) { return 1.0 / (1.0 / a / 0.3 / b); });
    auto const found = known.formulas.find(values);
    ASSERT_TRUE(found);
    EXPECT_TRUE(std::ranges::any_of(found->offsets, [](int offset) { return offset != 0; }));
    EXPECT_EQ(known.read_back(*found), values);
}

TEST(ColumnFormulas, name_whole_factors_exactly) {
    Known const known;
    auto const found = known.formulas.find(column_of(known.a, known.b, [](double a, double) { return 640.0 / a; }));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->factor, 640.0);
    EXPECT_EQ(found->a, 10U);
    EXPECT_TRUE(std::ranges::all_of(found->offsets, [](int offset) { return offset == 0; }));
}

TEST(ColumnFormulas, find_nothing_where_one_row_differs) {
    Known const known;
    auto values = column_of(known.a, known.b, [](double a, double b) { return a * b; });
    values[rows - 3] *= 1.0 + 1e-9;
    EXPECT_FALSE(known.formulas.find(values));
    EXPECT_FALSE(known.formulas.find(random_column(3)));
}

TEST(ColumnFormulas, take_what_is_no_number_only_where_the_result_is_none) {
    auto a = random_column(1);
    a[17] = nan;
    ColumnFormulas formulas;
    formulas.add(0, a);
    auto const twice = [&] {
        Column values(a);
        for (auto& value : values) value *= 2.0;
        return values;
    };
    EXPECT_TRUE(formulas.find(twice()));
    auto missing = twice();
    missing[18] = nan;
    EXPECT_FALSE(formulas.find(missing));
    auto there = twice();
    there[17] = 1.0;
    EXPECT_FALSE(formulas.find(there));
}

TEST(ColumnFormulas, say_nothing_of_columns_without_numbers) {
    Known const known;
    EXPECT_FALSE(known.formulas.find(Column(rows, nan)));
    EXPECT_FALSE(known.formulas.find(Column(rows, 0.0)));
    EXPECT_FALSE(known.formulas.find({}));
}

}  // namespace
}  // namespace pimdse::dse::report
