#include "tests/unit/models/dplena/costs_within_bounds.hpp"
#include "tests/unit/models/dplena/support.hpp"

#include <gtest/gtest.h>
#include <cmath>
#include <map>

namespace accounts_test {
namespace {

using namespace pimdse::models;
using support::generation;
using support::value;

std::map<std::string, double> joules(support::Settings const& settings) {
    std::map<std::string, double> shares;
    auto const breakdown =
        support::architecture().explain(support::inputs(), support::point(settings), Fidelity::analytic);
    for (auto const& share : breakdown.energy) shares[share.what] += share.amount;
    return shares;
}

TEST(DplenaAccounts, charge_units_for_their_cycles_and_let_them_wait_else) {
    double const vector = 0.744017e-3 * 2048 + 0.78e-3, working = 477696e-9;
    double const scalar = vector * 661e-12 / (value({}, "vector_area") - 661e-12), beside = (117412 + 36 + 512) * 1e-9;
    double const matrix = 2048 * 128 * 0.25e-12 * 1e9, operands = 4 * 2048 * 128 * 20e-3 / 1e6;
    auto const shares = joules({});
    double const latency = value({}, "latency");
    EXPECT_NEAR(shares.at("arithmetic"), vector * working + scalar * beside, 1e-12);
    double const waiting = matrix * latency + vector * (latency - working) + scalar * (latency - beside);
    EXPECT_NEAR(shares.at("idle_units"), 0.1 * waiting + operands * latency, 1e-12);
}

TEST(DplenaAccounts, charge_a_model_pass_to_the_units_that_work_in_it) {
    auto const cached = joules(generation({{"model_cache", "dual"}}));
    auto const whole = joules(generation({{"model_cache", "none"}}));
    EXPECT_GT(whole.at("arithmetic"), 2.0 * cached.at("arithmetic"));
    EXPECT_GE(whole.at("dram_array"), cached.at("dram_array"));
    EXPECT_LT(joules({}).at("arithmetic"), 1e-3 * cached.at("arithmetic"));
}

TEST(DplenaAccounts, charge_stacks_that_are_powered_for_the_whole_request) {
    for (char const* const channels : {"8", "32"}) {
        support::Settings const settings{{"channels", channels}, {"refresh", "on"}};
        auto const shares = joules(settings);
        double const parts = 2.0 * std::stod(channels), latency = value(settings, "latency");
        EXPECT_NEAR(shares.at("dram_background"), parts * 14.873e-3 * latency, 1e-12);
        EXPECT_NEAR(shares.at("dram_refresh"), parts * 65.49e-3 * 350.0 / 3900.0 * latency, 1e-12);
    }
    EXPECT_FALSE(joules({}).contains("dram_refresh"));
}

TEST(DplenaAccounts, move_the_bytes_of_the_model_at_what_the_channels_carry) {
    auto const time = [](support::Settings const& more) { return value(generation(more), "model_time"); };
    EXPECT_NEAR(time({}), time({{"model_bandwidth", "256 GB/s"}}), 1e-12);
    EXPECT_NEAR(time({{"hbm_bus", "corrected"}}), time({{"model_bandwidth", "512 GB/s"}}), 1e-12);
    EXPECT_GT(time({{"channels", "8"}}), 1.9 * time({}));
}

TEST(DplenaAccounts, let_fewer_exponential_units_take_less_area_and_more_time) {
    support::Settings const few{{"exp_lanes", "512"}};
    EXPECT_LT(value(few, "area"), value({}, "area"));
    EXPECT_GT(value(few, "latency"), value({}, "latency"));
    EXPECT_EQ(value(few, "vector_area"), value({}, "vector_area"));
}

TEST(DplenaAccounts, evaluate_common_metrics_of_a_generation_and_none_of_tokens_where_there_are_none) {
    for (auto const* name : {"ttft", "itl", "tokens_per_second", "energy_per_token", "precision"})
        EXPECT_TRUE(std::isnan(value({}, name))) << name;
    auto const of = [](char const* name) { return value(generation({}), name); };
    EXPECT_NEAR(of("tokens_per_second") * of("latency"), 16.0 * 256.0, 1e-6);
    EXPECT_NEAR(of("energy_per_token") * 16.0 * 256.0, of("energy"), 1e-9 * of("energy"));
    EXPECT_NEAR(of("ttft") + 255.0 * of("itl"), of("latency"), 1e-9 * of("latency"));
    EXPECT_EQ(of("precision"), 8.0);
}

TEST(DplenaGeneration, has_tokens_one_by_one_as_blocks_of_one_token_and_one_step) {
    support::Settings const tokens{
        {"scope", "end_to_end"}, {"generation", "autoregressive"}, {"llm", "llama-2-7b"}, {"generation_length", "64"}};
    auto const of = [&](char const* name) { return value(tokens, name); };
    EXPECT_NEAR(of("ttft") + 63.0 * of("itl"), of("latency"), 1e-9 * of("latency"));
    auto sampled = tokens;
    sampled[0].second = "sampling";
    sampled.emplace_back("vocab", "32768");  // 32,000 in whole vectors
    EXPECT_NEAR(of("itl"), of("model_time") + value(sampled, "latency"), 1e-9 * of("itl"));
    // weights of 6.6e9 parameters, each byte with a 32nd of a scale, and 16 sequences of 512 + 32 positions
    double const bytes = (32.0 * (4.0 * 4096 * 4096 + 3.0 * 4096 * 11008) + 4096.0 * 32000) * (1.0 + 1.0 / 32) +
                         16.0 * (512 + 32.0) * 32 * 2 * 4096 + 16.0 * 32000 * 1.125;
    EXPECT_NEAR(of("model_time"), bytes / 256e9, 1e-3 * bytes / 256e9);
    EXPECT_EQ(support::broken_rule({{"scope", "end_to_end"}, {"generation", "autoregressive"}}), "generation");
}

TEST(DplenaRemasking, ends_a_block_when_nothing_is_masked) {
    auto const cycles = [](char const* remasking, char const* threshold, char const* steps) {
        return value({{"remasking", remasking}, {"confidence_threshold", threshold}, {"steps", steps}, {"batch", "2"}},
                     "cycles_total");
    };
    EXPECT_EQ(cycles("threshold", "0", "16"), cycles("low_confidence", "0.9", "1")) << "all at once";
    EXPECT_EQ(cycles("threshold", "1", "40"), cycles("low_confidence", "0.9", "32")) << "one by one";
    EXPECT_EQ(cycles("threshold", "1", "16"), cycles("low_confidence", "0.9", "16")) << "steps at most";
    EXPECT_EQ(cycles("random", "0", "16"), cycles("low_confidence", "0.9", "16"));
    EXPECT_LE(cycles("threshold", "0.5", "32"), cycles("threshold", "0.9", "32"));
    support::Settings const random{{"remasking", "random"}};
    EXPECT_EQ(value(random, "transfer_overlap"), 1.0) << "the same positions whatever the numbers";
}

support::Settings packed(char const* element, support::Settings const& more = {}) {
    return support::with({{"addressing", "packed"}, {"mx_element", element}, {"batch", "2"}}, more);
}

TEST(DplenaAddressing, moves_elements_of_their_width_and_all_of_their_scales) {
    auto const lines = [](support::Settings const& s) { return support::design(s).lines_per_prefetch(); };
    EXPECT_EQ(lines({}), 4 * (32 + 1));
    EXPECT_EQ(lines({{"mx_element", "int4"}}), 4 * (32 + 1)) << "as in the authors' code";
    EXPECT_EQ(lines(packed("e4m3")), 4 * (32 + 4));
    EXPECT_EQ(lines(packed("int4")), 4 * (16 + 4));
    EXPECT_EQ(lines(packed("e2m1", {{"mx_block", "32"}})), 4 * (16 + 1));
    EXPECT_EQ(support::broken_rule(packed("int4", {{"vlen", "64"}})), "vlen_line");
    EXPECT_LT(value(packed("int4"), "hbm_energy"), value(packed("int8"), "hbm_energy"));
}

TEST(DplenaAddressing, is_faster_with_fewer_bits_and_bounded_at_analytic_level) {
    for (auto const& more : std::vector<support::Settings>{
             {},
             {{"vlen", "512"}},
             {{"vlen", "512"}, {"mx_block", "32"}, {"channels", "8"}},
             {{"refresh", "on"}},
             {{"overlap", "prefetch"}, {"buffers", "2"}, {"outstanding", "2"}, {"preload", "2"}}}) {
        auto const cycles = [&](char const* element) {
            return value(packed(element, more), "cycles_total", Fidelity::cycle);
        };
        EXPECT_LE(cycles("int4"), cycles("int8"));
        support::expect_bounds(packed("int4", more), {"cycles_total"});
    }
}

}  // namespace
}  // namespace accounts_test
