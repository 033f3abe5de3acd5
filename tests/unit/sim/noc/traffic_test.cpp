#include "sim/base/check.hpp"
#include "sim/noc/open_loop.hpp"

#include <gtest/gtest.h>
#include <numeric>

namespace pimdse::sim::noc::test::traffic_test {
namespace {

TEST(Traffic, patterns_go_where_they_say) {
    Mesh const mesh{8, 8};
    EXPECT_EQ(destination(Traffic::transpose, mesh, mesh.at(2, 5), 0), mesh.at(5, 2));
    EXPECT_EQ(destination(Traffic::bitcomp, mesh, 0, 0), 63);
    EXPECT_EQ(destination(Traffic::bitcomp, mesh, mesh.at(1, 2), 0), mesh.at(6, 5));
    EXPECT_EQ(destination(Traffic::neighbor, mesh, mesh.at(7, 3), 0), mesh.at(0, 4));
}

TEST(Traffic, uniform_reaches_every_node_equally_often) {
    Mesh const mesh{5, 3};
    std::vector<int> count(15);
    for (std::uint64_t i = 0; i < 150'000; ++i)
        ++count[static_cast<std::size_t>(destination(Traffic::uniform, mesh, 4, hashed(1, i)))];
    for (int const c : count) EXPECT_NEAR(c, 10'000, 500);
}

TEST(Traffic, shares_sum_to_one) {
    for (auto const traffic : {Traffic::uniform, Traffic::transpose, Traffic::bitcomp, Traffic::neighbor}) {
        auto const shares = destination_shares(traffic, {4, 4}, 6);
        EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 1.0, 1e-12);
    }
}

TEST(Traffic, names_are_read_back) {
    for (auto const traffic : {Traffic::uniform, Traffic::transpose, Traffic::bitcomp, Traffic::neighbor})
        EXPECT_EQ(traffic_named(name_of(traffic)), traffic);
    EXPECT_THROW((void)traffic_named("unifrom"), InputError);
}

}  // namespace
}  // namespace pimdse::sim::noc::test::traffic_test
