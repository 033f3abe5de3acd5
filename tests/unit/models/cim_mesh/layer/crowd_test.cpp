#include "models/cim_mesh/layer/counts.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cstdlib>
#include <vector>

namespace pimdse::models::cim_mesh::test::crowd_test {
namespace {

/// Routes to all routers of a mesh wide enough, from one in row `row`, ascending.
std::vector<std::int64_t> routes_from(std::int64_t rows, std::int64_t row, std::int64_t reach) {
    std::vector<std::int64_t> routes;
    for (std::int64_t y = 0; y < rows; ++y)
        for (std::int64_t x = -reach; x <= reach; ++x) routes.push_back(std::abs(y - row) + std::abs(x));
    std::sort(routes.begin(), routes.end());
    return routes;
}

TEST(NearestNodesBound, is_the_nearest_routers_from_the_best_row) {
    for (std::int64_t rows = 1; rows <= 9; ++rows) {
        constexpr std::int64_t max = 60;
        std::vector<std::vector<std::int64_t>> from;
        for (std::int64_t row = 0; row < rows; ++row) from.push_back(routes_from(rows, row, max));
        for (std::int64_t routers = 1; routers <= max; ++routers) {
            std::int64_t farthest = 1 << 30, together = 1 << 30;
            for (auto const& routes : from) {
                std::int64_t sum = 0;
                for (std::int64_t i = 0; i < routers; ++i) sum += routes[static_cast<std::size_t>(i)];
                farthest = std::min(farthest, routes[static_cast<std::size_t>(routers - 1)]);
                together = std::min(together, sum);
            }
            auto const crowd = nearest_nodes_bound(rows, routers);
            EXPECT_EQ(crowd.farthest, farthest) << rows << " " << routers;
            EXPECT_EQ(crowd.together, together) << rows << " " << routers;
        }
    }
}

TEST(NearestNodesBound, of_many_routers_costs_no_more) {
    auto const line = nearest_nodes_bound(1, 1 << 20);
    EXPECT_EQ(line.farthest, 1 << 19);
    EXPECT_EQ(line.together, (std::int64_t{1} << 19) * (1 << 19));
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::crowd_test
