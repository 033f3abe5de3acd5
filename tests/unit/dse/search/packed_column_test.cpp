#include "dse/search/result_columns.hpp"

#include <gtest/gtest.h>
#include <random>

namespace pimdse::dse::search::packed_column_test {
namespace {

/// Words of another character every few thousand rows, so that blocks are packed in every way.
std::uint64_t word_at(std::size_t row, std::mt19937_64& random) {
    switch (row / 3000 % 5) {
        case 0:
            return 7;
        case 1:
            return row;
        case 2:
            return random() % 3 << 60;
        case 3:
            return (std::uint64_t{1} << 40) + random() % 200;
        default:
            return random();
    }
}

TEST(PackedColumn, has_every_word_that_was_put_before_and_after_it_is_packed) {
    std::mt19937_64 random(1);
    PackedColumn column;
    std::vector<std::uint64_t> words;
    for (std::size_t row = 0; row < 20'000; ++row) {
        words.push_back(word_at(row, random));
        column.push_back(words.back());
        ASSERT_EQ(column.size(), words.size());
        ASSERT_EQ(column[row], words[row]);
        ASSERT_EQ(column[row / 2], words[row / 2]);
    }
    for (std::size_t row = 0; row < words.size(); ++row) ASSERT_EQ(column[row], words[row]) << row;
}

TEST(PackedColumn, and_its_copy_change_independently) {
    PackedColumn column;
    for (std::uint64_t row = 0; row < 5000; ++row) column.push_back(row * row);
    PackedColumn copy = column;
    for (std::uint64_t row = 5000; row < 9000; ++row) {
        column.push_back(1);
        copy.push_back(row);
    }
    EXPECT_EQ(column.size(), copy.size());
    for (std::uint64_t row = 0; row < 9000; ++row) {
        ASSERT_EQ(column[row], row < 5000 ? row * row : 1);
        ASSERT_EQ(copy[row], row < 5000 ? row * row : row);
    }
}

}  // namespace
}  // namespace pimdse::dse::search::packed_column_test
