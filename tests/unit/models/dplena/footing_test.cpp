#include "models/contract/assumptions.hpp"
#include "models/dplena/parameters.hpp"
#include "models/dplena/sampler.hpp"
#include "tests/unit/models/dplena/support.hpp"

#include <gtest/gtest.h>
#include <cmath>
#include <map>

/// What machines of a comparison have in common: defaults, phases, host, technology, and that nothing is free.
namespace footing_test {
namespace {

using namespace pimdse::models;
using support::generation;
using support::Settings;
using support::value;

/// What the settings cost under assumptions.
std::map<std::string, double> result_under(Assumptions const& assumptions, Settings const& settings) {
    auto const& architecture = support::architecture();
    auto const inputs = prepare(architecture, architecture.parameters(), ModelOptions({}, assumptions));
    auto const outcome = architecture.evaluate(inputs, support::point(settings), Fidelity::analytic);
    std::map<std::string, double> values;
    if (auto const* broken = std::get_if<Infeasible>(&outcome)) values[broken->rule] = 1.0;
    auto const* metrics = std::get_if<Metrics>(&outcome);
    auto const names = architecture.metrics();
    for (std::size_t i = 0; metrics != nullptr && i < names.size(); ++i) values[names[i].name] = (*metrics)[i].value;
    return values;
}

Assumptions assuming(std::string_view key, std::string const& text) {
    Assumptions assumptions;
    set_assumption(assumptions, key, text);
    return assumptions;
}

TEST(DplenaFooting, has_the_correct_hbm_by_default) {
    auto const point = default_point(support::architecture().parameters());
    auto const served = text::read_design(support::inputs().as<text::Prepared>(), point);
    auto const& design = static_cast<dplena::SamplerLaw const&>(*served.hardware.units.front().part).design();
    EXPECT_EQ(design.bus, dplena::Bus::corrected);
    EXPECT_EQ(design.refresh, dplena::Refresh::on);
    EXPECT_EQ(design.step_logits, dplena::StepLogits::overwrite);
}

TEST(DplenaFooting, keeps_one_steps_logits_where_each_overwrites_the_last) {
    Settings const largest = generation({{"batch", "32"}, {"block_length", "64"}, {"steps", "32"}});
    EXPECT_EQ(support::broken_rule(largest), "address_space");
    EXPECT_EQ(support::broken_rule(support::with(largest, "step_logits", "overwrite")), "");
    Settings const sampling{{"step_logits", "overwrite"}, {"batch", "4"}};
    auto const more_steps = support::with(sampling, "steps", "8");
    EXPECT_EQ(value(sampling, "footprint"), value(more_steps, "footprint"));
    EXPECT_GT(value(more_steps, "latency"), 7.9 * value(sampling, "latency"));
}

TEST(DplenaFooting, splits_energy_and_time_into_phases) {
    for (auto const& settings :
         {generation(), generation({{"llm", "llama-3-8b"}, {"generation", "autoregressive"}}),
          generation({{"model_cache", "prefix"}, {"refresh", "on"}}), generation({{"overlap", "fused_head"}})}) {
        auto const of = [&](char const* name) { return value(settings, name); };
        double const later = of("latency") - of("ttft");
        EXPECT_NEAR(of("prefill_power") * of("ttft") + of("decode_power") * later, of("energy"), 1e-9 * of("energy"));
        EXPECT_EQ(of("peak_power"), std::max(of("prefill_power"), of("decode_power")));
        EXPECT_GE(of("peak_power"), of("power") * (1.0 - 1e-12));
        EXPECT_DOUBLE_EQ(of("silicon"), of("area") + of("memory_area"));
        EXPECT_GT(of("package_power"), 0.1);
        EXPECT_LT(of("package_power"), 30.0);
    }
    EXPECT_TRUE(std::isnan(value({}, "prefill_power")));
    EXPECT_EQ(value({}, "peak_power"), value({}, "power"));
}

TEST(DplenaFooting, names_what_limits_a_phase) {
    auto const limits = [](Settings const& settings) {
        return support::architecture().explain(support::inputs(), support::point(settings), Fidelity::analytic).limits;
    };
    auto const tokens = limits(generation({{"llm", "llama-3-8b"}, {"generation", "autoregressive"}}));
    ASSERT_EQ(tokens.size(), 2U);
    EXPECT_EQ(tokens[0].limiter, "matrix");
    EXPECT_EQ(tokens[1].limiter, "stacks");
    for (auto const& limit : tokens) {
        EXPECT_GT(limit.attained, 0.2 * limit.roof) << limit.limiter;
        EXPECT_LE(limit.attained, limit.roof) << limit.limiter;
    }
    ASSERT_EQ(limits({}).size(), 1U);
    EXPECT_EQ(limits({})[0].limiter, "vector unit");
    EXPECT_EQ(limits(generation({{"layer_overhead", "100 ms"}}))[0].limiter, "waiting");
}

TEST(DplenaFooting, takes_longer_at_a_share_of_its_peak_and_with_launches) {
    Settings const prompt =
        generation({{"llm", "llama-3-8b"}, {"generation", "autoregressive"}, {"generation_length", "1"}});
    auto const half = support::with(prompt, "attained_share", "0.5"),
               launched = support::with(prompt, "layer_overhead", "55 us");
    EXPECT_GT(value(half, "ttft"), 1.9 * value(prompt, "ttft"));
    EXPECT_NEAR(value(launched, "ttft") - value(prompt, "ttft"), 32 * 55e-6, 1e-9);
    EXPECT_GT(value(half, "energy"), value(prompt, "energy"));
    EXPECT_EQ(value({{"attained_share", "0.5"}}, "latency"), value({}, "latency")) << "sampling alone";
}

TEST(DplenaFooting, pays_for_a_host_where_it_is_included) {
    auto const with = result_under(assuming("host", "included"), generation());
    auto const without = result_under(assuming("host", "excluded"), generation());
    EXPECT_NEAR(with.at("energy") - without.at("energy"), 100.0 * without.at("latency"), 1e-9 * with.at("energy"));
    EXPECT_NEAR(with.at("peak_power") - without.at("peak_power"), 100.0, 1e-6);
    EXPECT_EQ(with.at("latency"), without.at("latency"));
    EXPECT_EQ(without.at("energy"), value(generation(), "energy"));
}

TEST(DplenaFooting, takes_shared_figures_from_the_technology) {
    auto common = assuming("constants", "technology");
    auto const before = result_under(common, generation());
    for (auto const& [row, text] : std::map<std::string, std::string>{{"sram_leakage", "40 mW/MiB"},
                                                                      {"mac_fp8", "0.34 pJ"},
                                                                      {"vector_operation", "3.6 pJ"},
                                                                      {"sram_access_1mib", "0.4 pJ/bit"},
                                                                      {"dram_array_hbm2", "4 pJ/bit"},
                                                                      {"dram_pins_hbm2", "1.5 pJ/bit"}}) {
        auto changed = common;
        set_assumption(changed, "technology." + row, text);
        EXPECT_GT(result_under(changed, generation()).at("energy"), before.at("energy")) << row;
        EXPECT_EQ(result_under(changed, generation()).at("latency"), before.at("latency")) << row;
    }
    auto unrelated = common;
    set_assumption(unrelated, "technology.dram_pins_lpddr5", "5 pJ/bit");
    EXPECT_EQ(result_under(unrelated, generation()), before);
    auto hot = common;
    set_assumption(hot, "technology.package_limit_hbm2", "2 W");
    EXPECT_TRUE(result_under(hot, generation()).contains("package_power"));
}

TEST(DplenaFooting, carries_no_more_than_its_pins_and_builds_what_runs_beside) {
    EXPECT_EQ(support::broken_rule(generation({{"model_bandwidth", "512 GB/s"}})), "");
    EXPECT_EQ(support::broken_rule(generation({{"model_bandwidth", "513 GB/s"}})), "model_bandwidth");
    EXPECT_GT(value(generation({{"model_bandwidth", "512 GB/s"}, {"refresh", "on"}}), "itl"),
              value(generation({{"model_bandwidth", "512 GB/s"}}), "itl"));
    double before = value({}, "area");
    for (auto const* overlap : {"prefetch", "dual_issue", "fused_head"}) {
        Settings const settings{{"overlap", overlap}, {"buffers", "1"}};
        if (std::string_view(overlap) != "fused_head") {
            EXPECT_GT(value(settings, "area"), before) << overlap;
        }
        before = value(settings, "area");
    }
    EXPECT_GT(value({{"prefetch", "8"}}, "area"), value({}, "area"));
    EXPECT_GT(value({{"prefetch", "8"}}, "idle_power"), value({}, "idle_power"));
}

}  // namespace
}  // namespace footing_test
