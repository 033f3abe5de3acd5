#include "models/cim_mesh/layer/stage_counter.hpp"
#include "tests/unit/models/cim_mesh/layer/random_stages.hpp"

#include <gtest/gtest.h>

/// What is counted along rows and columns is held against the trees and ways themselves.
namespace pimdse::models::cim_mesh::test {
namespace {

namespace noc = sim::noc;

VectorCounts none_of(noc::Mesh mesh) {
    auto const nodes = static_cast<std::size_t>(mesh.nodes());
    return {std::vector<std::int64_t>(nodes * noc::ports), std::vector<std::int64_t>(nodes)};
}

/// Without ejections.
std::vector<std::int64_t> loads_of(noc::Mesh mesh, noc::Phase const& phase) {
    auto loads = noc::link_loads(mesh, phase);
    loads.resize(static_cast<std::size_t>(mesh.nodes()) * noc::ports);
    for (noc::Node node = 0; node < mesh.nodes(); ++node)
        loads[static_cast<std::size_t>(noc::port_index(node, noc::Port::local))] = 0;
    return loads;
}

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

TEST(StageCounter, sees_a_gather_as_its_unicasts_do) {
    RandomStages random(1);
    for (int i = 0; i < 600; ++i, random.another_mesh()) {
        auto const from = random.nodes();
        auto const hub = random.node();
        auto counts = none_of(random.mesh());
        auto const counted = StageCounter(random.ruler(), random.timing(), &counts).gather(from, hub);
        auto const stage = RandomStages::gather(from, hub, 1);
        expect_same(counted, shape_of(random.ruler(), random.timing(), stage));
        EXPECT_EQ(counts.links, loads_of(random.mesh(), stage.phase));
        for (auto const node : from) --counts.own[static_cast<std::size_t>(node)];
        EXPECT_EQ(counts.own, none_of(random.mesh()).own);
    }
}

TEST(StageCounter, sees_a_broadcast_as_its_tree_does) {
    RandomStages random(2);
    for (int i = 0; i < 600; ++i, random.another_mesh()) {
        auto const to = random.nodes();
        auto const hub = random.node();
        auto const vectors = 1 + random.below(5);
        auto counts = none_of(random.mesh());
        auto const counted = StageCounter(random.ruler(), random.timing(), &counts).broadcast(hub, to, vectors);
        auto const stage = random.broadcast(hub, to, vectors, 1);
        expect_same(counted, shape_of(random.ruler(), random.timing(), stage));
        EXPECT_EQ(counts.links, loads_of(random.mesh(), stage.phase));
        EXPECT_EQ(counts.own[static_cast<std::size_t>(hub)], vectors);
    }
}

TEST(StageCounter, sees_a_sum_as_its_tree_does) {
    RandomStages random(3);
    for (int i = 0; i < 600; ++i, random.another_mesh()) {
        auto const from = random.nodes();
        auto const hub = random.node();
        auto const vectors = 1 + random.below(5);
        auto counts = none_of(random.mesh());
        auto const counted = StageCounter(random.ruler(), random.timing(), &counts).sum(hub, from, vectors);
        auto const stage = random.sum(hub, from, vectors, 1);
        expect_same(counted, shape_of(random.ruler(), random.timing(), stage));
        EXPECT_EQ(counts.links, loads_of(random.mesh(), stage.phase));
        for (auto const node : from) EXPECT_EQ(counts.own[static_cast<std::size_t>(node)], vectors);
    }
}

TEST(StageCounter, of_shapes_alone_counts_nothing_and_sees_the_same) {
    RandomStages random(4);
    for (int i = 0; i < 100; ++i, random.another_mesh()) {
        auto const nodes = random.nodes();
        auto const hub = random.node();
        auto counts = none_of(random.mesh());
        StageCounter alone(random.ruler(), random.timing(), nullptr);
        StageCounter counting(random.ruler(), random.timing(), &counts);
        expect_same(alone.gather(nodes, hub), counting.gather(nodes, hub));
        expect_same(alone.broadcast(hub, nodes, 2), counting.broadcast(hub, nodes, 2));
        expect_same(alone.sum(hub, nodes, 2), counting.sum(hub, nodes, 2));
    }
    EXPECT_TRUE(StageCounter(random.ruler(), random.timing(), nullptr).gather({}, 0).empty);
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test
