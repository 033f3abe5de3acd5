#include "models/cim_mesh/power.hpp"
#include "tests/unit/models/cim_mesh/designs.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <map>
#include <string>

namespace pimdse::models::cim_mesh::test::power_test {
namespace {

TEST(Power, of_a_pair_is_that_of_the_published_states) {
    Given const primal;
    auto const p = pair_power(primal.machine, primal.design);
    EXPECT_NEAR(p.active(), 1215e-6, 1e-12);
    EXPECT_NEAR(p.kept(), 47.4e-6, 1e-12);
    EXPECT_NEAR(p.ungated(), 270.4e-6, 1e-12);
    Given const leap({{"mode", "leap"}});
    EXPECT_NEAR(pair_power(leap.machine, leap.design).active(), 265e-6, 1e-12);
}

TEST(Power, is_the_static_count_of_states) {
    // 1B by hand: 928 active; 15 x 928 and 8,032 of the tables, whole columns, gated; 24 controllers.
    EXPECT_NEAR(Given({{"llm", "llama-3.2-1b"}}).metric("static_power").value,
                1215e-6 * 928 + 47.4e-6 * (15 * 928 + 8032) + 24 * 0.2e-3, 1e-9);
    EXPECT_NEAR(Given({{"llm", "llama-2-13b"}}).metric("static_power").value, 15.15, 0.01);
}

TEST(Power, does_not_depend_on_context_or_adapters) {
    double const base = Given({{"llm", "llama-2-13b"}}).metric("static_power").value;
    EXPECT_DOUBLE_EQ(
        Given({{"llm", "llama-2-13b"}, {"input", "64"}, {"lora_targets", "q+v"}}).metric("static_power").value, base);
}

TEST(Power, is_saved_by_gating_and_only_by_gating) {
    Given const gated, bare({{"gating", "none"}});
    EXPECT_NEAR(gated.metric("srpg_saving").value,
                1.0 - gated.metric("static_power").value / bare.metric("static_power").value, 1e-12);
    EXPECT_DOUBLE_EQ(bare.metric("srpg_saving").value, 0.0);
    EXPECT_GT(gated.metric("srpg_saving").value, 0.7);
}

/// 1B: 16 x 928 pairs and 8,032 of the tables, whole columns, of 32 KiB each; 24 tiles.
TEST(Power, of_an_idle_machine_is_what_leaks) {
    double const pairs = 16 * 928 + 8032, kept = 42e-6 * pairs + 24 * 0.2e-3;
    EXPECT_NEAR(Given({{"llm", "llama-3.2-1b"}}).metric("idle_power").value, kept, 1e-9);
    // Adapters on q alone: 64 arrays of 16 KiB a layer.
    EXPECT_NEAR(Given({{"llm", "llama-3.2-1b"}, {"lora_targets", "q"}}).metric("idle_power").value,
                kept + 16 * 64 * 21e-6, 1e-9);
    // Ungated, all arrays, and 0.5 mW for a square millimetre of crossbar, router and SRAM-DCIM.
    EXPECT_NEAR(Given({{"llm", "llama-3.2-1b"}, {"gating", "none"}}).metric("idle_power").value,
                kept + pairs * (21e-6 + 0.5e-3 * (0.1442 + 0.029 + 0.035)), 1e-6);
}

TEST(Power, of_adapters_is_drawn_only_where_there_are_any) {
    for (char const* gating : {"srpg", "none"}) {
        Given const bare({{"llm", "llama-3.2-1b"}, {"gating", gating}});
        Given const adapted({{"llm", "llama-3.2-1b"}, {"gating", gating}, {"lora_targets", "q"}});
        EXPECT_LT(bare.metric("energy").value, adapted.metric("energy").value) << gating;
        EXPECT_EQ(bare.metric("adapter_power").value, 0.0);
        EXPECT_GT(adapted.metric("adapter_power").value, 0.0);
    }
}

TEST(Power, follows_clock_and_voltage) {
    auto const pair = [](char const* clock) {
        Given const given({{"frequency", clock}});
        return pair_power(given.machine, given.design);
    };
    EXPECT_NEAR(pair("2 GHz").router, 2 * 1.67 * 1.67 * 103e-6, 1e-12);
    EXPECT_NEAR(pair("250 MHz").router, 0.25 * 0.4975 * 0.4975 * 103e-6, 1e-12);
    EXPECT_NEAR(pair("250 MHz").kept(), 47.4e-6, 1e-12);
    auto const converted = [](char const* clock) {
        Given const given({{"frequency", clock}, {"input", "256"}, {"output", "64"}});
        auto const shares = given.explain().energy;
        return std::ranges::find(shares, "converters/crossbars", &Share::what)->amount;
    };
    EXPECT_NEAR(converted("2 GHz") / converted("1 GHz"), 1.67 * 1.67, 1e-9);
}

std::map<std::string, double> joules(Given const& given) {
    std::map<std::string, double> rows;
    for (auto const& share : given.explain().energy) rows[share.what] += share.amount;
    return rows;
}

/// 1B by hand: a layer of 928 crossbars makes as many products a token, the head 4,008; prompt and 63 decoded tokens.
TEST(Accounts, are_events_times_their_joules) {
    Given const given({{"llm", "llama-3.2-1b"}, {"lora_targets", "none"}, {"input", "256"}, {"output", "64"}});
    double const tokens = 256 + 63;
    auto const rows = joules(given);
    double const products = 16 * 928 * tokens + 64 * 4008.0;
    double const read = 256 * 8 * (1.5625e-12 * 2 + 0.39e-12);
    EXPECT_NEAR(rows.at("converters/crossbars") / (products * read), 1.0, 1e-9);
    EXPECT_NEAR(rows.at("in_memory_logic/crossbars") / (products * 256 * 256 * 8 * 1.83e-15), 1.0, 1e-9);
    // All pairs of the prompt's square and of decoded tokens: 8 slices of 256 values, twice; 32 heads.
    double const pairs = 256.0 * 256.0 + 63 * (256 + 32);
    EXPECT_NEAR(rows.at("arithmetic/keys and values") / (16 * pairs * 2 * 8 * 256 * 0.1e-12), 1.0, 1e-9);
    EXPECT_NEAR(rows.at("arithmetic/softmax") / (16 * pairs * 32 * 1e-12), 1.0, 1e-9);
    double const additions = (16 * 836 * tokens + 64 * 3507.0) * 256;
    EXPECT_NEAR(rows.at("arithmetic/partial sums") / (additions * 0.03e-12), 1.0, 1e-9);
    double const latency = given.metric("latency").value;
    EXPECT_NEAR(rows.at("sram_static/scratchpads") / (42e-6 * (16 * 928 + 8032) * latency), 1.0, 1e-9);
    EXPECT_NEAR(rows.at("idle_units/control") / (24 * 0.2e-3 * latency), 1.0, 1e-9);
    EXPECT_EQ(rows.count("sram_static/adapters"), 0U);
}

/// Random requests on random machines, held against half the joules of as many multiply-adds of the node, and of what
/// keys take from the scratchpads.
TEST(Accounts, are_no_less_than_multiply_adds_and_bytes_take) {
    for (char const* model : {"llama-3.2-1b", "opt-125m", "qwen2.5-0.5b", "llama-3-8b"}) {
        for (char const* crossbar : {"64", "128", "256", "512", "1024"}) {
            for (char const* schedule : {"serial", "tree"}) {
                for (char const* reuse : {"head", "group"}) {
                    Given const g({{"llm", model},
                                   {"crossbar", crossbar},
                                   {"schedule", schedule},
                                   {"key_reuse", reuse},
                                   {"input", "200"},
                                   {"output", "41"},
                                   {"scratchpad", "65536"}});
                    if (!std::holds_alternative<Metrics>(g.outcome())) continue;
                    auto const& m = *g.design.model;
                    double weights = 0.0;
                    for (auto const& matrix : models::layer_matrices(m))
                        weights += static_cast<double>(matrix.inputs * matrix.outputs * matrix.active);
                    auto const layers = static_cast<double>(m.layers);
                    double const tokens = 200 + 40;
                    double const pairs = (200.0 * 201.0 / 2.0 + 40 * 220.0) * static_cast<double>(m.query_width());
                    double const sums = layers * (tokens * weights + 2.0 * pairs);
                    double const bytes = layers * 2.0 * 40 * 220.0 * static_cast<double>(m.kv_width());
                    EXPECT_GE(g.metric("activity_energy").value, 0.05e-12 * sums + 1.064e-12 * bytes)
                        << model << crossbar << schedule << reuse;
                    EXPECT_GE(g.metric("energy").value,
                              g.metric("activity_energy").value +
                                  g.metric("idle_power").value * g.metric("latency").value * (1 - 1e-9));
                }
            }
        }
    }
}

TEST(Accounts, of_shared_keys_take_less) {
    Settings const request{{"llm", "llama-3.2-1b"}, {"input", "512"}, {"output", "512"}};
    Given const head(with(request, "key_reuse", "head")), group(with(request, "key_reuse", "group"));
    EXPECT_LT(joules(group).at("interconnect/wires"), joules(head).at("interconnect/wires"));
    EXPECT_LT(group.metric("itl").value, head.metric("itl").value);
    // The products are as many: with sixteen multipliers they take nearly as long as keys on their way.
    EXPECT_GT(group.metric("itl").value, 0.8 * head.metric("itl").value);
    // Nothing is shared where every head has keys of its own.
    auto const own = [&](char const* reuse) {
        return Given({{"llm", "llama-2-13b"}, {"input", "512"}, {"output", "512"}, {"key_reuse", reuse}});
    };
    EXPECT_EQ(own("head").metric("itl").value, own("group").metric("itl").value);
    EXPECT_EQ(own("head").metric("energy").value, own("group").metric("energy").value);
}

/// What was free once.
TEST(Accounts, charge_what_shortens_times) {
    Settings const request{{"llm", "llama-3.2-1b"}, {"input", "128"}, {"output", "64"}};
    for (auto const& [less, more] :
         std::vector<std::pair<Setting, Setting>>{{{"parallel_columns", "1"}, {"parallel_columns", "4"}},
                                                  {{"parallel_columns", "4"}, {"parallel_columns", "5"}},
                                                  {{"schedule", "serial"}, {"schedule", "tree"}},
                                                  {{"smac_cycles", "64"}, {"smac_cycles", "16"}}}) {
        Given const slow(with(request, {less})), fast(with(request, {more}));
        EXPECT_LE(fast.metric("itl").value, slow.metric("itl").value) << more.first;
        EXPECT_GT(fast.metric("area").value, slow.metric("area").value) << more.first;
    }
}

TEST(Area, of_a_compute_tile_is_the_published_one) {
    EXPECT_NEAR(Given().metric("tile_area").value * 1e6, 227.5, 0.01 * 227.5);
    EXPECT_NEAR(Given({{"mode", "leap"}}).metric("tile_area").value * 1e6, 0.1862 * 1024 + 0.99, 0.01);
}

TEST(Area, grows_with_every_macro) {
    double const base = Given().metric("tile_area").value;
    for (auto const& [name, text] : std::vector<Setting>{{"crossbar", "512"},
                                                         {"link_bits", "128"},
                                                         {"fifo_bytes", "256"},
                                                         {"scratchpad", "65536"},
                                                         {"dmacs", "32"}}) {
        EXPECT_GT(Given(Settings{Setting{name, text}, Setting{"input", "512"}}).metric("tile_area").value, base)
            << name;
    }
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::power_test
