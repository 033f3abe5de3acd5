#include "dse/search/crowding.hpp"

#include <gtest/gtest.h>
#include <random>

namespace pimdse::dse::search::front_ranks_test {
namespace {

bool dominates(double const* a, double const* b, std::size_t objectives) {
    bool better = false;
    for (std::size_t i = 0; i < objectives; ++i) {
        if (a[i] > b[i]) return false;
        better = better || a[i] < b[i];
    }
    return better;
}

/// By definition, front after front.
std::vector<std::uint32_t> peeled(std::vector<double> const& points, std::size_t objectives) {
    constexpr std::uint32_t none = ~std::uint32_t{0};
    std::size_t const count = points.size() / objectives;
    std::vector<std::uint32_t> ranks(count, none);
    auto const is_free = [&](std::size_t k) {
        for (std::size_t other = 0; other < count; ++other) {
            if (ranks[other] == none && dominates(&points[other * objectives], &points[k * objectives], objectives))
                return false;
        }
        return true;
    };
    std::size_t left = count;
    for (std::uint32_t rank = 0; left > 0; ++rank) {
        std::vector<std::size_t> front;
        for (std::size_t k = 0; k < count; ++k) {
            if (ranks[k] == none && is_free(k)) front.push_back(k);
        }
        for (auto const k : front) ranks[k] = rank;
        left -= front.size();
    }
    return ranks;
}

/// Few levels make ties and duplicates.
std::vector<double> levelled(std::mt19937_64& random, std::size_t count, std::size_t objectives, std::uint64_t levels) {
    std::vector<double> points;
    for (std::size_t k = 0; k < count * objectives; ++k) points.push_back(static_cast<double>(random() % levels));
    return points;
}

TEST(FrontRanks, are_those_of_peeling_one_front_after_the_other) {
    std::mt19937_64 random(3);
    for (int round = 0; round < 600; ++round) {
        std::size_t const objectives = 1 + random() % 6, count = random() % 90;
        auto const points = levelled(random, count, objectives, 1 + random() % 30);
        ASSERT_EQ(front_ranks(points, objectives), peeled(points, objectives))
            << objectives << " objectives, " << round;
    }
}

TEST(FrontRanks, are_those_of_peeling_where_lists_are_split_more_than_once) {
    std::mt19937_64 random(4);
    for (std::size_t objectives = 2; objectives <= 6; ++objectives) {
        for (std::uint64_t const levels : {3U, 12U, 1000U}) {
            auto const points = levelled(random, 500, objectives, levels);
            ASSERT_EQ(front_ranks(points, objectives), peeled(points, objectives)) << objectives << ", " << levels;
        }
    }
}

TEST(FrontRanks, count_a_chain_link_by_link) {
    for (std::size_t objectives = 1; objectives <= 6; ++objectives) {
        std::vector<double> points;
        for (int k = 299; k >= 0; --k) points.insert(points.end(), objectives, k / 3);
        auto const ranks = front_ranks(points, objectives);
        for (std::size_t k = 0; k < ranks.size(); ++k) ASSERT_EQ(ranks[k], (299 - k) / 3) << objectives;
    }
}

TEST(FrontRanks, take_infinities_for_numbers) {
    double const infinity = std::numeric_limits<double>::infinity();
    EXPECT_EQ(front_ranks(std::vector{infinity, infinity, -infinity, 1.0, 1.0, -infinity, 2.0, 2.0}, 2),
              (std::vector<std::uint32_t>{2, 0, 0, 1}));
    EXPECT_TRUE(front_ranks({}, 3).empty());
}

}  // namespace
}  // namespace pimdse::dse::search::front_ranks_test
