#include "law_count.hpp"
#include "models/contract/service_engine.hpp"
#include "served_points.hpp"
#include "sim/serving/schedule_in_turn.hpp"
#include "sim/serving/scheduler.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// An engine and a batch are the same machine: requests that arrive together, with equal lengths, prompts that are not
/// cut and enough cache, take what `evaluate` says of that batch, at every fidelity.
namespace pimdse::laws::service_test {
namespace {

using models::Architecture;
using models::Fidelity;
using models::Infeasible;
using models::ServiceEngine;
using sim::serving::Schedule;

/// A short request, so that every step can be simulated, on one device or several.
Values drawn(ServedMachine const& machine, Bits& bits) {
    auto point = machine.draw(bits);
    point = machine.with(std::move(point), "input", 1 + static_cast<std::int64_t>(bits.below(200)));
    point = machine.with(std::move(point), "output", 1 + static_cast<std::int64_t>(bits.below(24)));
    point = machine.with(std::move(point), "draft", "0");
    if (bits.below(3) != 0 || machine.whole(point, "devices") > 1) return machine.with(std::move(point), "devices", 1);
    auto const two = [&] { return std::int64_t{1} << bits.below(2); };
    std::int64_t const tensor = two(), pipeline = two(), data = two();
    point = machine.with(std::move(point), "devices", tensor * pipeline * data);
    point = machine.with(std::move(point), "tensor_parallel", tensor);
    point = machine.with(std::move(point), "pipeline_parallel", pipeline);
    point = machine.with(std::move(point), "data_parallel", data);
    std::int64_t const micro_batches = pipeline > 1 ? two() : 1;
    point = machine.with(std::move(point), "micro_batches", micro_batches);
    auto const parts = data * micro_batches, batch = machine.whole(point, "batch");
    return machine.with(std::move(point), "batch", std::max(parts, batch / parts * parts));
}

Schedule served(ServedMachine const& machine, Values const& point, ServiceEngine const& engine) {
    auto const batch = machine.whole(point, "batch"), input = machine.whole(point, "input"),
               output = machine.whole(point, "output");
    sim::serving::ServiceLoad load;
    load.requests.assign(static_cast<std::size_t>(batch), {0.0, input, output});
    sim::serving::SchedulerSettings settings;
    settings.max_sequences = batch;
    settings.max_batched_tokens = 0;
    settings.blocks = batch * (input + output);
    return schedule_in_turn(load, settings, engine.law, engine.copies);
}

/// How far the sum of the steps may be from the batch, and why. First tokens have no context of their own, so they are
/// the same up to rounding.
double tolerance(ServedMachine const& machine, Values const& point, std::string_view metric) {
    constexpr double rounding = 1e-12;
    // The slower of filling the stages and of the busiest stage: of all tokens together, and of every token.
    if (machine.whole(point, "micro_batches") > 1) return 1e-2;
    // A batch groups more than 16 passes by their mean context.
    if (machine.name() == "upmem") return 1e-2;
    if (metric == "ttft") return rounding;
    // A batch has one unit for all tokens where a point leaves it open, and its refreshes go on where a step begins
    // after one. On the mesh, a batch is the mean of contexts, of which the first and the last count by half.
    if (machine.name() == "umdam" || machine.name() == "cim_mesh") return 3e-3;
    // Where attention of a machine file grows in steps, contexts that differ by a sixteenth count at their mean.
    static std::set<std::string, std::less<>> const in_steps{"aim_card", "lpddr5x_pim", "tpu_v4i", "tpu_v4i_unfused"};
    return in_steps.contains(machine.name()) ? 1e-2 : 1e-11;
}

class Engines : public ::testing::TestWithParam<Architecture const*> {};

TEST_P(Engines, serve_requests_at_once_as_a_batch) {
    auto const& architecture = *GetParam();
    ASSERT_TRUE(static_cast<bool>(architecture.engine)) << "every architecture that serves models is an engine";
    ServedMachine const machine(architecture);
    for (auto const fidelity : architecture.fidelities) {
        LawCount law(fmt::format("requests at once are a batch ({})", models::name_of(fidelity)), machine.name());
        Bits bits(static_cast<std::uint64_t>(fidelity) + 1);
        std::uint64_t groups = 0;
        for (std::uint64_t n = designs_of(fidelity == Fidelity::analytic ? 400 : 15); n > 0; --n) {
            auto const point = drawn(machine, bits);
            auto const found = architecture.engine(machine.inputs(), point, fidelity);
            auto const metrics = machine.result(point, fidelity);
            if (!metrics || std::holds_alternative<Infeasible>(found)) continue;
            auto const result = served(machine, point, std::get<ServiceEngine>(found));
            law.tried();
            if (machine.whole(point, "devices") > 1) ++groups;
            auto const same = [&](std::string_view metric, double value) {
                double const expected = machine.value(*metrics, metric);
                if (std::isnan(value) && std::isnan(expected) && metric == "energy") return;  // it is not stated
                if (!(std::abs(value - expected) <= tolerance(machine, point, metric) * expected))
                    law.violated(fmt::format("{} of the steps is {:.17g}, of the batch {:.17g}: {}", metric, value,
                                             expected, machine.command(point, fidelity)));
            };
            same("ttft", result.requests.front().first_token);
            same("latency", result.requests.front().last_token);
            same("energy", result.joules);
        }
        fmt::print("{} of the designs have several devices\n", groups);
        EXPECT_TRUE(law.holds());
    }
}

/// What the intervals of a service rest on: a prompt in parts takes at least the bound of the whole prompt, and a step
/// with others at least that of a sequence alone.
TEST_P(Engines, have_bounds_that_hold_beside_others) {
    auto const& architecture = *GetParam();
    ASSERT_TRUE(static_cast<bool>(architecture.engine)) << "every architecture that serves models is an engine";
    ServedMachine const machine(architecture);
    Bits bits(77);
    std::uint64_t engines = 0, stated = 0;  // designs with an engine, and those that state bounds
    std::vector<std::string> violations;
    auto const up_to = [&](std::uint64_t max) { return 1 + static_cast<std::int64_t>(bits.below(max)); };
    for (std::uint64_t n = designs_of(300); n > 0; --n) {
        auto point = drawn(machine, bits);
        // Long prompts of slow machines, a token more than whole tiles: what tiles waste is more than a step takes
        // anyway.
        bool const is_long = bits.below(3) == 0 && machine.find("layer_overhead") >= 0 &&
                             (!architecture.files.empty() || machine.name() == "umdam");
        if (is_long)
            point = machine.with(machine.with(std::move(point), "layer_overhead", "0 s"), "attained_share", "0.02");
        auto const found = architecture.engine(machine.inputs(), point, Fidelity::analytic);
        auto const* engine = std::get_if<ServiceEngine>(&found);
        bool const single = engine != nullptr && engine->tokens_per_step == 1;
        if (single) ++engines;
        if (!single || !engine->bounds_requests || !machine.result(point)) continue;
        ++stated;
        auto const expect = [&](char const* what, double seconds, double min) {
            if (seconds >= min * (1.0 - 1e-9)) return;
            violations.push_back(fmt::format("{}: {:.9g} s instead of {:.9g}: {}", what, seconds, min,
                                             machine.command(point, Fidelity::analytic)));
        };
        std::int64_t const prompt = 1 + (is_long ? 1024 * up_to(64) : up_to(400));
        std::int64_t const first = is_long ? prompt / 2 : up_to(static_cast<std::uint64_t>(prompt - 1));
        double const whole = engine->min_seconds({{{prompt, 0}}, {}, 1});
        double const parts =
            engine->min_seconds({{{first, 0}}, {}, 0}) + engine->min_seconds({{{prompt - first, first}}, {}, 1});
        expect("a prompt in parts", parts, whole);
        std::int64_t const context = up_to(400);
        double const token = engine->min_seconds({{}, {context}, 1});
        expect("a token beside a prompt", engine->min_seconds({{{prompt, 0}}, {context}, 2}), token);
        expect("a prompt beside a token", engine->min_seconds({{{prompt, 0}}, {context}, 2}), whole);
        expect("a token beside others", engine->min_seconds({{}, {context, up_to(400), up_to(400)}, 3}), token);
        expect("a later token", engine->min_seconds({{}, {context + up_to(200)}, 1}), token);
    }
    // Passes over parts of a prompt, or beside sequences, may be shorter than one over all of it alone.
    static std::set<std::string_view> const without_bounds{"upmem",       "cim_mesh", "aim_card",       "hbm_pim",
                                                           "lpddr5x_pim", "tpu_v4i",  "tpu_v4i_unfused"};
    if (without_bounds.contains(architecture.name)) {
        EXPECT_EQ(stated, 0U) << "the law is for what states bounds";
        EXPECT_GT(engines, 0U);
        return;
    }
    LawCount law("bounds of steps hold beside others", machine.name());
    for (std::uint64_t i = 0; i < stated; ++i) law.tried();
    for (auto const& violation : violations) law.violated(violation);
    EXPECT_TRUE(law.holds());
}

INSTANTIATE_TEST_SUITE_P(MachineFiles, Engines, ::testing::ValuesIn(machines_of_files()),
                         [](auto const& param) { return std::string(param.param->name); });
INSTANTIATE_TEST_SUITE_P(Catalogue, Engines, ::testing::ValuesIn(all_architectures()),
                         [](auto const& param) { return std::string(param.param->name); });

}  // namespace
}  // namespace pimdse::laws::service_test
