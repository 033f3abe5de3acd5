#include "dse/search/strategy.hpp"

#include <gtest/gtest.h>
#include <random>

namespace pimdse::dse::search::listed_test {
namespace {

TEST(Listed, asks_for_the_points_in_their_order_however_many_at_a_time) {
    std::mt19937_64 random(1);
    for (int round = 0; round < 200; ++round) {
        std::vector<space::Task> tasks(random() % 30);
        for (auto& task : tasks) {
            auto const fidelity = random() % 4 == 0 ? models::Fidelity::analytic : models::Fidelity::cycle;
            task = {space::PointId{random() % 10}, fidelity};
        }
        auto const strategy = make_listed(tasks);
        std::vector<space::Task> requested;
        for (int empty = 0; empty < 3;) {
            std::uint64_t const max = random() % 5 == 0 ? ~std::uint64_t{0} : 1 + random() % 7;
            auto const batch = strategy->ask(max);
            ASSERT_LE(batch.size(), max);
            empty += batch.empty() ? 1 : 0;
            for (std::uint64_t i = 0; i < batch.size(); ++i) requested.push_back(batch.task(i));
        }
        EXPECT_EQ(requested, tasks);
        EXPECT_EQ(strategy->planned(), tasks.size());
        EXPECT_EQ(strategy->lag(), Strategy::non_adaptive);
    }
}

}  // namespace
}  // namespace pimdse::dse::search::listed_test
