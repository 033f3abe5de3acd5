#include "models/cim_mesh/layer/hubs.hpp"

#include "tests/support/campaign.hpp"
#include "tests/unit/models/cim_mesh/designs.hpp"
#include "tests/unit/models/cim_mesh/layer/random_stages.hpp"
#include "tests/unit/models/cim_mesh/layer/slow_loads.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <limits>
#include <variant>
#include <vector>

namespace pimdse::models::cim_mesh::test::hubs_test {
namespace {

constexpr char const* rules[] = {"centroid", "median", "center"};

std::int32_t slow_farthest(Router from, std::vector<Router> const& to) {
    std::int32_t max = 0;
    for (auto const at : to) max = std::max(max, hops_between(from, at));
    return max;
}

std::int64_t slow_total(Router from, std::vector<Router> const& to) {
    std::int64_t all = 0;
    for (auto const at : to) all += hops_between(from, at);
    return all;
}

TEST(Hubs, are_the_best_of_all_candidates) {
    RandomStages random(11);
    for (int i = 0; i < 300; ++i, random.another_mesh()) {
        auto const group = random.nodes(), served = random.nodes();
        auto const candidates = random.routers(group), to = random.routers(served);
        auto const area = random.area(group), others = random.area(served);
        std::int64_t least = std::numeric_limits<std::int64_t>::max(), shortest = least;
        for (auto const at : candidates) {
            least = std::min(least, slow_total(at, to));
            shortest = std::min<std::int64_t>(shortest, slow_farthest(at, to) + 2 * slow_farthest(at, candidates));
            EXPECT_EQ(FarthestOf(others).from(at), slow_farthest(at, to));
            EXPECT_EQ(FarthestOf(to).from(at), slow_farthest(at, to));
            EXPECT_EQ(TotalHops(others).from(at), slow_total(at, to));
        }
        auto const median = median_of(area, others);
        EXPECT_EQ(slow_total(median, to), least);
        std::vector<FarthestOf> const sets{FarthestOf(others), FarthestOf(area), FarthestOf(candidates)};
        auto const center = center_of(area, sets);
        EXPECT_EQ(slow_farthest(center, to) + 2 * slow_farthest(center, candidates), shortest);
        for (auto const hub : {median, center})
            EXPECT_TRUE(std::ranges::any_of(candidates, [&](Router at) { return hops_between(at, hub) == 0; }));
    }
}

TEST(Hubs, of_every_rule_are_counted_as_their_messages_say) {
    for (char const* model : {"llama-3.2-1b", "opt-125m", "qwen2.5-0.5b"}) {
        for (char const* rule : rules) {
            Placed const p(with(small(model, "tree"), "hubs", rule));
            for (std::int64_t const context : {1, 14, 40}) {
                SlowLoads slow(p.program.mesh());
                for (auto const& stage : p.program.stages(context)) slow.add(stage.phase, p.program.flits());
                EXPECT_EQ(p.layer.loads(context).busiest_link, slow.busiest_link());
                EXPECT_EQ(p.layer.loads(context).busiest_router, slow.busiest_router());
            }
            auto shape = p.layer.fixed().begin();
            for (auto const& stage : p.layer.program().fixed_stages()) {
                auto const counted = shape_of(p.layer.ruler(), sim::noc::RouterTiming{}, stage);
                EXPECT_EQ(shape->borders, counted.borders) << stage.name;
                EXPECT_EQ(shape->empty, counted.empty) << stage.name;
                ++shape;
            }
        }
    }
}

TEST(Hubs, at_the_median_are_nearest_to_the_keys) {
    for (char const* model : {"llama-3.2-1b", "llama-2-13b", "opt-1.3b"}) {
        auto const mean = [&](char const* rule) {
            Placed const p(
                {{"llm", model}, {"input", "16"}, {"output", "16"}, {"hubs", rule}, {"die_link_bits", "64"}});
            auto const& program = p.layer.program();
            auto const all = program.owners().first(program.owners().size());
            return TotalHops(all).from(program.qkv().hub);
        };
        EXPECT_LE(mean("median"), mean("centroid")) << model;
        EXPECT_LE(mean("median"), mean("center")) << model;
    }
}

TEST(Hubs, that_are_searched_are_never_slower) {
    tests::Turns turns(3);
    for (char const* model : {"llama-3.2-1b", "opt-125m", "llada-8b"}) {
        for (char const* schedule : {"serial", "tree"}) {
            if (!turns.next()) continue;
            auto const latency = [&](char const* rule, Fidelity fidelity) {
                return Given(with(small(model, schedule), "hubs", rule)).metric("latency", fidelity);
            };
            auto const found = latency("searched", Fidelity::cycle);
            for (char const* rule : rules)
                EXPECT_LE(found.value, latency(rule, Fidelity::cycle).value) << model << schedule << rule;
            EXPECT_LE(latency("searched", Fidelity::analytic).lower, found.value) << model << schedule;
        }
    }
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::hubs_test
