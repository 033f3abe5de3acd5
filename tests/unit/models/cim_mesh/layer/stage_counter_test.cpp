#include "models/cim_mesh/layer/token_loads.hpp"
#include "tests/unit/models/cim_mesh/layer/random_stages.hpp"
#include "tests/unit/models/cim_mesh/layer/slow_shapes.hpp"

#include <gtest/gtest.h>

/// What is counted along rows and columns is compared with the trees and routes themselves.
namespace pimdse::models::cim_mesh::test::stage_counter_test {
namespace {

std::vector<std::pair<double, double>> pairs(std::vector<MeetingPort> const& ports) {
    std::vector<std::pair<double, double>> all;
    for (auto const& port : ports) all.emplace_back(port.packets, port.soonest);
    return all;
}

void expect_same(StageShape const& counted, StageShape const& slow) {
    EXPECT_EQ(counted.kind, slow.kind);
    EXPECT_EQ(counted.empty, slow.empty);
    EXPECT_EQ(counted.repeats, slow.repeats);
    EXPECT_EQ(counted.slowest, slow.slowest);
    EXPECT_EQ(counted.borders, slow.borders);
    EXPECT_EQ(counted.loop, slow.loop);
    EXPECT_EQ(pairs(counted.ports), pairs(slow.ports));
    EXPECT_EQ(pairs(counted.sure), pairs(slow.sure));
}

TEST(StageCounter, sees_a_broadcast_as_its_tree_does) {
    RandomStages random(2);
    for (int i = 0; i < 600; ++i, random.another_mesh()) {
        auto const to = random.nodes();
        auto const hub = random.node();
        auto const vectors = 1 + random.below(5);
        TreeSpans const tree(random.router(hub), random.area(to));
        auto const counted = StageCounter(random.ruler(), random.timing()).broadcast(tree, vectors);
        expect_same(counted, shape_of(random.ruler(), random.timing(), random.broadcast(hub, to, vectors, 1)));
    }
}

TEST(StageCounter, sees_a_sum_as_its_tree_does) {
    RandomStages random(3);
    for (int i = 0; i < 600; ++i, random.another_mesh()) {
        auto const from = random.nodes();
        auto const hub = random.node();
        auto const vectors = 1 + random.below(5);
        TreeSpans const tree(random.router(hub), random.area(from));
        auto const counted = StageCounter(random.ruler(), random.timing()).sum(tree, vectors);
        expect_same(counted, shape_of(random.ruler(), random.timing(), random.sum(hub, from, vectors, 1)));
    }
}

TEST(StageCounter, sees_any_unicasts_as_link_by_link) {
    RandomStages random(4);
    for (int i = 0; i < 1000; ++i, random.another_mesh()) {
        std::vector<Route> routes;
        Stage stage{"unicasts", StageKind::gather, {}};
        bool const to_one = random.below(3) == 0;
        auto const hub = random.node();
        for (std::int32_t left = random.below(40); left >= 0; --left) {
            auto const from = random.node(), to = to_one ? hub : random.node();
            routes.push_back({random.router(from), random.router(to)});
            stage.phase.messages.emplace_back(sim::noc::Unicast{from, to, 1});
        }
        auto const counted = StageCounter(random.ruler(), random.timing()).unicasts(routes);
        expect_same(counted, shape_of(random.ruler(), random.timing(), stage));
    }
    EXPECT_TRUE(StageCounter(random.ruler(), random.timing()).unicasts({}).empty);
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::stage_counter_test
