#include "models/cim_mesh/layer/partition.hpp"

#include "models/cim_mesh/layer/search.hpp"
#include "models/cim_mesh/metrics.hpp"
#include "models/cim_mesh/placed_design.hpp"
#include "models/contract/common_metrics.hpp"
#include "tests/unit/models/cim_mesh/designs.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <random>

/// Models with several kinds of layers.
namespace pimdse::models::cim_mesh::test::kinds_test {
namespace {

/// A point whose model has these kinds of layers.
struct OfKinds : OfModel {
    OfKinds(Settings const& settings, std::vector<LayerKind> const& kinds) : OfModel(settings) {
        set_layers(model, kinds);
        finish_layers(model);
    }
    [[nodiscard]] std::vector<KindOnMesh> kinds() const { return kinds_of(given.design, given.machine.value_bits); }
    [[nodiscard]] double metric(std::string_view name, Fidelity fidelity = Fidelity::analytic) const {
        return OfModel::metric(name, fidelity).value;
    }
};

Settings tiny(char const* schedule, std::vector<Setting> const& more = {}) {
    return with(small("qwen2.5-0.5b", schedule), Settings(more));
}

LayerKind dense(std::int64_t layers, std::int64_t window = 0, bool chunked = false) {
    return {layers, window, chunked, 1024, 0, 0, 0};
}
LayerKind one_of_one(std::int64_t layers) { return {layers, 0, false, 0, 1, 1, 1024}; }
LayerKind experts(std::int64_t layers, std::int64_t window = 0) { return {layers, window, false, 256, 4, 2, 768}; }

std::vector<LayerKind> const three{dense(3), experts(5, 7), dense(2, 9, true)};

TEST(Kinds, that_the_request_does_not_tell_apart_change_no_bit) {
    for (auto const* schedule : {"serial", "tree", "searched"}) {
        for (auto const fidelity : {Fidelity::analytic, Fidelity::cycle}) {
            OfKinds const split(tiny(schedule), {dense(3, 22), dense(5)});
            ASSERT_EQ(split.model.kinds.size(), 2U);
            expect_same(OfKinds(tiny(schedule), {dense(8)}).outcome(fidelity), split.outcome(fidelity));
        }
    }
}

/// One expert of one is a dense layer, but a kind of its own: everything is added up over two kinds.
TEST(Kinds, of_which_one_has_one_expert_of_one_are_a_dense_model) {
    for (auto const& more : std::vector<std::vector<Setting>>{{},
                                                              {{"batch", "3"}, {"lora_targets", "all"}},
                                                              {{"batch", "12"}, {"lm_head", "counted"}},
                                                              {{"weight_load", "once"}, {"gating", "none"}},
                                                              {{"controller", "unrolled"}, {"scores", "kept"}},
                                                              {{"machine", "leap-d"}, {"die_link_bits", "32"}},
                                                              {{"dynamic_products", "hybrid"}},
                                                              {{"placement", "searched"}},
                                                              {{"hubs", "searched"}}}) {
        for (auto const* schedule : {"serial", "tree", "searched"}) {
            for (auto const fidelity : {Fidelity::analytic, Fidelity::cycle}) {
                OfKinds const whole(tiny(schedule, more), {dense(8)}),
                    split(tiny(schedule, more), {dense(3), one_of_one(5)});
                ASSERT_EQ(split.kinds().size(), 2U);
                auto const outcome = whole.outcome(fidelity);
                if (!std::holds_alternative<Metrics>(outcome)) continue;
                auto const one = std::get<Metrics>(outcome), two = std::get<Metrics>(split.outcome(fidelity));
                auto const table = whole.given.architecture.metrics();
                for (std::size_t i = 0; i < one.size(); ++i) {
                    if (!applies(one[i])) continue;
                    // The head is counted with the first kind alone, and so with fewer layers.
                    if (table[i].name.ends_with("r_power") || table[i].name == "scratchpad_power") continue;
                    auto const near = [&](double a, double b) {
                        EXPECT_NEAR(a, b, 1e-11 * std::abs(b)) << schedule << " " << table[i].name;
                    };
                    near(two[i].value, one[i].value);
                    near(two[i].lower, one[i].lower);
                    near(two[i].upper, one[i].upper);
                }
            }
        }
    }
}

/// A machine of LEAP has no tables, so that it is the sum of the machines of its kinds.
TEST(Kinds, add_up_their_tiles_areas_and_events) {
    for (auto const* schedule : {"serial", "tree"}) {
        std::vector<Setting> const leap{{"machine", "leap-a"}, {"kv_pool", "attention"}};
        OfKinds const all(tiny(schedule, leap), three);
        for (auto const* metric : {"area", "total_tiles", "activity_energy", "idle_power"}) {
            double sum = 0.0;
            for (auto const& kind : three) sum += OfKinds(tiny(schedule, leap), {kind}).metric(metric);
            EXPECT_NEAR(all.metric(metric), sum, 1e-11 * sum) << metric;
        }
        double fullest = 1.0;
        for (auto const& kind : three)
            fullest = std::min(fullest, OfKinds(tiny(schedule, leap), {kind}).metric("kv_headroom"));
        EXPECT_EQ(all.metric("kv_headroom"), fullest);
    }
}

TEST(Kinds, of_experts_with_a_shared_one_use_one_expert_more) {
    LayerKind const shared{4, 0, false, 768, 3, 1, 768}, plain{4, 0, false, 0, 4, 2, 768};
    for (auto const* schedule : {"serial", "tree"}) {
        OfKinds const with(tiny(schedule), {shared}), without(tiny(schedule), {plain});
        for (auto const* metric : {"area", "adds", "tiles"}) EXPECT_EQ(with.metric(metric), without.metric(metric));
        // Other places of the matrices have other routes.
        EXPECT_NEAR(with.metric("itl") / without.metric("itl"), 1.0, 0.01);
        EXPECT_EQ(with.kinds().front().partition.token_adds, without.kinds().front().partition.token_adds);
    }
}

TEST(Kinds, of_experts_with_a_shared_one_are_searched_for_legal_placements) {
    for (std::int64_t const width : {256, 1024, 2300}) {
        OfKinds const w(tiny("serial"), {{4, 0, false, width, 4, 2, 768}});
        auto const kind = w.kinds().front();
        auto key = layer_key(w.given.machine, kind.design, kind.partition, packed_genes(kind.partition));
        key.genes = search_placement({key, judge_of(kind.design)}, w.given.machine).genes;
        EXPECT_TRUE(is_legal(place(key.ground, key.genes))) << width;
    }
}

TEST(Kinds, hold_the_cycle_level_within_the_analytic_bounds) {
    for (auto const* schedule : {"serial", "tree", "searched"}) {
        for (auto const& more : std::vector<std::vector<Setting>>{{{"fifo_bytes", "24"}},
                                                                  {{"placement", "searched"}, {"batch", "2"}},
                                                                  {{"hubs", "searched"}, {"lora_targets", "all"}},
                                                                  {{"machine", "leap-d"}, {"placement", "searched"}}}) {
            OfKinds const w(tiny(schedule, more), three);
            ASSERT_EQ(rule_of(w.outcome(Fidelity::cycle)), "");
            expect_bounds(w, std::string(schedule) + " " + more.front().second);
        }
    }
}

TEST(Kinds, are_judged_by_the_latency_of_the_whole_request) {
    for (auto const* schedule : {"serial", "tree"}) {
        auto const latency = [&](char const* placement) {
            return OfKinds(tiny(schedule, {{"placement", placement}, {"batch", "5"}}), three)
                .metric("latency", Fidelity::cycle);
        };
        EXPECT_LE(latency("judged"), latency("packed") * (1.0 + 1e-12)) << schedule;
    }
}

/// Every request enters each layer when it and the layer before are free: the slow, obvious reference.
double walked_through(std::vector<double> const& layers, std::int64_t requests) {
    std::vector<double> free(layers.size(), 0.0);
    double at = 0.0;
    for (std::int64_t i = 0; i < requests; ++i) {
        at = 0.0;
        for (std::size_t layer = 0; layer < layers.size(); ++layer)
            at = free[layer] = std::max(at, free[layer]) + layers[layer];
    }
    return at;
}

TEST(Kinds, let_requests_follow_at_the_pace_of_the_slowest_layer) {
    OfKinds const w(tiny("serial", {{"lora_targets", "all"}, {"batch", "4"}}), three);
    auto kinds = w.kinds();
    std::mt19937_64 bits(7);
    auto const drawn = [&](double max) { return std::uniform_real_distribution<>(0.0, max)(bits); };
    for (int tried = 0; tried < 50; ++tried) {
        CyclesOfKinds first, later;
        std::vector<double> prompts, swaps;
        for (auto& kind : kinds) {
            kind.partition.lora_bytes = drawn(1e5);
            first.emplace_back(drawn(3e4));
            later.emplace_back(drawn(1e3));
            for (std::int64_t i = 0; i < kind.design.model->layers; ++i) {
                prompts.push_back(first.back().value / kind.design.frequency);
                swaps.push_back(reprogram_time(w.given.machine, kind.design, kind.partition));
            }
        }
        double exposed = swaps.front();
        for (std::size_t i = 1; i < swaps.size(); ++i) exposed += std::max(0.0, swaps[i] - prompts[i - 1]);
        auto const time = times_of(w.given.machine, kinds, first, later);
        EXPECT_NEAR(time.ttft.value, exposed + walked_through(prompts, 4), 1e-12);
        auto const batch = batch_of(w.given.machine, kinds, first, 1.0);
        EXPECT_NEAR((swap_of(w.given.machine, kinds).before(batch) + batch.route()).value,
                    exposed + walked_through(prompts, 1), 1e-12);
    }
}

TEST(Kinds, need_room_for_the_keys_of_every_kind) {
    std::vector<Setting> const crowded{{"scratchpad", "4096"}, {"batch", "16"}};
    auto request = tiny("serial", crowded);
    request.list[2].second = "2000";
    EXPECT_TRUE(std::holds_alternative<Metrics>(OfKinds(request, {dense(4, 16)}).outcome()));
    EXPECT_EQ(rule_of(OfKinds(request, {dense(4, 16), dense(4)}).outcome()), "kv_pool");
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::kinds_test
