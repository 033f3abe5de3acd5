#include "dse/search/nsga2.hpp"

#include "dse/search/genome.hpp"
#include "dse/search/local_search.hpp"

#include <gtest/gtest.h>
#include <set>

namespace pimdse::dse::search::variation_test {
namespace {

constexpr std::uint64_t many = std::uint64_t{1} << 60;
Genome const mixed{{Gene::Kind::ordinal, 5, 0},
                   {Gene::Kind::choice, 3, 0},
                   {Gene::Kind::ordering, 24, 4},
                   {Gene::Kind::ordinal, 1, 0},
                   {Gene::Kind::choice, 2, 0}};

bool lies_on(CodedPoint const& point, Genome const& genome) {
    bool inside = point.values.size() == genome.size();
    for (std::size_t i = 0; inside && i < genome.size(); ++i) inside = point.values[i] < genome[i].values;
    return inside;
}

std::size_t differing(CodedPoint const& a, CodedPoint const& b) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < a.values.size(); ++i) count += a.values[i] != b.values[i] ? 1 : 0;
    return count;
}

TEST(Genomes, number_their_points_in_mixed_radix_one_genome_after_the_other) {
    Genomes const genomes({mixed, {{Gene::Kind::choice, 7, 0}}});
    ASSERT_EQ(genomes.size(), 5U * 3 * 24 * 2 + 7);
    for (std::uint64_t number = 0; number < genomes.size(); ++number)
        ASSERT_EQ(genomes.key(genomes.at(number)), number);
    EXPECT_EQ(genomes.at(1).values, (std::vector<std::uint64_t>{0, 0, 0, 0, 1}));
    EXPECT_EQ(genomes.at(720), (CodedPoint{1, {0}}));
    EXPECT_FALSE(Genomes({Genome(3, {Gene::Kind::ordinal, many, 0})}).size());
}

TEST(Variation, stays_on_the_axes_and_changes_about_one_gene) {
    Genome const genomes[] = {mixed, Genome(4, {Gene::Kind::ordinal, many, 0})};
    for (auto const& genome : genomes) {
        Genomes const all({genome});
        Rng rng(2);
        std::size_t changed = 0;
        for (int round = 0; round < 2000; ++round) {
            auto const one = all.random(rng), other = all.random(rng);
            auto child = crossed(one, other, genome, rng);
            ASSERT_TRUE(lies_on(child, genome));
            EXPECT_EQ(crossed(one, one, genome, rng), one);
            auto const before = child;
            mutate(child, genome, rng);
            ASSERT_TRUE(lies_on(child, genome));
            changed += differing(before, child);
        }
        EXPECT_NEAR(static_cast<double>(changed) / 2000.0, 1.0, 0.1);
    }
}

TEST(Neighbours, are_all_different_and_symmetric) {
    Genomes const all({mixed});
    for (std::uint64_t number = 0; number < all.size(); ++number) {
        auto const point = all.at(number);
        std::set<std::uint64_t> neighbours;
        for (std::uint64_t i = 0; i < neighbours_of(point, mixed); ++i) {
            auto const other = neighbour(point, mixed, i);
            ASSERT_TRUE(lies_on(other, mixed));
            ASSERT_EQ(differing(point, other), 1U);
            neighbours.insert(all.key(other));
            bool back = false;
            for (std::uint64_t j = 0; j < neighbours_of(other, mixed) && !back; ++j)
                back = neighbour(other, mixed, j) == point;
            ASSERT_TRUE(back);
        }
        ASSERT_EQ(neighbours.size(), neighbours_of(point, mixed));
        bool const at_an_end = point.values[0] == 0 || point.values[0] == 4;
        ASSERT_EQ(neighbours.size(), (at_an_end ? 1U : 2U) + 2 + (6 + 6) + 1);
    }
}

TEST(DuplicateFilter, gives_every_point_once) {
    Genomes const all({mixed, {{Gene::Kind::choice, 7, 0}}});
    DuplicateFilter unseen(all, 3);
    Rng rng(3);
    std::set<std::uint64_t> numbers;
    while (auto const point = unseen.take_random(rng)) ASSERT_TRUE(numbers.insert(all.key(*point)).second);
    EXPECT_EQ(numbers.size(), all.size());
}

}  // namespace
}  // namespace pimdse::dse::search::variation_test
