#include "models/cim_mesh/layer/placed_layer.hpp"

#include "models/cim_mesh/placed_design.hpp"
#include "sim/noc/phase.hpp"
#include "tests/unit/models/cim_mesh/designs.hpp"
#include "tests/unit/models/cim_mesh/layer/slow_loads.hpp"
#include "tests/unit/models/cim_mesh/layer/slow_shapes.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>

namespace pimdse::models::cim_mesh::test::placed_layer_test {
namespace {

/// Settings no placed layer depends on.
Settings const others{{"frequency", "0.5 GHz"}, {"gating", "none"},   {"dmacs", "32"},        {"fifo_bytes", "32"},
                      {"batch", "4"},           {"lora_rank", "16"},  {"input", "40"},        {"output", "300"},
                      {"link_bits", "256"},     {"schedule", "tree"}, {"lm_head", "counted"}, {"scratchpad", "65536"},
                      {"smac_cycles", "100"},   {"context_tile", "2"}};

Settings small(Settings more = {}) {
    more.list.insert(more.list.begin(),
                     {{"llm", "llama-3.2-1b"}, {"mesh_rows", "16"}, {"mesh_cols", "16"}, {"scratchpad", "32768"}});
    return more;
}

void expect_same(StageShape const& a, StageShape const& b) {
    EXPECT_EQ(a.slowest, b.slowest);
    EXPECT_EQ(a.borders, b.borders);
    EXPECT_EQ(a.repeats, b.repeats);
    EXPECT_EQ(a.loop, b.loop);
    EXPECT_EQ(a.kind, b.kind);
    for (auto const ports : {&StageShape::ports, &StageShape::sure}) {
        ASSERT_EQ((a.*ports).size(), (b.*ports).size());
        for (std::size_t i = 0; i < (a.*ports).size(); ++i) {
            EXPECT_EQ((a.*ports)[i].packets, (b.*ports)[i].packets);
            EXPECT_EQ((a.*ports)[i].soonest, (b.*ports)[i].soonest);
        }
    }
}

void expect_same_layer(PlacedLayer const& a, PlacedLayer const& b) {
    EXPECT_EQ(routers_of(a.placement()), routers_of(b.placement()));
    EXPECT_EQ(a.fill(), b.fill());
    ASSERT_EQ(a.max_owners(), b.max_owners());
    for (std::int64_t owners = 0; owners <= a.max_owners(); owners += 7)
        EXPECT_EQ(a.holder_routes(owners).mean, b.holder_routes(owners).mean);
    EXPECT_EQ(a.chain_borders(3), b.chain_borders(3));
    EXPECT_EQ(a.byte_hops(Schedule::tree), b.byte_hops(Schedule::tree));
    ASSERT_EQ(a.fixed().size(), b.fixed().size());
    for (std::size_t i = 0; i < a.fixed().size(); ++i) expect_same(a.fixed()[i], b.fixed()[i]);
    for (std::int64_t const context : {1, 40, 333, 5000}) {
        expect_same(a.query_gather(), b.query_gather());
        EXPECT_EQ(a.key_reach(context).hops, b.key_reach(context).hops);
        expect_same(a.owners(context).sum, b.owners(context).sum);
        EXPECT_EQ(a.loads(context).busiest_link, b.loads(context).busiest_link);
        EXPECT_EQ(a.loads(context).busiest_router, b.loads(context).busiest_router);
    }
}

TEST(PlacedLayer, of_designs_with_one_key_is_the_same) {
    Given const plain(small());
    for (auto const& setting : others.list) {
        Given const other(small(Settings({setting})));
        ASSERT_EQ(plain.packed(), other.packed()) << setting.first;
        expect_same_layer(PlacedLayer(plain.machine, plain.packed()), PlacedLayer(other.machine, other.packed()));
    }
}

TEST(PlacedLayer, has_another_key_where_something_else_is_placed) {
    Given const plain(small());
    for (auto const& setting : Settings{
             {"mesh_rows", "32"},
             {"mesh_cols", "8"},
             {"crossbar", "512"},
             {"kv_pool", "attention"},
             {"llm", "opt-1.3b"}}.list)
        EXPECT_NE(plain.packed(), Given(small(Settings({setting}))).packed()) << setting.first;
}

TEST(PlacedLayer, counts_what_the_links_of_a_token_s_stages_carry) {
    for (char const* pool : {"layer", "colocated", "attention"}) {
        Placed const p(small(Settings({Setting{"kv_pool", pool}, Setting{"link_bits", "96"}})));
        for (std::int64_t const context : {1, 17, 400}) {
            SlowLoads slow(p.program.mesh());
            for (auto const& stage : p.program.stages(context)) slow.add(stage.phase, p.program.flits());
            EXPECT_EQ(p.layer.loads(context).busiest_link, slow.busiest_link());
            EXPECT_EQ(p.layer.loads(context).busiest_router, slow.busiest_router());
        }
    }
}

TEST(PlacedLayer, counts_stages_as_their_trees_and_routes_say) {
    sim::noc::RouterTiming timing;
    for (auto const& setting : std::vector<Setting>{{"kv_pool", "layer"},
                                                    {"kv_pool", "colocated"},
                                                    {"mesh_rows", "5"},
                                                    {"mesh_cols", "64"},
                                                    {"crossbar", "512"},
                                                    {"machine", "leap-a"},
                                                    {"llm", "opt-125m"}}) {
        Placed const p(small(Settings({setting})));
        auto const stages = p.layer.program().fixed_stages();
        ASSERT_EQ(p.layer.fixed().size(), stages.size());
        for (std::size_t i = 0; i < stages.size(); ++i)
            expect_same(p.layer.fixed()[i], shape_of(p.layer.ruler(), timing, stages[i]));
        for (std::int64_t const context : {1, 2, 9, 60, 400}) {
            auto const& program = p.layer.program();
            auto const count = program.holder_count(context);
            auto const query = shape_of(p.layer.ruler(), timing, program.query(count));
            expect_same(p.layer.owners(context).query, query);
            expect_same(p.layer.owners(context).sum, shape_of(p.layer.ruler(), timing, program.attention_sum(count)));
            expect_same(p.layer.query_gather(), shape_of(p.layer.ruler(), timing, program.gather_queries()));
            // No token's keys go farther than to the farthest place that is filled.
            for (std::int64_t before = 0; before < context; before += 1 + context / 7) {
                auto const append = shape_of(p.layer.ruler(), timing, program.append(program.append_place(before)));
                EXPECT_LE(append.slowest,
                          std::max(p.layer.query_gather().slowest, 6.0 + 4.0 * p.layer.key_reach(context).hops));
            }
        }
    }
}

TEST(PlacedLayer, evaluates_a_cached_point_as_a_new_one) {
    Given const first(small());
    (void)first.outcome();
    for (auto const& setting : others.list) {
        auto const settings = small(Settings({setting}));
        Given const fresh(settings);
        auto const known = first.architecture.evaluate(first.inputs, fresh.point, Fidelity::analytic);
        auto const anew = fresh.outcome();
        ASSERT_EQ(known.index(), anew.index()) << setting.first;
        if (!std::holds_alternative<Metrics>(anew)) continue;
        auto const &a = std::get<Metrics>(known), &b = std::get<Metrics>(anew);
        for (std::size_t i = 0; i < a.size(); ++i) {
            bool const neither = std::isnan(a[i].value) && std::isnan(b[i].value);
            EXPECT_TRUE(neither || a[i].value == b[i].value) << setting.first << " " << i;
        }
    }
}

TEST(SearchKey, of_designs_with_one_key_finds_the_same) {
    auto const key = [](Settings const& settings) {
        Given const given(settings);
        return SearchKey{given.packed(), judge_of(given.design)};
    };
    EXPECT_EQ(key(small()), key(small({{"frequency", "0.5 GHz"}, {"dmacs", "32"}})));
    EXPECT_NE(key(small()), key(small({{"schedule", "tree"}})));
    EXPECT_EQ(key(small()), key(small({{"link_bits", "96"}})));
    EXPECT_NE(key(small()), key(small({{"input", "77"}})));
}

struct Number {
    int value = 0;
    [[nodiscard]] std::size_t weight() const { return 10; }
};

TEST(LruCache, keeps_what_was_used_last_within_its_weight) {
    static int made = 0;
    made = 0;
    sim::LruCache<int, Number> const recent(25);
    auto const get = [&](int key) {
        return recent
            .get(key,
                 [](int k) {
                     ++made;
                     return std::make_shared<Number const>(Number{k * k});
                 })
            ->value;
    };
    EXPECT_EQ(get(1) + get(2) + get(1), 6);
    EXPECT_EQ(made, 2);
    EXPECT_EQ(get(3), 9);  // forgets 2
    EXPECT_EQ(get(1), 1);
    EXPECT_EQ(made, 3);
    EXPECT_EQ(get(2), 4);
    EXPECT_EQ(made, 4);
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::placed_layer_test
