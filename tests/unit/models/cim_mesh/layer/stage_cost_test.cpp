#include "models/cim_mesh/layer/stage_cost.hpp"

#include "sim/noc/closed_form.hpp"
#include "tests/unit/models/cim_mesh/designs.hpp"
#include "tests/unit/models/cim_mesh/layer/random_stages.hpp"
#include "tests/unit/models/cim_mesh/layer/slow_shapes.hpp"

#include <gtest/gtest.h>

/// Closed forms of stages on any mesh, with any FIFO, are held against the mesh itself.
namespace pimdse::models::cim_mesh::test::stage_cost_test {
namespace {

namespace noc = sim::noc;

MeshAllowances const& allowed() {
    static auto const machine = load_constants();
    return machine.allowance;
}

std::string told(RandomStages const& random, Stage const& stage, std::int32_t flits) {
    return std::string(stage.name) + " of " + std::to_string(flits) + " flits on " +
           std::to_string(random.mesh().rows) + " x " + std::to_string(random.mesh().cols) + ", FIFO " +
           std::to_string(random.timing().fifo_flits);
}

void expect_lower(RandomStages const& random, Stage const& stage, std::int32_t flits) {
    auto const shape = shape_of(random.ruler(), random.timing(), stage);
    auto const closed = closed_cost(allowed(), random.timing(), shape, flits);
    auto const simulated = simulated_cost(allowed(), random.mesh(), random.timing(), stage);
    EXPECT_LE(closed.first.lower, simulated.first.value) << told(random, stage, flits);
    EXPECT_LE(closed.further.lower, simulated.further.value + 1e-9) << told(random, stage, flits);
    if (!is_exact(random.timing(), stage.kind)) return;
    EXPECT_EQ(closed.first.value, simulated.first.value) << told(random, stage, flits);
    EXPECT_EQ(closed.further.value, simulated.further.value) << told(random, stage, flits);
}

TEST(StageCosts, of_random_trees_are_exact_where_they_say_and_lower_bounds_elsewhere) {
    RandomStages random(1);
    int exact = 0;
    for (int i = 0; i < 250; ++i, random.another_mesh()) {
        auto const nodes = random.nodes();
        auto const hub = random.node();
        auto const vectors = 1 + random.below(4), flits = 1 + random.below(20);
        expect_lower(random, random.broadcast(hub, nodes, vectors, flits), flits);
        expect_lower(random, random.sum(hub, nodes, vectors, flits), flits);
        exact += is_exact(random.timing(), StageKind::reduction) ? 1 : 0;
    }
    EXPECT_GT(exact, 50);
    EXPECT_LT(exact, 200);
}

TEST(StageCosts, of_random_gathers_are_lower_bounds) {
    RandomStages random(2);
    for (int i = 0; i < 250; ++i, random.another_mesh()) {
        auto const flits = 1 + random.below(20);
        expect_lower(random, RandomStages::gather(random.nodes(), random.node(), flits), flits);
    }
}

/// No router sends two messages in a stage.
TEST(StageCosts, of_unicasts_to_anywhere_are_lower_bounds) {
    RandomStages random(3);
    for (int i = 0; i < 250; ++i, random.another_mesh()) {
        auto const flits = 1 + random.below(20);
        Stage stage{"unicasts", StageKind::gather, {}};
        for (auto const source : random.nodes())
            stage.phase.messages.emplace_back(noc::Unicast{source, random.node(), flits});
        expect_lower(random, stage, flits);
    }
}

TEST(StageCosts, of_one_message_are_what_it_takes_alone) {
    RandomStages random(4);
    for (int i = 0; i < 300; ++i, random.another_mesh()) {
        auto const flits = 1 + random.below(30);
        auto const stage = RandomStages::gather({random.node()}, random.node(), flits);
        auto const shape = shape_of(random.ruler(), random.timing(), stage);
        auto const simulated = simulated_cost(allowed(), random.mesh(), random.timing(), stage);
        EXPECT_LE(min_alone(random.timing(), shape.slowest, flits), simulated.first.value);
        if (random.timing().fifo_flits < noc::closed_form::credit_round_trip(random.timing())) continue;
        EXPECT_EQ(min_alone(random.timing(), shape.slowest, flits), simulated.first.value)
            << told(random, stage, flits);
    }
}

TEST(StageCosts, of_nothing_are_nothing) {
    RandomStages random(5);
    Stage const stage{"nothing", StageKind::gather, {}};
    auto const shape = shape_of(random.ruler(), random.timing(), stage);
    EXPECT_TRUE(shape.empty);
    auto const simulated = simulated_cost(allowed(), random.mesh(), random.timing(), stage);
    EXPECT_EQ(simulated.first.value, 0.0);
    EXPECT_EQ(closed_cost(allowed(), random.timing(), shape, 7).first.lower, 0.0);
    EXPECT_EQ(closed_cost(allowed(), random.timing(), shape, 7).further.lower, 0.0);
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::stage_cost_test
