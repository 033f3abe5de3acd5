#include "dse/search/ideal_point.hpp"

#include "synthetic.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

namespace pimdse::dse::search::ranking_test {
namespace {

using Item = Ranking::Item;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Ideal points with ties, infinities of both signs, ranges that no double holds, and an objective that is always zero.
std::vector<double> some_ideal_points(testing::Rng& rng, std::size_t items, std::size_t objectives) {
    std::vector<double> ideals;
    std::uint64_t const kind = rng.below(5);
    for (std::size_t i = 0; i < items * objectives; ++i) {
        auto const level = static_cast<double>(rng.below(5));
        if (kind == 1 && rng.one_in(6))
            ideals.push_back(rng.one_in(2) ? infinity : -infinity);
        else if (kind == 2)
            ideals.push_back((level - 2.0) * 0.9 * 0x1p1022);
        else if (kind == 4 && i % objectives == 0)
            ideals.push_back(0.0);
        else
            ideals.push_back(kind == 3 ? 1e16 + level : level - 2.0);
    }
    return ideals;
}

std::vector<Item> all_items(std::size_t count) {
    std::vector<Item> items(count);
    std::iota(items.begin(), items.end(), Item{0});
    return items;
}

TEST(Ranking, gives_dominating_points_before_dominated_ones) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        testing::Rng rng(seed);
        std::size_t const objectives = 1 + rng.below(3), count = rng.below(25);
        auto const ideals = some_ideal_points(rng, count, objectives);
        Ranking ranking(all_items(count), ideals, objectives);
        std::vector<Item> order;
        while (auto const item = ranking.take()) order.push_back(*item);
        ASSERT_EQ(std::set<Item>(order.begin(), order.end()).size(), count);
        auto const values = [&](Item item) {
            Values v{};
            std::copy_n(ideals.begin() + static_cast<std::ptrdiff_t>(item * objectives), objectives, v.begin());
            return v;
        };
        for (std::size_t early = 0; early < count; ++early) {
            for (std::size_t late = early + 1; late < count; ++late) {
                EXPECT_FALSE(dominates(values(order[late]), space::PointId{order[late]}, values(order[early]),
                                       space::PointId{order[early]}, objectives))
                    << "seed " << seed << ": " << order[late] << " dominates " << order[early];
            }
        }
    }
}

TEST(Ranking, knows_what_is_ahead_and_the_rank_of_each_item) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        testing::Rng rng(seed);
        std::size_t const count = 1 + rng.below(20);
        std::vector<Item> some;
        for (Item item = 0; item < count; ++item) {
            if (!rng.one_in(4)) some.push_back(item);
        }
        Ranking ranking(some, some_ideal_points(rng, count, 2), 2);
        auto const ahead = ranking.ahead();
        std::vector<Item> const order(ahead.begin(), ahead.end());
        ASSERT_TRUE(std::ranges::is_permutation(order, some));
        for (std::uint32_t rank = 0; rank < order.size(); ++rank) {
            EXPECT_EQ(ranking.at(rank), order[rank]);
            EXPECT_EQ(ranking.rank_of(order[rank]), rank);
            EXPECT_EQ(ranking.ahead().size(), order.size() - rank);
            EXPECT_EQ(ranking.take(), order[rank]);
        }
        EXPECT_FALSE(ranking.take());
    }
}

TEST(Ranking, of_nothing_gives_nothing) {
    Ranking none;
    EXPECT_FALSE(none.take());
    EXPECT_TRUE(none.ahead().empty());
    EXPECT_FALSE(Ranking({}, std::vector{1.0, 2.0}, 2).take()) << "ideals of points that need no rank";
}

}  // namespace
}  // namespace pimdse::dse::search::ranking_test
