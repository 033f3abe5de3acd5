#include "models/gpu/analytic.hpp"

#include "tests/unit/models/gpu/given.hpp"

#include <gtest/gtest.h>

namespace pimdse::models::gpu::test {
namespace {

constexpr auto weights = static_cast<std::size_t>(PassGroup::weights);
constexpr auto attention = static_cast<std::size_t>(PassGroup::attention);

TEST(Roof, of_one_token_is_every_weight_over_the_attained_bandwidth) {
    Given const one({{"llm", "llama-2-7b"}, {"input", "512"}, {"output", "2"}});
    auto const d = one.design();
    double const bytes = 2.0 * static_cast<double>(d.model->layers * models::layer_weights(*d.model));
    EXPECT_NEAR(one.result().rest.seconds[weights], bytes / (0.834 * 2039e9), 1e-12);
    // Keys and values: 513 positions are read and one is written, in 32 layers with 4096 x 2 B.
    EXPECT_NEAR(one.result().rest.seconds[attention], 514.0 * 32 * 2 * 4096 * 2 / (0.834 * 2039e9), 1e-12);
}

TEST(Roof, of_a_long_prompt_is_its_arithmetic_at_the_attained_peak) {
    Given const prompt({{"llm", "llama-2-7b"}, {"input", "2048"}, {"output", "1"}});
    auto const d = prompt.design();
    double const operations = 2.0 * 2048 * static_cast<double>(d.model->layers * models::layer_weights(*d.model));
    EXPECT_NEAR(prompt.result().first.seconds[weights], operations / (0.674 * 312e12), 1e-9);
}

TEST(Roof, of_grouped_queries_reads_fewer_keys) {
    Settings const at{{"input", "1024"}, {"output", "2"}};
    auto const time = [&](char const* llm) { return Given(at.with("llm", llm)).result().rest.seconds[attention]; };
    EXPECT_NEAR(time("llama-2-7b") / time("llama-3-8b"), 4.0, 1e-9);  // 32 heads of keys against 8
}

TEST(Roof, of_power_stretches_arithmetic_and_leaves_memory_alone) {
    Settings const prompt{{"input", "2048"}, {"output", "1"}};
    EXPECT_GT(Given(prompt.with("power_limit", "250 W")).metric("latency").value,
              1.2 * Given(prompt).metric("latency").value);
    Settings const token{{"input", "1"}, {"output", "64"}};
    EXPECT_NEAR(Given(token.with("power_limit", "250 W")).metric("itl").value, Given(token).metric("itl").value, 1e-12);
}

TEST(Roof, never_draws_more_than_its_limit) {
    for (auto const* device : {"a100", "h100", "rtx_a6000"}) {
        for (auto const* batch : {"1", "16", "32"}) {
            for (auto const* input : {"1", "128", "1500"}) {
                for (auto const* limit : {"0", "150 W", "290 W"}) {
                    Given const g({{"device", device}, {"batch", batch}, {"input", input}, {"power_limit", limit}});
                    if (!g.rule().empty()) continue;
                    EXPECT_LE(g.metric("power").value, g.result().limit * (1.0 + 1e-12)) << device << batch << input;
                }
            }
        }
    }
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
    auto const& machine = any.prepared().machine;
    int compared = 0, saved = 0;
    for (int i = 0; i < 400; ++i) {
        Settings const at{{"device", one_of({"a100", "h100", "rtx_a6000"})},
                          {"batch", one_of({"1", "8", "64"})},
                          {"input", one_of({"1", "100", "900", "2000"})},
                          {"output", one_of({"1", "2", "40"})},
                          {"devices", one_of({"1", "2"})},
                          {"weights", one_of({"fp16", "int8"})}};
        auto parameters = any.table;
        auto d = read_design(point_with(parameters, at.list), any.prepared());
        auto const& board = machine.boards[d.device];
        auto const unlimited = analytic(d, machine);
        double time = unlimited.latency().value, energy = unlimited.energy().value;
        double const max = board.max_power.si, min = board.min_power.si;
        for (double limit = 0.97 * max; limit > min; limit -= 0.06 * max) {
            d.power_limit = limit;
            auto const result = analytic(d, machine);
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
}  // namespace pimdse::models::gpu::test
