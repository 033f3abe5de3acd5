#include "models/umdam/layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace pimdse::models::umdam::linear_images_test {
namespace {

using Word = LinearImages::Word;

/// A random map of `bits` bits to few others, so that many images meet, and what counts as nothing.
struct RandomMap {
    std::vector<Word> alike, bits;

    RandomMap(std::mt19937_64& random, std::size_t count) {
        Word const mask = (Word{1} << (1 + random() % 6)) - 1;
        for (std::size_t i = random() % 3; i > 0; --i) alike.push_back(random() & mask);
        for (std::size_t i = 0; i < count; ++i) bits.push_back(random() % 3 == 0 ? 0 : random() & mask);
    }

    /// The smallest of the images that are one with this number's.
    [[nodiscard]] Word image(Word number) const {
        Word sum = 0;
        for (std::size_t i = 0; i < bits.size(); ++i) sum ^= (number >> i & 1) != 0 ? bits[i] : 0;
        Word min = sum;
        for (Word some = 0; some < Word{1} << alike.size(); ++some) {
            Word other = sum;
            for (std::size_t i = 0; i < alike.size(); ++i) other ^= (some >> i & 1) != 0 ? alike[i] : 0;
            min = std::min(min, other);
        }
        return min;
    }
    [[nodiscard]] std::int64_t different(Word first, Word count) const {
        std::set<Word> seen;
        for (Word i = first; i < first + count; ++i) seen.insert(image(i));
        return static_cast<std::int64_t>(seen.size());
    }
};

TEST(LinearImages, counts_different_images_of_a_run_as_walking_it_does) {
    std::mt19937_64 random(1);
    for (int trial = 0; trial < 300; ++trial) {
        RandomMap const map(random, 9);
        LinearImages const images(map.alike, map.bits);
        Word const first = random() % 500, count = 1 + random() % (512 - first);
        EXPECT_EQ(images.different(first, count), map.different(first, count)) << trial;
        EXPECT_EQ(std::int64_t{1} << images.dimension(), map.different(0, 512)) << trial;
    }
}

TEST(LinearImages, finds_the_run_with_most_of_them) {
    std::mt19937_64 random(2);
    for (int trial = 0; trial < 300; ++trial) {
        RandomMap const map(random, 9);
        LinearImages const images(map.alike, map.bits);
        Word const count = 1 + random() % 60, times = 1 + random() % (512 / count);
        std::int64_t max = 0;
        for (Word i = 0; i < times; ++i) max = std::max(max, map.different(i * count, count));
        EXPECT_EQ(images.max_different(count, times, INT64_MAX), max) << trial;
        EXPECT_EQ(images.max_different(count, times, 1) > 1, max > 1) << trial;
    }
}

TEST(LinearImages, counts_the_numbers_of_the_commonest_image) {
    std::mt19937_64 random(3);
    for (int trial = 0; trial < 300; ++trial) {
        RandomMap const map(random, 9);
        LinearImages const images(map.alike, map.bits);
        Word const count = 1 + random() % 512;
        std::map<Word, std::int64_t> numbers;
        for (Word i = 0; i < count; ++i) ++numbers[map.image(i)];
        std::int64_t max = 0;
        for (auto const& [_, n] : numbers) max = std::max(max, n);
        EXPECT_EQ(images.max_alike(count), max) << trial;
    }
}

}  // namespace
}  // namespace pimdse::models::umdam::linear_images_test
