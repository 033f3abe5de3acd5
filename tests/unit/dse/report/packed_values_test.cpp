#include "dse/report/packed_values.hpp"

#include "tests/unit/dse/report/page_reader.hpp"

#include <gtest/gtest.h>
#include <cmath>
#include <limits>
#include <random>

namespace pimdse::dse::report::packed_values_test {
namespace {

using testing::from_base64, testing::inflated, testing::word_at;

std::size_t width_of(std::size_t values) {
    if (values <= 1) return 0;
    return values <= 256 ? 1 : 2;
}

std::vector<std::uint64_t> bits_in(PackedValues const& column) {
    std::vector<std::uint64_t> bits;
    auto const width = width_of(column.values);
    bool const listed = column.coding == Coding::codes;
    auto const bytes =
        inflated(from_base64(column.data), listed ? column.values * 8 + column.rows * width : column.rows * 8);
    auto const list = testing::sums_at(bytes, 0, listed ? column.values : 0);
    for (std::size_t i = 0; i < column.rows; ++i) {
        if (!listed) {
            bits.push_back(word_at(bytes, 0, column.rows, i, 8));
            continue;
        }
        auto const code = word_at(bytes, column.values * 8, column.rows, i, width);
        bits.push_back(list[code]);
    }
    return bits;
}

void expect_same_bits(std::vector<double> const& values, Coding coding) {
    auto const column = pack_doubles(values);
    EXPECT_EQ(column.coding, coding);
    auto const bits = bits_in(column);
    ASSERT_EQ(bits.size(), values.size());
    for (std::size_t i = 0; i < bits.size(); ++i) ASSERT_EQ(bits[i], std::bit_cast<std::uint64_t>(values[i])) << i;
}

std::vector<double> random_values(std::size_t rows, std::size_t distinct) {
    std::mt19937_64 random(rows + distinct);
    std::vector<double> list, values;
    for (std::size_t i = 0; i < distinct; ++i)
        list.push_back(std::bit_cast<double>(random()));  // NaNs, infinities and subnormal numbers among them
    for (std::size_t i = 0; i < rows; ++i) values.push_back(i < distinct ? list[i] : list[random() % distinct]);
    return values;
}

TEST(PackedValues, keeps_every_bit_whatever_the_number_of_values) {
    for (std::size_t const distinct : {1, 2, 255, 256, 257, 5000})
        expect_same_bits(random_values(6000, distinct), Coding::codes);
    expect_same_bits({}, Coding::codes);
    expect_same_bits({0.0}, Coding::codes);
    expect_same_bits({0.0, -0.0, 0.0}, Coding::codes);
}

TEST(PackedValues, turns_to_words_beyond_two_bytes_of_values) {
    expect_same_bits(random_values(max_codes + 10, max_codes), Coding::codes);
    expect_same_bits(random_values(max_codes + 10, max_codes + 1), Coding::words);
}

TEST(PackedValues, lists_numbers_ascending_and_what_is_none_last) {
    double const nan = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> const values{3.0, -nan, -1.0, nan, INFINITY, 0.0, -0.0, -INFINITY};
    auto const column = pack_doubles(values);
    EXPECT_EQ(column.values, 8U);
    EXPECT_EQ(column.numbers, 6U);
    auto const bytes = inflated(from_base64(column.data), 8 * 8 + 8);
    auto const list = testing::sums_at(bytes, 0, 8);
    double before = -INFINITY;
    for (std::size_t i = 0; i < column.numbers; ++i) {
        auto const value = std::bit_cast<double>(list[i]);
        EXPECT_GE(value, before);
        before = value;
    }
    EXPECT_TRUE(std::isnan(std::bit_cast<double>(list[7])));
}

TEST(PackedValues, has_ids_of_64_bits_as_differences) {
    std::vector<std::uint64_t> const ids{5, 5, 7, std::uint64_t{1} << 63, std::numeric_limits<std::uint64_t>::max(), 0};
    auto const column = pack_ids(ids);
    EXPECT_EQ(column.coding, Coding::differences);
    auto const bytes = inflated(from_base64(column.data), ids.size() * 8);
    EXPECT_EQ(testing::sums_at(bytes, 0, ids.size()), ids);
}

TEST(PackedValues, has_codes_of_a_list_that_stands_elsewhere) {
    std::vector<std::uint32_t> const codes{0, 299, 256, 255, 1};
    auto const column = pack_codes(codes, 300);
    auto const bytes = inflated(from_base64(column.data), codes.size() * 2);
    for (std::size_t i = 0; i < codes.size(); ++i) EXPECT_EQ(word_at(bytes, 0, codes.size(), i, 2), codes[i]);
}

TEST(PackedValues, writes_base64_as_the_standard_has_it) {
    auto const of = [](std::string_view text) { return base64(std::as_bytes(std::span(text))); };
    EXPECT_EQ(of(""), "");
    EXPECT_EQ(of("f"), "Zg==");
    EXPECT_EQ(of("fo"), "Zm8=");
    EXPECT_EQ(of("foo"), "Zm9v");
    EXPECT_EQ(of("foobar"), "Zm9vYmFy");
    EXPECT_EQ(of("\xff\xef\xbe"), "/+++");
}

}  // namespace
}  // namespace pimdse::dse::report::packed_values_test
