#include "models/cim_mesh/layer/token_loads.hpp"

#include "tests/unit/models/cim_mesh/layer/random_stages.hpp"
#include "tests/unit/models/cim_mesh/layer/slow_loads.hpp"

#include <gtest/gtest.h>

namespace pimdse::models::cim_mesh::test::token_loads_test {
namespace {

/// The same traffic as a model counts it and as the network carries it.
struct RandomTraffic {
    TokenTraffic counted;
    SlowLoads slow;
    std::vector<OutputColumn> columns;
    ColumnSums sums;

    explicit RandomTraffic(RandomStages& random) : slow(random.mesh()) {
        counted.mesh = random.mesh();
        for (std::int32_t trees = random.below(5); trees > 0; --trees) add_tree(random);
        for (std::int32_t routes = random.below(30); routes > 0; --routes) {
            auto const from = random.node(), to = random.node();
            counted.routes.push_back({random.router(from), random.router(to)});
            slow.add({{sim::noc::Unicast{from, to, 1}}, 1});
        }
        add_columns(random);
    }

  private:
    void add_tree(RandomStages& random) {
        auto const nodes = random.nodes();
        auto const hub = random.node();
        auto const vectors = 1 + random.below(9);
        bool const inwards = random.below(2) == 0;
        auto const area = random.area(nodes);
        counted.trees.push_back({TreeSpans(random.router(hub), area), vectors, inwards, inwards ? area : Area()});
        slow.add((inwards ? random.sum(hub, nodes, vectors, 1) : random.broadcast(hub, nodes, vectors, 1)).phase);
    }
    /// One behind the other on a ribbon, with gaps.
    void add_columns(RandomStages& random) {
        std::int32_t const height = 1 + random.below(counted.mesh.rows), length = 1 + random.below(12);
        std::int32_t const top = random.below(counted.mesh.rows - height + 1);
        for (std::int32_t at = random.below(5); at + length <= height * counted.mesh.cols;
             at += length + random.below(2))
            columns.push_back({{top, 0, height, at, length}, random.below(2) == 0, 0});
        std::vector<OutputColumn const*> summed;
        for (auto const& column : columns) {
            summed.push_back(&column);
            auto const path = routers_of(counted.mesh, column);
            slow.add({{sim::noc::Reduction{sim::noc::Tree::path(counted.mesh, path, path.size() / 2), 1}}, 1});
        }
        sums = ColumnSums(counted.mesh, summed);
        counted.sums = &sums;
    }
};

TEST(TokenLoads, are_those_of_the_busiest_link_and_router_of_all) {
    RandomStages random(5);
    for (int i = 0; i < 3000; ++i, random.another_mesh()) {
        RandomTraffic const traffic(random);
        auto const loads = loads_of(traffic.counted);
        ASSERT_EQ(loads.busiest_link, traffic.slow.busiest_link()) << i;
        ASSERT_EQ(loads.busiest_router, traffic.slow.busiest_router()) << i;
    }
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::token_loads_test
