#include "models/cim_mesh/power.hpp"
#include "tests/unit/models/cim_mesh/designs.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <map>
#include <string>

namespace pimdse::models::cim_mesh::test {
namespace {

TEST(Power, of_a_pair_is_that_of_the_published_states) {
    Given const primal;
    auto const p = pair_power(primal.machine, primal.design);
    EXPECT_NEAR(p.active(), 1215e-6, 1e-12);
    EXPECT_NEAR(p.kept(), 47.4e-6, 1e-12);
    EXPECT_NEAR(p.ungated(), 270.4e-6, 1e-12);
    EXPECT_NEAR(p.reprogramming(), 992e-6, 1e-12);
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

TEST(Power, is_the_static_count_but_for_adapters_on_their_way) {
    Given const bare({{"lora_targets", "none"}});
    EXPECT_NEAR(bare.metric("power").value / bare.metric("static_power").value, 1.0, 1e-12);
    Given const adapted({{"lora_targets", "all"}});
    EXPECT_NEAR(adapted.metric("power").value / adapted.metric("static_power").value, 1.0, 1e-3);
    EXPECT_NE(adapted.metric("power").value, adapted.metric("static_power").value);
}

TEST(Power, of_an_idle_machine_is_what_waiting_pairs_keep) {
    // 1B: 16 x 928 pairs and 8,032 of the tables, whole columns; 24 tiles.
    EXPECT_NEAR(Given({{"llm", "llama-3.2-1b"}}).metric("idle_power").value, 47.4e-6 * (16 * 928 + 8032) + 24 * 0.2e-3,
                1e-9);
    EXPECT_NEAR(Given({{"llm", "llama-3.2-1b"}, {"gating", "none"}}).metric("idle_power").value,
                270.4e-6 * (16 * 928 + 8032) + 24 * 0.2e-3, 1e-9);
}

TEST(Power, follows_clock_and_voltage) {
    auto const pair = [](char const* clock) {
        Given const given({{"frequency", clock}});
        return pair_power(given.machine, given.design);
    };
    EXPECT_NEAR(pair("2 GHz").router(), 2 * 1.67 * 1.67 * 103e-6, 1e-12);
    EXPECT_NEAR(pair("250 MHz").router(), 0.25 * 0.4975 * 0.4975 * 103e-6, 1e-12);
    EXPECT_NEAR(pair("250 MHz").kept(), 47.4e-6, 1e-12);
    auto const converted = [](char const* clock) {
        Given const given({{"frequency", clock}, {"input", "256"}, {"output", "64"}});
        auto const shares = given.architecture.explain(given.inputs, given.point, Fidelity::analytic).energy;
        return std::ranges::find(shares, "converters/crossbars", &Share::what)->amount;
    };
    EXPECT_NEAR(converted("2 GHz") / converted("1 GHz"), 1.67 * 1.67, 1e-3);
}

/// Everything once: with one tile a layer, no adapters and no control the joules are states times seconds.
TEST(Accounts, are_pairs_times_states_times_seconds) {
    Given const given({{"llm", "llama-3.2-1b"}, {"lora_targets", "none"}, {"input", "256"}, {"output", "64"}});
    double const latency = given.metric("latency").value;
    double const waiting = 15 * 928 + 8032;
    EXPECT_NEAR(given.metric("energy").value, latency * (1215e-6 * 928 + 47.4e-6 * waiting + 24 * 0.2e-3),
                1e-9 * given.metric("energy").value);
    std::map<std::string, double> rows;
    for (auto const& share : given.architecture.explain(given.inputs, given.point, Fidelity::analytic).energy)
        rows[share.what.substr(0, share.what.find('/'))] += share.amount / latency;
    EXPECT_NEAR(rows["arithmetic"], 0.3 * 103e-6 * 928, 1e-9);
    EXPECT_NEAR(rows["sram"], (42e-6 + 0.4 * 103e-6) * 928, 1e-9);
    EXPECT_NEAR(rows["sram_static"], 47.4e-6 * waiting, 1e-9);
    EXPECT_NEAR(rows["converters"], 0.885 * 120e-6 * 928, 1e-9);
    EXPECT_NEAR(rows["in_memory_logic"], (0.115 * 120e-6 + 950e-6) * 928, 1e-9);
    EXPECT_NEAR(rows["interconnect"], 0.3 * 103e-6 * 928, 1e-9);
    EXPECT_NEAR(rows["idle_units"], 24 * 0.2e-3, 1e-9);
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
}  // namespace pimdse::models::cim_mesh::test
