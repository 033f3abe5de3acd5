#include "dse/search/result_columns.hpp"

#include "sim/base/check.hpp"

#include <gtest/gtest.h>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace pimdse::dse::search::packed_words_test {
namespace {

using Words = std::vector<std::uint64_t>;

void expect_words(Words const& words, std::size_t max_bytes) {
    PackedWords const packed(words);
    for (std::size_t i = 0; i < words.size(); ++i)
        ASSERT_EQ(packed[i], words[i]) << "word " << i << " of " << words.size();
    EXPECT_LE(packed.bytes(), max_bytes);
}

/// `count` words below `limit`.
Words random_words(std::size_t count, std::uint64_t limit, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    Words words(count);
    for (auto& word : words) word = limit == 0 ? random() : random() % limit;
    return words;
}

TEST(PackedWords, takes_nothing_for_equal_words_and_for_a_count) {
    expect_words({}, 0);
    expect_words(Words(4096, 0xFFFFFFFFFFFFFFFFULL), 0);
    Words count(4096);
    for (std::size_t i = 0; i < count.size(); ++i) count[i] = (std::uint64_t{1} << 60) + i;
    expect_words(count, 0);
    count.back() += 1;
    expect_words(count, 2 * 4096);
    // Counts up, but over the edge: its first word is not its least.
    expect_words({std::numeric_limits<std::uint64_t>::max(), 0, 1}, 64);
}

TEST(PackedWords, stores_words_that_lie_close_as_offsets) {
    for (std::uint64_t const limit : {256ULL, 65536ULL, 1ULL << 32}) {
        Words words = random_words(4096, limit, limit);
        for (auto& word : words) word += 1ULL << 50;
        expect_words(words, 4096 * (limit == 256 ? 1U : limit == 65536 ? 2U : 4U));
    }
}

TEST(PackedWords, stores_few_distinct_words_once) {
    for (std::size_t const distinct : {2U, 255U, 256U, 257U, 900U}) {
        Words const table = random_words(distinct, 0, distinct);
        Words words;
        for (auto const pick : random_words(4096, distinct, 7)) words.push_back(table[pick]);
        expect_words(words, distinct * 8 + 4096 * (distinct <= 256 ? 1U : 2U));
    }
}

TEST(PackedWords, gives_back_any_words) {
    for (std::size_t const count : {1U, 2U, 3U, 1024U, 1025U, 4096U, 65536U})
        expect_words(random_words(count, 0, count), 8 * count);
    expect_words({0, std::numeric_limits<std::uint64_t>::max()}, 16);
    expect_words({7, 3}, 2);
}

TEST(PackedWords, refuses_a_long_column) {
    EXPECT_THROW(PackedWords(Words(PackedWords::max + 1)), sim::ContractViolation);
}

}  // namespace
}  // namespace pimdse::dse::search::packed_words_test
