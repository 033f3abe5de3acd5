#include "models/text/cost.hpp"

#include "tests/unit/models/text/given.hpp"

#include <gtest/gtest.h>

namespace pimdse::models::text::test::cost_test {
namespace {

/// Seconds of the rule that has an operator, in the passes of the prompt or after them.
double seconds_of(Given const& g, Operator op, Phase phase) {
    auto const d = g.design();
    auto const result = analytic(d);
    return (phase == Phase::prefill ? result.first : result.rest).seconds[g.rule_of(op)];
}

TEST(Roof, of_one_token_is_every_weight_over_the_attained_bandwidth) {
    Given const one({{"llm", "llama-2-7b"}, {"input", "512"}, {"output", "2"}, {"layer_overhead", "0 s"}});
    auto const& model = *one.design().request.model;
    double const bytes = 2.0 * static_cast<double>(model.layers * models::layer_weights(model));
    EXPECT_NEAR(seconds_of(one, Operator::q, Phase::decode), bytes / (0.834 * 2039e9), 1e-12);
    // Keys and values: 513 positions are read and one is written, in 32 layers with 4096 x 2 B.
    double const read = 514.0 * 32 * 2 * 4096 * 2 / (0.834 * 2039e9);
    EXPECT_NEAR(seconds_of(one, Operator::scores, Phase::decode), read, 1e-12);
}

TEST(Roof, of_a_long_prompt_is_its_arithmetic_at_the_attained_peak) {
    Given const prompt({{"llm", "llama-2-7b"}, {"input", "2048"}, {"output", "1"}, {"layer_overhead", "0 s"}});
    auto const& model = *prompt.design().request.model;
    double const operations = 2.0 * 2048 * static_cast<double>(model.layers * models::layer_weights(model));
    EXPECT_NEAR(seconds_of(prompt, Operator::q, Phase::prefill), operations / (0.725 * 312e12), 1e-9);
}

TEST(Roof, of_grouped_queries_reads_fewer_keys) {
    Settings const at{{"input", "1024"}, {"output", "2"}, {"layer_overhead", "0 s"}};
    auto const time = [&](char const* llm) {
        return seconds_of(Given(at.with("llm", llm)), Operator::scores, Phase::decode);
    };
    EXPECT_NEAR(time("llama-2-7b") / time("llama-3-8b"), 4.0, 1e-9);  // 32 heads of keys against 8
}

TEST(Roof, of_power_stretches_arithmetic_and_leaves_memory_alone) {
    Settings const prompt{{"input", "2048"}, {"output", "1"}};
    EXPECT_GT(Given(prompt.with("power_limit", "250 W")).metric("latency").value,
              1.2 * Given(prompt).metric("latency").value);
    Settings const token{{"input", "1"}, {"output", "64"}};
    EXPECT_NEAR(Given(token.with("power_limit", "250 W")).metric("itl").value, Given(token).metric("itl").value, 1e-12);
}

/// Down to half of the limit of the data sheet, lowering the limit saves energy. Below that, idle power over a longer
/// time cancels a part of the savings, but never all of them.
TEST(Roof, of_less_power_costs_time_and_saves_energy) {
    std::uint64_t state = 7;
    auto const one_of = [&](std::vector<std::string> const& list) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        return list[(state >> 33) % list.size()];
    };
    Given const any;
    int compared = 0, saved = 0;
    for (int i = 0; i < 400; ++i) {
        Settings const at{{"device", one_of({"a100", "h100", "rtx_a6000"})},
                          {"batch", one_of({"1", "8", "64"})},
                          {"input", one_of({"1", "100", "900", "2000"})},
                          {"output", one_of({"1", "2", "40"})},
                          {"weights", one_of({"fp16", "int8"})}};
        auto parameters = any.table;
        auto d = read_design(any.prepared(), point_with(parameters, at.list));
        auto const number = [&](char const* name) {
            return d.hardware.numbers[any.prepared().machine().numbers().at(name)];
        };
        auto const board = d;
        auto const unlimited = analytic(board);
        double time = unlimited.latency().value, energy = unlimited.energy().value;
        double const max = number("max_power"), min = number("min_power");
        for (double limit = 0.97 * max; limit > min; limit -= 0.06 * max) {
            d.hardware.limit = limit;
            auto const result = analytic(d);
            EXPECT_GE(result.latency().value, time * (1.0 - 1e-12)) << limit << " on " << at.list[0].second;
            EXPECT_LE(result.energy().value, unlimited.energy().value * (1.0 + 1e-12)) << limit;
            if (limit >= 0.5 * max) {
                EXPECT_LE(result.energy().value, energy * (1.0 + 1e-12)) << limit << " on " << at.list[0].second;
            }
            ++compared;
            saved += result.energy().value < 0.999 * energy ? 1 : 0;
            time = result.latency().value;
            energy = result.energy().value;
        }
    }
    EXPECT_GT(compared, 2000);
    EXPECT_GT(saved, 200);
}

}  // namespace
}  // namespace pimdse::models::text::test::cost_test
