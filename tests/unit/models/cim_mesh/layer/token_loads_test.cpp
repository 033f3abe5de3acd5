#include "models/cim_mesh/layer/token_loads.hpp"

#include "tests/unit/models/cim_mesh/layer/random_stages.hpp"
#include "tests/unit/models/cim_mesh/layer/slow_loads.hpp"

#include <gtest/gtest.h>

namespace pimdse::models::cim_mesh::test::token_loads_test {
namespace {

/// The same traffic as a model counts it and as the network carries it.
struct RandomTraffic {
    TokenLoads counted;
    SlowLoads slow;

    explicit RandomTraffic(RandomStages& random) : counted(random.mesh()), slow(random.mesh()) {
        for (std::int32_t trees = random.below(5); trees > 0; --trees) add_tree(random);
        for (std::int32_t routes = random.below(30); routes > 0; --routes) {
            auto const from = random.node(), to = random.node();
            counted.add(Route{random.router(from), random.router(to)});
            slow.add({{sim::noc::Unicast{from, to, 1}}, 1});
        }
        add_columns(random);
    }

  private:
    void add_tree(RandomStages& random) {
        auto const nodes = random.nodes();
        auto const hub = random.node();
        auto const vectors = 1 + random.below(9);
        auto const area = random.area(nodes);
        TreeSpans const tree(random.router(hub), area);
        if (random.below(2) == 0) {
            counted.add_sum(tree, area, vectors);
            slow.add(random.sum(hub, nodes, vectors, 1).phase);
        } else {
            counted.add_broadcast(tree, vectors);
            slow.add(random.broadcast(hub, nodes, vectors, 1).phase);
        }
    }
    /// One behind the other on a ribbon, with gaps.
    void add_columns(RandomStages& random) {
        auto const mesh = random.mesh();
        std::int32_t const height = 1 + random.below(mesh.rows), length = 1 + random.below(12);
        std::int32_t const top = random.below(mesh.rows - height + 1);
        for (std::int32_t at = random.below(5); at + length <= height * mesh.cols; at += length + random.below(2)) {
            OutputColumn const column{{top, 0, height, at, length}, random.below(2) == 0, 0};
            counted.add(column);
            auto const path = routers_of(mesh, column);
            slow.add({{sim::noc::Reduction{sim::noc::Tree::path(mesh, path, path.size() / 2), 1}}, 1});
        }
    }
};

TEST(TokenLoads, are_those_of_the_busiest_link_and_router_of_all) {
    RandomStages random(5);
    for (int i = 0; i < 3000; ++i, random.another_mesh()) {
        RandomTraffic traffic(random);
        auto const loads = std::move(traffic.counted).busiest();
        ASSERT_EQ(loads.busiest_link, traffic.slow.busiest_link()) << i;
        ASSERT_EQ(loads.busiest_router, traffic.slow.busiest_router()) << i;
    }
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::token_loads_test
