#include "models/contract/assumptions.hpp"
#include "tests/unit/models/gpu/given.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>

/// Common assumptions of a comparison: views, phases, host, technology.
namespace pimdse::models::gpu::test {
namespace {

Assumptions assuming(std::string_view key, std::string const& text, Assumptions assumptions = {}) {
    set_assumption(assumptions, key, text);
    return assumptions;
}

/// The same point with constants under these assumptions; its defaults stay those of view own.
Result under(Assumptions const& assumptions, Settings const& settings = {}) {
    Given g(settings);
    g.inputs = prepare(architecture(), g.table, ModelOptions({}, assumptions));
    return g.result();
}

std::string rule_under(Assumptions const& assumptions) {
    Given g;
    g.inputs = prepare(architecture(), g.table, ModelOptions({}, assumptions));
    return g.rule();
}

TEST(Footing, splits_energy_and_time_into_phases) {
    for (auto const& settings :
         {Settings{}, Settings{{"device", "h100"}, {"batch", "16"}},
          Settings{{"llm", "llada-8b"}, {"generation", "diffusion"}, {"block_length", "32"}, {"steps", "8"}}}) {
        Given const g(settings);
        auto const of = [&](char const* name) { return g.metric(name).value; };
        double const later = of("latency") - of("ttft");
        EXPECT_NEAR(of("prefill_power") * of("ttft") + of("decode_power") * later, of("energy"), 1e-9 * of("energy"));
        EXPECT_EQ(of("peak_power"), std::max(of("prefill_power"), of("decode_power")));
        EXPECT_GE(of("peak_power"), of("power") * (1.0 - 1e-12));
        EXPECT_DOUBLE_EQ(of("silicon"), of("area") + of("memory_area"));
        EXPECT_GT(of("package_power"), 1.0);
        EXPECT_LT(of("package_power"), 30.0);
        EXPECT_LE(g.metric("package_power").value, g.metric("package_power").upper);
    }
    EXPECT_TRUE(std::isnan(Given({{"output", "1"}}).metric("decode_power").value));
}

TEST(Footing, names_what_limits_a_phase) {
    auto const limits = [](Settings const& settings) { return Given(settings).result().limits(); };
    auto const plain = limits({{"input", "2048"}});
    ASSERT_EQ(plain.size(), 2U);
    EXPECT_EQ(plain[0].limiter, "arithmetic");
    EXPECT_EQ(plain[1].limiter, "memory bandwidth");
    for (auto const& limit : plain) EXPECT_LE(limit.attained, limit.roof);
    EXPECT_EQ(limits({{"llm", "opt-125m"}, {"input", "1"}})[1].limiter, "launches");
    EXPECT_EQ(limits({{"output", "1"}}).size(), 1U);
}

TEST(Footing, attains_what_was_measured_unless_it_is_told) {
    Settings const prompt{{"input", "2048"}, {"output", "1"}};
    auto const ttft = [&](char const* share) {
        return Given(prompt.with("attained_share", share)).metric("ttft").value;
    };
    EXPECT_EQ(ttft("0"), Given(prompt).metric("ttft").value);
    EXPECT_NEAR(ttft("0"), ttft("0.674"), 1e-12);
    EXPECT_GT(ttft("0.3"), 2.0 * ttft("0.674"));
    EXPECT_LT(ttft("1"), 0.75 * ttft("0.674"));
    // A share above the measured one does not draw more power.
    EXPECT_LE(Given(prompt.with("attained_share", "1")).metric("power").value,
              1.02 * Given(prompt).metric("power").value);
    auto const itl = [](char const* overhead) { return Given({{"layer_overhead", overhead}}).metric("itl").value; };
    EXPECT_NEAR(itl("55 us") - itl("0 us"), 32 * 55e-6, 1e-9);
}

TEST(Footing, has_no_derating_of_its_memory_under_view_hardware) {
    auto const own = under({}), hardware = under(assuming("view", "hardware"));
    auto const at = static_cast<std::size_t>(PassGroup::weights);
    EXPECT_NEAR(hardware.rest.seconds[at] / own.rest.seconds[at], 0.834 / 0.91, 1e-9);
    EXPECT_LE(hardware.rest.min, hardware.rest.total());
}

TEST(Footing, pays_for_a_host_where_it_is_included) {
    auto const with = under(assuming("host", "included")), without = under(assuming("host", "excluded"));
    double const latency = without.latency().value;
    EXPECT_NEAR(with.energy().value - without.energy().value, 100.0 * latency, 1e-9 * with.energy().value);
    EXPECT_NEAR(with.peak_power().value - without.peak_power().value, 100.0, 1e-6);
    EXPECT_GE(with.power().lower, without.power().lower + 99.9);
    EXPECT_EQ(with.latency().value, latency);
}

TEST(Footing, takes_shared_figures_from_the_technology) {
    auto const common = assuming("constants", "technology");
    auto const before = under(common, {});
    auto const array = under(assuming("technology.dram_array_hbm2", "4 pJ/bit", common), {});
    EXPECT_GT(array.all().energy.array, 1.2 * before.all().energy.array);
    EXPECT_NEAR(array.energy().value, before.energy().value, 1e-3 * before.energy().value)
        << "the power of a board is measured as a whole";
    EXPECT_EQ(rule_under(assuming("technology.package_limit_hbm2", "5 W", common)), "package_power");
    EXPECT_EQ(rule_under(common), "");
}

}  // namespace
}  // namespace pimdse::models::gpu::test
