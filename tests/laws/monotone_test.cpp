#include "models/contract/validation.hpp"
#include "models/find_architecture.hpp"

#include <gtest/gtest.h>
#include <stdexcept>

namespace pimdse::laws::monotone_test {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

/// More of a resource is never slower: one line per (architecture, parameter), values from less to more.
struct Monotone {
    char const* architecture;
    char const* parameter;
    std::vector<char const*> values;
    char const* metric;
    Settings around;
};

double metric_at(Monotone const& law, char const* value) {
    auto const& architecture = models::find_architecture(law.architecture);
    auto parameters = architecture.parameters();
    auto settings = law.around;
    settings.emplace_back(law.parameter, value);
    auto const point = models::point_with(parameters, settings);
    auto const inputs = models::prepare(architecture, parameters);
    auto const outcome = architecture.evaluate(inputs, point, models::Fidelity::analytic);
    if (auto const* infeasible = std::get_if<models::Infeasible>(&outcome))
        throw std::runtime_error(infeasible->reason);
    return std::get<models::Metrics>(
               outcome)[static_cast<std::size_t>(models::find_metric(architecture.metrics(), law.metric))]
        .value;
}

class MoreIsNeverSlower : public ::testing::TestWithParam<Monotone> {};

TEST_P(MoreIsNeverSlower, along_one_parameter) {
    auto const& law = GetParam();
    double before = metric_at(law, law.values.front());
    for (std::size_t i = 1; i < law.values.size(); ++i) {
        double const now = metric_at(law, law.values[i]);
        EXPECT_LE(now, before * (1.0 + 1e-12))
            << law.parameter << " from " << law.values[i - 1] << " to " << law.values[i];
        before = now;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Laws, MoreIsNeverSlower,
    ::testing::Values(
        Monotone{"umdam", "channels", {"2", "4", "8"}, "ttft", {{"ignore_capacity", "true"}}},
        Monotone{
            "umdam", "npu_flops", {"4 TFLOP/s", "8 TFLOP/s", "16 TFLOP/s", "64 TFLOP/s"}, "ttft", {{"input", "1024"}}},
        Monotone{"umdam",
                 "pim_mac_interval",
                 {"8 ns", "4 ns", "2 ns", "1 ns"},
                 "ttlt",
                 {{"channels", "2"}, {"llm", "opt-1.3b"}}},
        Monotone{"upmem", "tasklets", {"1", "2", "4", "8", "11"}, "kernel_time", {}},
        Monotone{"upmem", "dpus", {"1", "4", "16", "64"}, "kernel_time", {}},
        Monotone{"upmem", "frequency", {"200 MHz", "350 MHz", "400 MHz", "800 MHz"}, "kernel_time", {}},
        Monotone{"upmem", "mram_bandwidth", {"350 MB/s", "700 MB/s", "1.4 GB/s", "4 GB/s"}, "kernel_time", {}},
        Monotone{"dplena", "vlen", {"512", "1024", "2048", "4096"}, "latency", {}},
        Monotone{"dplena", "hbm_bus", {"compat", "corrected"}, "latency", {}},
        Monotone{"cim_mesh", "frequency", {"250 MHz", "500 MHz", "1 GHz", "2 GHz"}, "latency", {}},
        Monotone{"cim_mesh", "link_bits", {"32", "64", "128", "256"}, "latency", {}},
        Monotone{"cim_mesh", "fifo_bytes", {"16", "32", "64", "128"}, "latency", {}},
        Monotone{"cim_mesh", "scratchpad", {"16384", "32768", "65536"}, "latency", {}},
        Monotone{"cim_mesh", "mesh_cols", {"8", "16", "32", "64"}, "itl", {}},
        Monotone{"cim_mesh", "dmacs", {"4", "8", "16", "32"}, "itl", {}},
        Monotone{"gpu", "devices", {"1", "2", "4", "8"}, "latency", {}},
        Monotone{"gpu", "power_limit", {"150 W", "200 W", "330 W", "400 W"}, "latency", {{"batch", "64"}}}),
    [](auto const& param) { return std::string(param.param.architecture) + "_" + param.param.parameter; });

}  // namespace
}  // namespace pimdse::laws::monotone_test
