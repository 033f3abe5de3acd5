#include "law_count.hpp"
#include "served_points.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>

/// What latency, itl, rates and energies of a request mean is the same for every architecture at every fidelity.
namespace pimdse::laws::conventions_test {
namespace {

struct Case {
    models::Architecture const* architecture;
    models::Fidelity fidelity;
};

class Conventions : public ::testing::TestWithParam<Case> {};

/// How far two numbers that must be equal are apart, relative to the larger.
double apart(double a, double b) { return std::abs(a - b) / std::max({std::abs(a), std::abs(b), 1e-300}); }

TEST_P(Conventions, of_time_rates_and_energy_hold) {
    auto const [architecture, fidelity] = GetParam();
    auto const machines = on_every_footing(*architecture);
    LawCount count(fmt::format("conventions ({})", models::name_of(fidelity)), architecture->name);
    bool const simulates = fidelity != models::Fidelity::analytic;
    Bits bits(61);
    for (std::uint64_t n = 0; n < designs_of(simulates ? 12 : 3000); ++n) {
        auto const& machine = machines[n % machines.size()];
        auto point = machine.draw(bits, simulates ? 2 : 6);
        if (simulates) {
            point = machine.with(std::move(point), "llm", std::string("opt-125m"));
            point = machine.with(std::move(point), "input", std::min<std::int64_t>(machine.whole(point, "input"), 32));
            point = machine.with(std::move(point), "output", n % 2 == 0 ? 1 : 3);
        }
        auto const metrics = machine.result(point, fidelity);
        if (!metrics) continue;
        count.tried();
        auto const v = [&](char const* name) { return machine.value(*metrics, name); };
        auto const output = machine.number(point, "output"), batch = machine.number(point, "batch");
        auto const equal = [&](char const* what, double a, double b) {
            constexpr double rounding = 1e-8;
            if (apart(a, b) <= rounding) return;
            count.violated(fmt::format("{}: {} against {}: {}", what, a, b, machine.command(point, fidelity)));
        };
        if (output > 1.0) {
            equal("latency = ttft + (output - 1) x itl", v("latency"), v("ttft") + (output - 1.0) * v("itl"));
        } else {
            equal("latency = ttft of one output token", v("latency"), v("ttft"));
            if (!std::isnan(v("itl"))) count.violated("itl of one output token: " + machine.command(point, fidelity));
        }
        equal("tokens_per_second = batch x output / latency", v("tokens_per_second"), batch * output / v("latency"));
        equal("power = energy / latency", v("power"), v("energy") / v("latency"));
        equal("energy_per_token = energy / (batch x output)", v("energy_per_token"), v("energy") / (batch * output));
    }
    EXPECT_TRUE(count.holds());
}

std::vector<Case> cases() {
    std::vector<Case> all;
    for (auto const& architecture : models::catalogue())
        for (auto const fidelity : architecture.fidelities) all.push_back({&architecture, fidelity});
    return all;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Conventions, ::testing::ValuesIn(cases()), [](auto const& param) {
    return fmt::format("{}_{}", param.param.architecture->name, models::name_of(param.param.fidelity));
});

}  // namespace
}  // namespace pimdse::laws::conventions_test
