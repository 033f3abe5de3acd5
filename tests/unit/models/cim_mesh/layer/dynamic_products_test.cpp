#include "models/cim_mesh/layer/dynamic_products.hpp"

#include "models/cim_mesh/events.hpp"
#include "models/cim_mesh/layer/attended.hpp"
#include "models/cim_mesh/power.hpp"
#include "models/llm/language_models.hpp"
#include "tests/unit/models/cim_mesh/designs.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace pimdse::models::cim_mesh::test::dynamic_products_test {
namespace {

constexpr std::array in_place{"reprogram", "hybrid", "digital"};
constexpr std::array baselines{"reprogram", "hybrid", "digital", "shared"};

std::string rule(Settings const& settings) { return Given(settings).rule(); }

TEST(AttentionData, is_that_of_the_paper_for_heads_that_share_nothing) {
    // Llama-2-13B: D = 5120; equations 1 and 2 of LEAP.
    LanguageModel const model = load_language_model("llama-2-13b");
    double const d = 5120.0;
    for (std::int64_t const tokens : {1, 128, 2048, 4096}) {
        auto const s = static_cast<double>(tokens);
        auto const data = attention_data(model, tokens);
        EXPECT_EQ(data.fixed, 4.0 * d * d);
        EXPECT_EQ(data.dynamic, 5.0 * s * d + s * s);
    }
}

TEST(AttentionData, counts_grouped_keys_once) {
    // Llama-3-8B: D = 4096, eight of thirty-two heads have keys.
    auto const data = attention_data(load_language_model("llama-3-8b"), 100);
    EXPECT_EQ(data.fixed, 2.0 * 4096.0 * 4096.0 + 2.0 * 4096.0 * 1024.0);
    EXPECT_EQ(data.dynamic, 100.0 * (3.0 * 4096.0 + 2.0 * 1024.0) + 100.0 * 100.0);
}

TEST(AttentionData, is_dominated_by_the_request_from_a_length_on) {
    // 4 D^2 = 5 S D + S^2 at S = (sqrt(41) - 5) / 2 D = 0.70 D
    auto const ratio = [](char const* input) {
        return Given({{"llm", "llama-2-13b"}, {"input", input}, {"output", "1"}}).metric("static_to_dynamic").value;
    };
    EXPECT_GT(ratio("3590"), 1.0);  // and one output token
    EXPECT_LT(ratio("3591"), 1.0);
    EXPECT_LT(ratio("2048"), ratio("1024"));
}

TEST(DynamicProducts, write_a_row_of_cells_for_each_value_of_a_key_and_one_for_a_value) {
    Placed const placed(with(small("llama-3.2-1b", "serial"), "dynamic_products", "reprogram"));
    auto const t = placed.form.in_place(12.0);
    EXPECT_NEAR(t.write, 257.0 * 500.0, 1e-6);  // 256 rows and one, 500 ns at 1 GHz
    // Four heads of a slice, four queries of a group, two products of a vector of 32 flits.
    EXPECT_EQ(t.products, 2.0 * 4.0 * 4.0 * 32.0);
    EXPECT_NEAR(t.per_key, 8.0 * placed.form.hop() / 256.0, 1e-9);
    Placed const sram(with(small("llama-3.2-1b", "serial"), "dynamic_products", "hybrid"));
    EXPECT_EQ(sram.form.in_place(12.0).write, 2.0);
    EXPECT_EQ(sram.form.in_place(12.0).per_key, t.per_key);
}

TEST(DynamicProducts, of_digital_units_are_divided_among_the_owners_of_keys) {
    Placed const placed(with(small("llama-3.2-1b", "serial"), "dynamic_products", "digital"));
    auto const owners = static_cast<double>(placed.counts.max_owners);
    EXPECT_NEAR(placed.form.in_place(12.0).per_key, 2.0 * 8.0 * 4.0 / owners, 1e-12);  // 256 values on 64 multipliers
}

/// The routers that hold keys of one slice, from the ring of places: a chain of sums passes all of them, and the one
/// with the most keys is the last to finish.
TEST(DynamicProducts, of_digital_units_depend_on_the_keys_that_exist) {
    for (auto const* model : {"llama-3.2-1b", "llama-3-8b", "opt-125m"}) {
        Placed const placed({{"llm", model}, {"input", "8"}, {"output", "2"}, {"dynamic_products", "digital"}});
        auto const& p = placed.given.parts;
        auto const owners = placed.counts.max_owners;
        std::int64_t const slices = 2 * p.kv;
        double const product = 256.0 / 64.0, queries = static_cast<double>((p.q + p.kv - 1) / p.kv);
        double const empty = placed.form.in_place(0.0).routes;
        double before = 0.0;
        for (std::int64_t const keys : {1, 2, 9, 50, 500, 5000}) {
            std::vector<std::int64_t> held(static_cast<std::size_t>(owners), 0);
            for (std::int64_t slot = 0; slot < slices * keys; ++slot) ++held[static_cast<std::size_t>(slot % owners)];
            auto const most = static_cast<double>(*std::max_element(held.begin(), held.end()));
            auto const t = placed.form.in_place(static_cast<double>(keys));
            EXPECT_EQ(t.pairs, queries * product * most) << model << keys;
            // As many routers of a slice as keys, at most its share of all.
            double const holders =
                std::min(static_cast<double>(keys), static_cast<double>(owners) / static_cast<double>(slices));
            EXPECT_NEAR(t.routes - empty, static_cast<double>(p.q) * (holders - 1.0) * placed.form.hop(), 1e-6) << keys;
            EXPECT_GE(t.at_keys() + t.routes, before) << model << keys;
            EXPECT_GE(t.pairs, t.per_key * static_cast<double>(keys) * (1.0 - 1e-12)) << model << keys;
            before = t.at_keys() + t.routes;
        }
    }
}

/// A token with nine keys has no sums over hundreds of routers: the routes that are left are those of a short context.
TEST(DynamicProducts, of_digital_units_are_fast_while_there_are_few_keys) {
    auto const itl = [](char const* input) {
        return Given({{"llm", "llama-3-8b"}, {"input", input}, {"output", "2"}, {"dynamic_products", "digital"}})
            .metric("itl")
            .value;
    };
    EXPECT_LT(itl("8"), 0.6 * itl("4096"));
    double before = 0.0;
    for (auto const* input : {"1", "8", "64", "512", "4096"}) {
        EXPECT_GT(itl(input), before) << input;
        before = itl(input);
    }
}

/// 7.93 + 2 cycles per column, as the published SRAM-DCIM with an adapter of so many ranks: digital, so that neither
/// the converters of crossbars nor their ports matter.
TEST(DynamicProducts, in_SRAM_arrays_take_the_cycles_of_the_published_array) {
    auto const products = [](double keys, Settings const& settings) {
        return Placed(with({{"llm", "llama-3.2-1b"}, {"dynamic_products", "hybrid"}}, settings))
            .form.in_place(keys)
            .products;
    };
    for (double const keys : {1.0, 12.0, 256.0, 3000.0}) {
        // Four heads of a slice times four queries of a group; vectors of 32 flits.
        double const expected = 16.0 * (2.0 * 32.0 + 2.0 * 7.93 + 2.0 * std::min(keys, 256.0) + 2.0 * 256.0);
        double const now = products(keys, {{"adc_bits", "0"}});
        EXPECT_NEAR(now, expected, 1e-9 * expected) << keys;
        EXPECT_EQ(products(keys, {{"adc_bits", "14"}}), now) << keys;
        EXPECT_EQ(products(keys, {{"smac_cycles", "500"}}), now) << keys;
        EXPECT_EQ(products(keys, {{"macro_port_bits", "16"}}), now) << keys;
    }
}

/// Softmax needs all scores of a position: 32 heads x 80 keys x 1 B in two buffers are 5,120 B, besides 2 KB of
/// vectors.
TEST(DynamicProducts, need_room_for_scores) {
    for (auto const* unit : {"reprogram", "hybrid"}) {
        Settings const base{{"llm", "llama-3.2-1b"}, {"input", "64"}, {"output", "16"}, {"dynamic_products", unit}};
        EXPECT_EQ(rule(with(with(base, "batch", "64"), "scratchpad", "256")), "kv_pool") << unit;
        EXPECT_EQ(rule(with(base, "scratchpad", "2048")), "kv_pool") << unit;
        EXPECT_EQ(rule(with(base, "scratchpad", "4096")), "") << unit;
        Given const given(base);
        KvCache const cache(given.machine, given.design, given.parts);
        EXPECT_EQ(cache.needed_for_scores(80), 20) << unit;
        EXPECT_EQ(cache.needed_by_all(80), 0) << unit;
    }
    Given const routers({{"llm", "llama-3.2-1b"}});
    EXPECT_EQ(KvCache(routers.machine, routers.design, routers.parts).needed_for_scores(80), 0);
}

TEST(DynamicProducts, take_the_same_time_at_every_fidelity) {
    for (auto const* schedule : {"serial", "tree"}) {
        for (auto const* unit : in_place) {
            SCOPED_TRACE(std::string(schedule) + " " + unit);
            Given const given(with(small("llama-3.2-1b", schedule), "dynamic_products", unit));
            for (auto const* time : {"ttft", "itl", "latency", "energy"}) {
                auto const analytic = given.metric(time), cycle = given.metric(time, Fidelity::cycle);
                EXPECT_LE(analytic.lower, cycle.value);
                EXPECT_GE(analytic.upper, cycle.value);
                if (given.design.schedule == Schedule::serial) {
                    EXPECT_EQ(analytic.value, cycle.value);
                }
            }
        }
    }
}

TEST(DynamicProducts, add_up_token_by_token) {
    // The slow reference: a prompt whose crossbars are the bottleneck takes their time for each earlier token.
    Placed const placed(with(small("llama-3.2-1b", "serial"), "dynamic_products", "reprogram"));
    auto const& form = placed.form;
    double slow = form.decode(12.0).total();
    auto const t = form.in_place(12.0);
    for (int token = 1; token < 12; ++token) slow += t.least;
    EXPECT_NEAR(form.prefill(12).total(), slow, 1e-6 * slow);
}

TEST(DynamicProducts, cost_area_where_there_are_units_besides_the_tiles) {
    auto const base = with(small("llama-3.2-1b", "serial"), "gating", "none");
    double const routers = Given(base).metric("area").value, idle = Given(base).metric("idle_power").value;
    for (auto const* unit : in_place) {
        Given const given(with(base, "dynamic_products", unit));
        EXPECT_GT(given.metric("area").value, routers) << unit;
        EXPECT_GT(given.metric("idle_power").value, idle) << unit;
    }
    // One aggregator in place of the multipliers of all routers.
    EXPECT_LT(Given(with(base, "dynamic_products", "shared")).metric("area").value, routers);
}

/// The multipliers of one router for a layer, whose products take their time, however many tiles it has.
TEST(DynamicProducts, of_one_aggregator_have_the_multipliers_of_one_router_per_layer) {
    for (auto const* rows : {"8", "16", "32"}) {
        auto const area = [&](char const* products) {
            Given const given({{"llm", "llama-3-8b"}, {"mesh_rows", rows}, {"dynamic_products", products}});
            return tile_area(given.machine, given.design, given.parts).multipliers *
                   static_cast<double>(given.parts.placed_tiles);
        };
        Given const given({{"llm", "llama-3-8b"}, {"mesh_rows", rows}});
        auto const pairs = static_cast<double>(given.design.pairs_per_tile() * given.parts.placed_tiles);
        EXPECT_NEAR(area("shared"), area("routers") / pairs, 1e-15) << rows;
    }
}

TEST(DynamicProducts, are_part_of_every_breakdown) {
    for (auto const* unit : baselines) {
        Given const given(with(small("llama-3.2-1b", "serial"), "dynamic_products", unit));
        auto const shares = given.explain();
        EXPECT_NEAR(models::sum_of(shares.area) / given.metric("area").value, 1.0, 1e-9) << unit;
        EXPECT_NEAR(models::sum_of(shares.energy) / given.metric("energy").value, 1.0, 1e-9) << unit;
        EXPECT_NEAR(models::sum_of(shares.time) / given.metric("latency").value, 1.0, 1e-9) << unit;
    }
}

TEST(DynamicProducts, have_arrays_for_the_longest_context_of_all_requests) {
    auto const arrays = [](std::string const& batch) {
        auto const given =
            Given(with(with(small("llama-3.2-1b", "serial"), "dynamic_products", "hybrid"), "batch", batch));
        return dynamic_arrays(given.design, given.parts);
    };
    EXPECT_EQ(arrays("1"), 2.0 * 2.0);  // two slices of keys and two of values, 22 tokens
    EXPECT_EQ(arrays("3"), 3.0 * arrays("1"));
    EXPECT_EQ(dynamic_arrays(Given().design, Given().parts), 0.0);
}

TEST(DynamicProducts, on_one_aggregator_are_slower_than_in_the_routers) {
    for (auto const* time : {"ttft", "itl"}) {
        Settings const base{{"llm", "llama-3.2-1b"}, {"input", "512"}, {"output", "64"}};
        EXPECT_GT(Given(with(base, "dynamic_products", "shared")).metric(time).value,
                  2.0 * Given(base).metric(time).value)
            << time;
    }
}

TEST(DynamicProducts, wear_cells_out_after_as_many_requests_as_these_endure) {
    auto const given = Given(with(small("llama-3.2-1b", "serial"), "dynamic_products", "reprogram"));
    EXPECT_NEAR(given.metric("cell_life").value / given.metric("latency").value, 1e9, 1.0);
    EXPECT_TRUE(std::isnan(Given(small("llama-3.2-1b", "serial")).metric("cell_life").value));
    // Denoising steps write the places of their block again.
    auto const diffusing = Given(with(small("llada-8b", "serial"), "dynamic_products", "reprogram"));
    EXPECT_LT(diffusing.metric("cell_life").value / diffusing.metric("latency").value, 1e9);
}

TEST(DynamicProducts, have_no_baseline_where_there_is_a_region_for_them_or_a_tree) {
    for (auto const* unit : baselines) {
        auto const settings =
            with({{"llm", "llama-3.2-1b"}, {"input", "64"}, {"output", "8"}}, "dynamic_products", unit);
        EXPECT_EQ(rule(settings), "") << unit;
        EXPECT_EQ(rule(with(settings, "machine", "leap-a")), "") << unit;
        EXPECT_EQ(rule(with(settings, "machine", "leap-d")), "dynamic_products") << unit;
        EXPECT_EQ(rule(with(settings, "schedule", "tree")), unit == std::string("shared") ? "dynamic_products" : "")
            << unit;
    }
}

TEST(WideHead, costs_additions_of_partial_scores) {
    // A head of 64 on crossbars of 32: two slices.
    Settings const base{{"llm", "llama-3.2-1b"}, {"input", "64"}, {"output", "8"}};
    Placed const wide(with(base, "crossbar", "32")), narrow(with(base, "crossbar", "64"));
    EXPECT_EQ(wide.given.parts.slices_per_head, 2);
    EXPECT_EQ(narrow.given.parts.slices_per_head, 1);
    auto const& m = wide.given.machine;
    EXPECT_NEAR(wide.form.softmax_per_key(), m.score_service + 2.0 * (1.0 + m.hop_service), 1e-12);
    EXPECT_NEAR(narrow.form.softmax_per_key(), m.score_service, 1e-12);
    // As many scores, however many slices a head has, and one more addition for each of them.
    auto const events = [](Placed const& p) {
        return later_events(p.given.machine, p.given.design, p.given.parts, p.counts);
    };
    EXPECT_NEAR(events(wide).softmax, events(narrow).softmax, 1e-6 * events(narrow).softmax);
}

TEST(WideHead, must_be_whole_slices) {
    EXPECT_EQ(rule({{"llm", "llama-2-13b"}, {"crossbar", "32"}, {"input", "64"}, {"output", "8"}}), "");
    EXPECT_EQ(rule({{"llm", "llama-2-13b"}, {"crossbar", "48"}, {"input", "64"}, {"output", "8"}}), "head_dimension");
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::dynamic_products_test
