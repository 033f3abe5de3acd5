#include "dse/search/crowding.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <random>

namespace pimdse::dse::search::crowding_test {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

bool dominates(ObjectiveValues const& a, ObjectiveValues const& b, std::size_t objectives) {
    bool better = false;
    for (std::size_t i = 0; i < objectives; ++i) {
        if (a.values[i] > b.values[i]) return false;
        better |= a.values[i] < b.values[i];
    }
    return better;
}

/// By definition: one more than the highest rank of those that dominate it.
std::uint32_t rank_of(std::size_t who, std::vector<ObjectiveValues> const& merits, std::size_t objectives) {
    std::uint32_t rank = 0;
    for (std::size_t other = 0; other < merits.size(); ++other) {
        if (merits[other].feasible && dominates(merits[other], merits[who], objectives))
            rank = std::max(rank, rank_of(other, merits, objectives) + 1);
    }
    return rank;
}

std::vector<ObjectiveValues> drawn(std::size_t count, std::size_t objectives, int levels, std::mt19937_64& random) {
    std::vector<ObjectiveValues> merits(count);
    for (auto& merit : merits) {
        merit.feasible = random() % 5 != 0;
        merit.violation = static_cast<double>(random() % 7);
        for (std::size_t i = 0; i < objectives; ++i)
            merit.values[i] = static_cast<double>(random() % static_cast<std::uint64_t>(levels));
    }
    return merits;
}

/// Between the next smaller and the next larger of its front in each objective, by definition; all values differ.
double distance_of(std::size_t who, std::vector<ObjectiveValues> const& merits, std::vector<Fitness> const& fitness,
                   std::size_t objectives) {
    double sum = 0.0;
    for (std::size_t i = 0; i < objectives; ++i) {
        double const own = merits[who].values[i];
        double below = -infinite, above = infinite, min_id = own, max = own;
        for (std::size_t other = 0; other < merits.size(); ++other) {
            if (fitness[other].rank != fitness[who].rank) continue;
            double const value = merits[other].values[i];
            min_id = std::min(min_id, value);
            max = std::max(max, value);
            if (value < own) below = std::max(below, value);
            if (value > own) above = std::min(above, value);
        }
        sum += (above - below) / (max - min_id);
    }
    return sum;
}

TEST(Fitness, ranks_fronts_by_definition_and_leaves_the_infeasible_behind) {
    std::mt19937_64 random(1);
    for (int round = 0; round < 150; ++round) {
        std::size_t const objectives = 1 + random() % 4;
        auto const merits = drawn(random() % 24, objectives, 2 + static_cast<int>(random() % 9), random);
        auto const fitness = fitness_of(merits, objectives);
        ASSERT_EQ(fitness.size(), merits.size());
        for (std::size_t i = 0; i < merits.size(); ++i) {
            auto const expected = merits[i].feasible ? rank_of(i, merits, objectives) : Fitness::behind_all;
            ASSERT_EQ(fitness[i].rank, expected) << "round " << round;
            if (!merits[i].feasible) {
                ASSERT_EQ(fitness[i].distance, -merits[i].violation) << "the smaller, the better";
            }
        }
    }
}

TEST(Fitness, measures_how_lonely_members_are_between_their_neighbours) {
    std::mt19937_64 random(2);
    for (int round = 0; round < 100; ++round) {
        std::size_t const objectives = 2 + random() % 3;
        auto const merits = drawn(2 + random() % 30, objectives, 1'000'000'000, random);
        auto const fitness = fitness_of(merits, objectives);
        for (std::size_t i = 0; i < merits.size(); ++i) {
            if (!merits[i].feasible) continue;
            double const expected = distance_of(i, merits, fitness, objectives);
            if (std::isnan(expected) || std::isinf(expected)) {
                ASSERT_TRUE(std::isinf(fitness[i].distance)) << "outermost, or alone";
            } else {
                ASSERT_NEAR(fitness[i].distance, expected, 1e-12) << "round " << round;
            }
        }
    }
}

TEST(Fitness, of_a_front_without_extent_is_finite_but_at_its_ends) {
    std::vector<ObjectiveValues> merits(5);
    for (auto& merit : merits) merit = {true, {1.0, infinite}};
    auto const fitness = fitness_of(merits, 2);
    EXPECT_EQ(std::ranges::count_if(fitness, [](Fitness const& f) { return std::isinf(f.distance); }), 2);
    EXPECT_TRUE(std::ranges::none_of(fitness, [](Fitness const& f) { return std::isnan(f.distance); }));
    EXPECT_TRUE(fitness_of({}, 3).empty());
}

}  // namespace
}  // namespace pimdse::dse::search::crowding_test
