#include "models/contract/assumptions.hpp"
#include "support.hpp"
#include "tests/support/asked.hpp"

#include "models/contract/technology.hpp"

#include <cmath>

namespace pimdse::models::upmem::assumptions_test {
namespace {

/// The architecture under assumptions, as texts.
struct Assumed {
    Assumptions assumed;
    explicit Assumed(AssumptionTexts const& texts) {
        for (auto const& [key, text] : texts) set_assumption(assumed, key, text);
    }
    [[nodiscard]] tests::Asked asked(Settings const& settings) const {
        return {upmem().row(), settings, {"", assumed}};
    }
    [[nodiscard]] double value(Settings const& settings, std::string const& metric) const {
        return asked(settings).value(metric);
    }
};

Settings request(std::string const& output = "32") {
    return {{"llm", "opt-1.3b"}, {"scope", "end_to_end"}, {"input", "64"},
            {"output", output},  {"dpus", "1024"},        {"ranks", "16"}};
}

Settings with(Settings settings, std::string const& name, std::string const& value) {
    settings.emplace_back(name, value);
    return settings;
}

}  // namespace

TEST(Assumptions, a_view_of_the_hardware_has_no_launches_and_no_calls) {
    Assumed const hardware(AssumptionTexts{{"view", "hardware"}});
    for (auto const& settings : {request(), Settings{{"kernel", "red"}, {"dpus", "4"}}}) {
        EXPECT_EQ(hardware.value(settings, "launch_time"), 0.0);
        EXPECT_GT(upmem().value(settings, "launch_time"), 0.0);
        EXPECT_EQ(hardware.value(settings, "kernel_cycles"), upmem().value(settings, "kernel_cycles"));
        EXPECT_LT(hardware.value(settings, "output_time"), upmem().value(settings, "output_time"));
    }
}

TEST(Assumptions, a_layer_of_a_pass_takes_its_overhead_once) {
    double const without = upmem().value(request(), "latency");
    double const overheads = upmem().value(with(request(), "layer_overhead", "55 us"), "latency") - without;
    EXPECT_NEAR(overheads, 24 * 32 * 55e-6, 1e-9);  // one pass of the prompt, one for each token behind the first
    double const ttft = upmem().value(with(request(), "layer_overhead", "55 us"), "ttft");
    EXPECT_NEAR(ttft - upmem().value(request(), "ttft"), 24 * 55e-6, 1e-9);
}

TEST(Assumptions, a_program_that_attains_half_takes_twice_the_cycles_time) {
    auto const half = with(request(), "attained_share", "0.5");
    double const running = upmem().value(request(), "kernel_time") - upmem().value(request(), "launch_time");
    EXPECT_NEAR(upmem().value(half, "latency") - upmem().value(request(), "latency"), running, 1e-9 * running);
    EXPECT_EQ(upmem().value(half, "kernel_cycles"), upmem().value(request(), "kernel_cycles"));
    EXPECT_GT(upmem().value(half, "energy"), upmem().value(request(), "energy"));
}

TEST(Assumptions, a_host_is_left_out_or_charged_for_all_of_the_time) {
    double const latency = upmem().value(request(), "latency");
    double const excluded = Assumed(AssumptionTexts{{"host", "excluded"}}).value(request(), "energy");
    double const included = Assumed(AssumptionTexts{{"host", "included"}}).value(request(), "energy");
    EXPECT_LT(excluded, upmem().value(request(), "energy"));
    EXPECT_NEAR(included - excluded, latency * Technology::load({}).row("host_power").constant.si, 1e-9 * included);
}

TEST(Assumptions, dram_and_packages_are_those_of_the_technology_where_machines_are_compared) {
    auto const doubled = AssumptionTexts{{"constants", "technology"}, {"technology.dram_array_ddr4", "14 pJ/bit"}};
    EXPECT_GT(Assumed(doubled).value({}, "energy"),
              Assumed(AssumptionTexts{{"constants", "technology"}}).value({}, "energy"));
    auto const fast = Settings{{"frequency", "800 MHz"}, {"dpus", "64"}, {"elements", "67108864"}};
    EXPECT_GT(upmem().value(fast, "package_power"), 2.0);
    EXPECT_EQ(Assumed(AssumptionTexts{{"constants", "technology"}}).asked(fast).rule(), "package_power");
}

TEST(Powers, of_phases_contain_the_mean) {
    auto const value = [](std::string const& metric) { return upmem().value(request(), metric); };
    EXPECT_NEAR(value("prefill_power") * value("ttft") + value("decode_power") * (value("latency") - value("ttft")),
                value("energy"), 1e-9 * value("energy"));
    EXPECT_EQ(value("peak_power"), std::max(value("prefill_power"), value("decode_power")));
    EXPECT_GE(value("peak_power"), value("power"));
    EXPECT_TRUE(std::isnan(upmem().value(request("1"), "decode_power")));
    EXPECT_EQ(upmem().value(request("1"), "peak_power"), upmem().value(request("1"), "prefill_power"));
    EXPECT_TRUE(std::isnan(upmem().value({}, "prefill_power")));
    EXPECT_EQ(upmem().value({}, "peak_power"), upmem().value({}, "power"));
    EXPECT_NEAR(value("silicon"), value("area") + value("memory_area"), 1e-15);
}

TEST(Powers, of_a_chip_at_work_are_what_is_published_of_it) {
    Settings const rank{{"kernel", "va"}, {"dpus", "64"}, {"elements", "67108864"}};
    EXPECT_NEAR(upmem().value(rank, "package_power"), 1.2, 0.15);
    // A chip of which one DPU is used draws less; ranks beyond those used change nothing.
    EXPECT_LT(upmem().value({{"kernel", "va"}, {"dpus", "8"}}, "package_power"), 0.8);
}

TEST(Limits, name_what_takes_the_time_of_a_phase) {
    auto const limits = [](Settings const& settings) {
        return upmem().row().explain(upmem().inputs(), upmem().point(settings), Fidelity::analytic).limits;
    };
    auto const of_request = limits(request());
    ASSERT_EQ(of_request.size(), 2u);
    EXPECT_EQ(of_request[0].phase, "prefill");
    EXPECT_EQ(of_request[1].phase, "decode");
    for (auto const& limit : of_request) {
        EXPECT_GT(limit.attained, 0.0) << limit.limiter;
        EXPECT_LE(limit.attained, limit.roof) << limit.limiter;
    }
    // A row per DPU: nothing but launches and calls.
    EXPECT_EQ(limits({{"kernel", "mlp"}, {"elements", "16"}, {"dpus", "16"}}).at(0).limiter, "launches");
    EXPECT_EQ(limits({{"kernel", "ts"}, {"elements", "65536"}}).at(0).limiter, "DPU pipelines");
    EXPECT_EQ(limits({{"kernel", "va"}, {"dpus", "64"}, {"elements", "4194304"}}).at(0).limiter, "host link");
    EXPECT_EQ(limits({{"kernel", "bs"}, {"dpus", "1"}, {"elements", "262144"}}).at(0).limiter, "MRAM bandwidth");
}

}  // namespace pimdse::models::upmem::assumptions_test
