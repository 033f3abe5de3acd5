#include "dse/search/sobol.hpp"

#include <gtest/gtest.h>
#include <set>
#include <utility>

namespace pimdse::dse::search::sobol_sequence_test {
namespace {

TEST(SobolSequence, of_two_dimensions_has_one_point_in_each_box_of_every_shape) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        SobolSequence sequence(2, seed);
        std::vector<std::vector<std::uint64_t>> points;
        for (int i = 0; i < 256; ++i) points.push_back(sequence.next());
        for (unsigned bits = 1; bits < 8; ++bits) {  // 2^bits columns of 2^(8 - bits) rows
            std::set<std::pair<std::uint64_t, std::uint64_t>> boxes;
            for (auto const& point : points) boxes.emplace(point[0] >> (64 - bits), point[1] >> (56 + bits));
            EXPECT_EQ(boxes.size(), 256U) << seed << ", " << bits;
        }
    }
}

TEST(SobolSequence, divides_every_dimension_evenly_and_differs_by_seed) {
    std::set<std::uint64_t> beginnings;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        SobolSequence sequence(40, seed);
        std::vector<std::set<std::uint64_t>> strips(40);
        for (int i = 0; i < 1024; ++i) {
            auto const& point = sequence.next();
            if (i == 0) beginnings.insert(point[7]);
            for (std::size_t d = 0; d < strips.size(); ++d) strips[d].insert(point[d] >> 54);
        }
        for (auto const& strip : strips) EXPECT_EQ(strip.size(), 1024U);
    }
    EXPECT_EQ(beginnings.size(), 5U);
}

}  // namespace
}  // namespace pimdse::dse::search::sobol_sequence_test
