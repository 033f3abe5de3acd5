#include "models/cim_mesh/power.hpp"
#include "tests/unit/models/cim_mesh/designs.hpp"

#include <gtest/gtest.h>

namespace pimdse::models::cim_mesh::test {
namespace {

TEST(Power, of_a_pair_is_that_of_the_published_states) {
    Given const primal;
    auto const p = pair_power(primal.machine, primal.design);
    EXPECT_NEAR(p.active, 1215e-6, 1e-12);
    EXPECT_NEAR(p.gated, 47.4e-6, 1e-12);
    EXPECT_NEAR(p.ungated, 270.4e-6, 1e-12);
    EXPECT_NEAR(p.reprogram, 992e-6, 1e-12);
    Given const leap({{"mode", "leap"}});
    EXPECT_NEAR(pair_power(leap.machine, leap.design).active, 265e-6, 1e-12);
}

TEST(Power, is_the_static_count_of_states) {
    // 1B by hand: 928 active; 15 x 928 and 8,032 of the tables, whole columns, gated; 24 controllers.
    EXPECT_NEAR(Given({{"llm", "llama-3.2-1b"}}).metric("power").value,
                1215e-6 * 928 + 47.4e-6 * (15 * 928 + 8032) + 24 * 0.2e-3, 1e-9);
    EXPECT_NEAR(Given({{"llm", "llama-2-13b"}}).metric("power").value, 15.15, 0.01);
}

TEST(Power, does_not_depend_on_context_or_adapters) {
    double const base = Given({{"llm", "llama-2-13b"}}).metric("power").value;
    EXPECT_DOUBLE_EQ(Given({{"llm", "llama-2-13b"}, {"input", "64"}, {"lora_targets", "q+v"}}).metric("power").value,
                     base);
}

TEST(Power, is_saved_by_gating_and_only_by_gating) {
    Given const gated, bare({{"gating", "none"}});
    EXPECT_NEAR(gated.metric("srpg_saving").value, 1.0 - gated.metric("power").value / bare.metric("power").value,
                1e-12);
    EXPECT_DOUBLE_EQ(bare.metric("srpg_saving").value, 0.0);
    EXPECT_GT(gated.metric("srpg_saving").value, 0.7);
}

TEST(Power, times_latency_is_the_energy_but_for_reprogramming) {
    Given const given({{"lora_targets", "none"}});
    EXPECT_NEAR(given.metric("energy").value / (given.metric("power").value * given.metric("latency").value), 1.0,
                1e-12);
    Given const adapted({{"lora_targets", "all"}});
    EXPECT_NEAR(adapted.metric("energy").value / (adapted.metric("power").value * adapted.metric("latency").value), 1.0,
                1e-3);
    EXPECT_NE(adapted.metric("energy").value, adapted.metric("power").value * adapted.metric("latency").value);
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
