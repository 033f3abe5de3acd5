#include "dse/strategy/listed.hpp"

#include <gtest/gtest.h>
#include <random>

namespace pimdse::dse::strategy {
namespace {

TEST(Listed, asks_for_the_points_in_their_order_however_many_at_a_time) {
    std::mt19937_64 random(1);
    for (int round = 0; round < 200; ++round) {
        std::vector<task::PointId> points(random() % 30);
        for (auto& point : points) point = task::PointId{random() % 10};
        auto const strategy = make_listed(points, models::Fidelity::cycle);
        std::vector<task::PointId> asked;
        for (int empty = 0; empty < 3;) {
            std::uint64_t const most = random() % 5 == 0 ? ~std::uint64_t{0} : 1 + random() % 7;
            auto const batch = strategy->ask(most);
            ASSERT_LE(batch.size(), most);
            empty += batch.empty() ? 1 : 0;
            for (std::uint64_t i = 0; i < batch.size(); ++i) {
                asked.push_back(batch.task(i).point);
                ASSERT_EQ(batch.task(i).fidelity, models::Fidelity::cycle);
            }
        }
        EXPECT_EQ(asked, points);
        EXPECT_EQ(strategy->planned(), points.size());
        EXPECT_EQ(strategy->lag(), Strategy::deaf);
    }
}

}  // namespace
}  // namespace pimdse::dse::strategy
