#include "models/cim_mesh/layer/program.hpp"

#include "models/cim_mesh/layer/layer_time.hpp"
#include "models/cim_mesh/layer/program.hpp"
#include "models/cim_mesh/layer/stage_cost.hpp"
#include "sim/noc/phase.hpp"
#include "tests/support/campaign.hpp"
#include "tests/unit/models/cim_mesh/designs.hpp"
#include "tests/unit/sim/noc/links_of.hpp"
#include "tests/unit/sim/noc/spanning_tree.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <map>
#include <set>

namespace pimdse::models::cim_mesh::test::program_test {
namespace {

Settings small(char const* model) {
    return {{"llm", model}, {"input", "16"}, {"output", "16"}, {"mesh_rows", "16"}, {"mesh_cols", "16"}};
}

TEST(TreeProgram, trees_span_what_they_serve_and_share_no_link_in_a_stage) {
    for (char const* model : {"llama-3.2-1b", "opt-125m", "qwen2.5-0.5b"}) {
        Placed const p(small(model));
        for (auto const& stage : p.program.stages(20)) {
            std::multiset<std::int32_t> used;
            for (auto const& message : stage.phase.messages) {
                if (auto const* sum = std::get_if<sim::noc::Reduction>(&message)) {
                    std::vector<sim::noc::Node> members;
                    for (auto const& branch : sum->tree.branches()) {
                        if (branch.member) members.push_back(branch.node);
                    }
                    EXPECT_TRUE(sim::noc::test::is_spanning_tree(p.program.mesh(), sum->tree, members));
                }
                if (stage.kind == StageKind::gather) continue;
                for (auto const link : sim::noc::links_of(p.program.mesh(), message)) used.insert(link);
            }
            EXPECT_EQ(used.size(), std::set<std::int32_t>(used.begin(), used.end()).size()) << stage.name;
        }
    }
}

TEST(TreeProgram, appends_where_the_cache_says_and_asks_all_that_hold_keys) {
    for (char const* pool : {"layer", "colocated"}) {
        auto settings = small("opt-125m");
        settings.list.emplace_back("kv_pool", pool);
        Placed const p(settings);
        KvCache const cache(p.given.machine, p.given.design, p.given.parts);
        std::map<std::int64_t, sim::noc::Node> router_of;  // place in the pool, as met: one router each
        for (std::int64_t context = 1; context < 600; context += 7) {
            auto const append = p.program.append(p.program.append_place(context));
            auto const first = append.phase.messages.size() - static_cast<std::size_t>(cache.slices());
            for (std::int64_t slice = 0; slice < cache.slices(); ++slice) {
                auto const& message = append.phase.messages[first + static_cast<std::size_t>(slice)];
                sim::noc::Node const to = std::get<sim::noc::Unicast>(message).destination;
                auto const place = cache.place(context, slice).router;
                EXPECT_EQ(router_of.try_emplace(place, to).first->second, to) << context << " " << slice;
            }
            auto const query = p.program.query(p.program.holder_count(context));
            auto const& tree = std::get<sim::noc::Broadcast>(query.phase.messages.front()).tree;
            EXPECT_EQ(tree.members(), std::min(cache.needed(context), cache.routers())) << context;
        }
    }
}

TEST(TreeProgram, reduces_every_output_column_of_the_active_matrices) {
    for (char const* model : {"llama-3.2-1b", "llada-moe-7b-a1b", "opt-1.3b"}) {
        Placed const p({{"llm", model}, {"input", "16"}, {"output", "16"}});
        std::int64_t columns = 0, expected = 0;
        for (auto const& stage : p.program.fixed_stages())
            columns += stage.kind == StageKind::reduction ? static_cast<std::int64_t>(stage.phase.messages.size()) : 0;
        for (auto const& tiling : p.given.parts.matrices) expected += tiling.cols * tiling.active;
        EXPECT_EQ(columns, expected) << model;
    }
}

TEST(TreeProgram, asks_as_many_routers_as_hold_keys) {
    Placed const p(small("llama-3.2-1b"));
    EXPECT_EQ(p.program.holder_count(10), 4 * 10);  // two slices each of keys and values
    EXPECT_EQ(p.program.holder_count(100'000), p.given.parts.tiles);
    EXPECT_EQ(p.program.keys_per_router(100), 1);
    EXPECT_EQ(p.program.keys_per_router(1000), 3);  // 2000 key slices over 928 routers
}

TEST(StageCost, of_trees_is_exactly_what_the_mesh_takes) {
    for (char const* model : {"llama-3.2-1b", "opt-125m", "qwen2.5-0.5b"}) {
        Placed const p(small(model));
        auto const timing = router_timing(p.given.machine, p.given.design);
        for (auto const& stage : p.program.stages(40)) {
            if (stage.kind == StageKind::gather) continue;
            auto const closed = closed_cost(p.given.machine.allowance, timing, shape_of(p.layer.ruler(), timing, stage),
                                            p.program.flits());
            EXPECT_TRUE(is_exact(timing, stage.kind));
            auto const simulated = simulated_cost(p.given.machine.allowance, p.program.mesh(), timing, stage);
            EXPECT_EQ(simulated.first.value, closed.first.value) << model << " " << stage.name;
            EXPECT_EQ(simulated.further.value, closed.further.value) << model << " " << stage.name;
        }
    }
}

TEST(StageCost, bounds_contain_what_the_mesh_takes) {
    tests::Turns turns(7);
    for (char const* model : {"llama-3.2-1b", "opt-125m", "qwen2.5-0.5b", "opt-350m"}) {
        for (char const* link : {"32", "64", "128", "256", "512"}) {
            for (char const* fifo : {"32", "64", "128", "512"}) {
                if (!turns.next()) continue;
                Placed const p(with(small(model), {{"link_bits", link}, {"fifo_bytes", fifo}}));
                if (p.given.design.fifo_flits() < 2) continue;
                auto const timing = router_timing(p.given.machine, p.given.design);
                for (auto const& stage : p.program.stages(24)) {
                    auto const closed = closed_cost(p.given.machine.allowance, timing,
                                                    shape_of(p.layer.ruler(), timing, stage), p.program.flits());
                    auto const simulated = simulated_cost(p.given.machine.allowance, p.program.mesh(), timing, stage);
                    EXPECT_TRUE(!is_exact(timing, stage.kind) || closed.first.lower == simulated.first.value)
                        << stage.name;
                    EXPECT_LE(closed.first.lower, simulated.first.value)
                        << model << link << " " << fifo << " " << stage.name;
                    EXPECT_GE(closed.first.upper, simulated.first.value)
                        << model << link << " " << fifo << " " << stage.name;
                    EXPECT_LE(closed.further.lower, simulated.further.value + 1e-9)
                        << model << link << " " << fifo << " " << stage.name;
                    EXPECT_GE(closed.further.upper, simulated.further.value)
                        << model << link << " " << fifo << " " << stage.name;
                }
            }
        }
    }
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::program_test
