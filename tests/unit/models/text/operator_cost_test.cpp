#include "models/text/operator_cost.hpp"

#include "models/contract/constants.hpp"
#include "models/text/ledger.hpp"
#include "tests/unit/models/text/given.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

/// One operator alone, by the laws of the passes.
namespace pimdse::models::text::test::operator_cost_test {
namespace {

OperatorShape product(double m, double k, double n) { return {.m = m, .k = k, .n = n}; }

OperatorShape attention(double batch, double keys) {
    return {.kind = OperatorShape::Kind::attention,
            .batch = batch,
            .keys = keys,
            .heads = 32,
            .kv_heads = 8,
            .head_width = 128};
}

OperatorCost cost(Given const& given, OperatorShape const& shape) {
    return std::get<OperatorCost>(operator_cost(given.prepared(), given.point, shape));
}

double constant(std::string const& name) { return constants_of(shipped("h100")).all().at(name).si; }

/// The results, of 16 bits, are written after the arithmetic.
TEST(OperatorCost, of_a_product_is_a_roof_the_time_of_a_kernel_and_the_write_of_its_results) {
    Given const h100(shipped("h100"), {});
    double const kernel = constant("product_kernel"), peak = constant("fp16_peak"), rate = constant("bandwidth");
    double const attained = rate * constant("bandwidth_share");
    auto const results = [&](double values) { return 2.0 * values / attained; };
    auto const large = cost(h100, product(8192, 4096, 4096));
    double const operations = 2.0 * 8192 * 4096 * 4096;
    EXPECT_NEAR(large.seconds, kernel + operations / (peak * constant("fp16_share")) + results(8192 * 4096), 1e-12);
    EXPECT_NEAR(large.lower, operations / peak, 1e-12);
    EXPECT_EQ(large.limit, "processor");
    auto const small = cost(h100, product(1, 4096, 4096));
    double const bytes = 2.0 * 4096 * 4096;
    EXPECT_NEAR(small.seconds, kernel + bytes / attained + results(4096), 1e-12);
    EXPECT_NEAR(small.lower, bytes / rate, 1e-15);
    EXPECT_EQ(small.limit, "hbm");
    EXPECT_EQ(small.bytes, bytes);
}

/// The kernels of a layer, and what is between them, are the layer's overhead, whatever it is.
TEST(OperatorCost, of_the_kernels_of_a_dense_layer_adds_up_to_its_overhead) {
    for (auto const* overhead : {"55 us", "20 us", "0 us"}) {
        Given const with({{"layer_overhead", overhead}}), without({{"layer_overhead", "0 us"}});
        auto const boards = constants_of(shipped("a100"));
        auto const of = [&](char const* name) { return boards.all().at(name).si; };
        double const layers = 32, given = std::stod(overhead) * 1e-6;
        double const all = layers * 55e-6 + of("product_kernel");  // the last of the LM head
        EXPECT_NEAR(with.metric("itl").value - without.metric("itl").value, all * given / 55e-6, 1e-9) << overhead;
    }
}

/// Attention multiplies keys and values in 16 bits, whatever the format of the weights is; products do not.
TEST(OperatorCost, of_attention_of_a_prompt_does_not_depend_on_the_format_of_weights) {
    auto prompt = attention(1, 32768);
    prompt.queries = 32768;
    Given const wide(shipped("h100"), {{"weights", "fp16"}}), narrow(shipped("h100"), {{"weights", "fp8"}});
    EXPECT_EQ(cost(wide, prompt).seconds, cost(narrow, prompt).seconds);
    EXPECT_EQ(cost(wide, prompt).limit, "attention_kernels");
    EXPECT_GT(cost(wide, product(8192, 4096, 4096)).seconds, 1.2 * cost(narrow, product(8192, 4096, 4096)).seconds);
}

/// Latent attention multiplies in 8 bits where its cache has 8 and the board can; other attention does not.
TEST(OperatorCost, of_latent_attention_multiplies_in_the_format_of_the_cache) {
    auto prompt = attention(1, 32768);
    prompt.queries = 32768;
    auto const faster = [&](char const* board, char const* model, char const* weights) {
        auto const with = [&](char const* cache) {
            return Given(shipped(board), {{"llm", model}, {"weights", weights}, {"kv_cache", cache}});
        };
        return cost(with("fp16"), prompt).arithmetic / cost(with("8bit"), prompt).arithmetic;
    };
    EXPECT_NEAR(faster("h100", "deepseek-v3", "fp8"), 1978.9 / 989.4, 1e-9);
    EXPECT_NEAR(faster("b200", "deepseek-v3", "fp4"), 2.0, 1e-9);
    EXPECT_NEAR(faster("a100", "deepseek-v3", "fp16"), 1.0, 1e-9) << "it has no products of FP8";
    EXPECT_NEAR(faster("b200", "llama-2-7b", "fp4"), 1.0, 1e-9);
}

/// Tasks beyond those that start with the kernel occupy the processors while the memory reads: of few positions they
/// take longer, of many the bytes do. The four queries of heads that share keys fill a tile.
TEST(OperatorCost, of_attention_is_the_longer_of_its_tasks_and_its_bytes) {
    Given const h100(shipped("h100"), {});
    double const rate = constant("bandwidth") * constant("bandwidth_share");
    double const products = constant("fp16_peak") * constant("attention_share");
    for (double const batch : {1.0, 64.0, 256.0})
        for (double const keys : {2.0, 64.0, 128.0, 1024.0, 16384.0}) {
            double const later = std::max(0.0, batch * 8.0 / constant("processors") - 1.0);
            double const tasks = later * constant("attention_task");
            double const arithmetic = 4.0 * batch * keys * 8.0 * constant("attention_tile") * 128.0 / products;
            double const bytes = batch * (keys + 1.0) * 2.0 * 8.0 * 128.0 * 2.0 / rate;  // one position is written
            auto const all = cost(h100, attention(batch, keys));
            EXPECT_NEAR(all.seconds, constant("attention_kernel") + std::max(tasks + arithmetic, bytes), 1e-12);
            bool const reads = bytes > std::max(tasks + arithmetic, constant("attention_kernel"));
            EXPECT_EQ(all.limit == "hbm", reads) << batch << " sequences of " << keys;
        }
}

TEST(OperatorCost, of_what_ran_before_reads_what_fits_from_the_cache) {
    Given const board(shipped("rtx_pro_6000"), {});
    auto again = attention(8, 2048);
    auto const cold = cost(board, again);
    again.repeated = true;
    auto const warm = cost(board, again);
    EXPECT_TRUE(warm.cached);
    EXPECT_LT(warm.seconds, 0.7 * cold.seconds);
    EXPECT_EQ(warm.lower, warm.arithmetic) << "the bound of the memory does not hold for what a cache has";
    EXPECT_LT(warm.lower, cold.lower);
    auto large = attention(8, 65536);
    large.repeated = true;
    EXPECT_FALSE(cost(board, large).cached);
}

/// Experts of a balanced router, by hand: bytes of weights and of what products take and make, and arithmetic of full
/// tiles, one after the other, then the activation, which reads two values and writes one.
TEST(OperatorCost, of_experts_is_their_bytes_and_their_arithmetic) {
    Given const h100(shipped("h100"), {{"weights", "fp16"}});
    double const hidden = 2048, ffn = 768, experts = 128, active = 8;
    double const rate = constant("bandwidth") * constant("bandwidth_share"), cache_rate = constant("cache_rate");
    double const room = constant("cache") * constant("cache_share");
    for (double const tokens : {16.0, 512.0, 4096.0, 32768.0}) {
        OperatorShape shape{.kind = OperatorShape::Kind::experts,
                            .tokens = tokens,
                            .hidden = hidden,
                            .ffn = ffn,
                            .experts = experts,
                            .active = active};
        shape.routing.kind = Routing::Kind::balanced;
        double const rows = std::ceil(tokens * active / experts / constant("expert_tile")) * constant("expert_tile");
        double const operations = 2.0 * 3.0 * experts * rows * hidden * ffn;
        double const moved = 2.0 * tokens * active * 3.0 * (hidden + ffn), between = 6.0 * tokens * active * ffn;
        auto const beyond = [&](double bytes) { return std::max(0.0, bytes - room) / rate; };
        double const bytes =
            std::max(2.0 * 3.0 * experts * hidden * ffn / rate + beyond(moved), std::min(moved, room) / cache_rate);
        double const products =
            bytes + operations / (constant("fp16_peak") * constant("fp16_share") * constant("expert_share"));
        double const activation = std::max(beyond(between), std::min(between, room) / cache_rate);
        double const kernels = constant("expert_kernel") + constant("small_kernel");
        EXPECT_NEAR(cost(h100, shape).seconds / (products + activation + kernels), 1.0, 1e-9) << tokens;
    }
}

/// The host takes its time once a step and once for each sequence that yields, and none where only hardware counts.
TEST(OperatorCost, of_the_host_is_that_of_steps_and_sequences) {
    auto const host = [](Given const& given) {
        double seconds = 0.0;
        for (auto const& part : breakdown_of(analytic(given.design())).time)
            if (part.what.ends_with("/host")) seconds += part.amount;
        return seconds;
    };
    Given const h100(shipped("h100"), {{"llm", "llama-3.2-1b"}, {"batch", "24"}, {"output", "9"}});
    EXPECT_NEAR(host(h100), 9.0 * (constant("host_step") + 24.0 * constant("host_sequence")), 1e-12);
    Assumptions structure;
    structure.view = View::hardware;
    EXPECT_EQ(host(Given(shipped("h100"), {}, structure)), 0.0);
}

/// A slow and obvious router: tokens that choose distinct experts, all alike.
TEST(Routing, touches_what_a_draw_of_tokens_touches) {
    std::mt19937_64 random(7);
    for (int const tokens : {1, 4, 16, 64}) {
        constexpr int experts = 32, active = 4, draws = 400;
        double touched = 0.0;
        for (int draw = 0; draw < draws; ++draw) {
            std::set<std::uint64_t> all;
            for (int token = 0; token < tokens; ++token) {
                std::set<std::uint64_t> own;
                while (own.size() < active) own.insert(random() % experts);
                all.insert(own.begin(), own.end());
            }
            touched += static_cast<double>(all.size()) / draws;
        }
        EXPECT_NEAR(touched_by({}, tokens, experts, active), touched, 0.03 * touched) << tokens;
    }
}

TEST(Routing, balanced_touches_as_many_as_there_are_choices) {
    Routing const balanced{Routing::Kind::balanced, 1.0};
    EXPECT_EQ(touched_by(balanced, 8, 128, 8), 64.0);
    EXPECT_EQ(touched_by(balanced, 64, 128, 8), 128.0);
}

TEST(Routing, skewed_touches_no_more_than_balanced_and_what_one_token_must) {
    for (double const exponent : {0.5, 1.0, 1.01, 1.2, 2.0}) {
        Routing const skewed{Routing::Kind::power_law, exponent};
        EXPECT_NEAR(touched_by(skewed, 1, 128, 8), 8.0, 1e-9) << "distinct experts";
        double before = 0.0;
        for (double const tokens : {1.0, 4.0, 16.0}) {
            double const touched = touched_by(skewed, tokens, 128, 8);
            EXPECT_LE(touched, touched_by({Routing::Kind::balanced, 1.0}, tokens, 128, 8) * (1.0 + 1e-12));
            EXPECT_GT(touched, before);
            before = touched;
        }
    }
}

/// Of AIConfigurator's tables (2026): on an H100 experts of a power law of 1.2 took 0.72, 0.49, 0.83, 0.91 and 1.0 of
/// the time of a balanced router, whose 8 tokens touch 64 of 128 experts.
TEST(Routing, skewed_touches_what_measured_times_say) {
    Routing const skewed{Routing::Kind::power_law, 1.2};
    double const shares[][2] = {{8, 0.72 * 64}, {16, 0.49 * 128}, {32, 0.83 * 128}, {64, 0.91 * 128}, {128, 128}};
    for (auto const& [tokens, touched] : shares)
        EXPECT_NEAR(touched_by(skewed, tokens, 128, 8) / touched, 1.0, 0.1) << tokens;
}

/// Whatever the operator: its bound holds, and more of it takes no less.
TEST(OperatorCost, holds_its_bound_and_grows) {
    std::mt19937_64 random(11);
    auto const up_to = [&](double most) {
        return std::floor(std::exp2(static_cast<double>(random() % 1000) / 1000.0 * std::log2(most)));
    };
    for (auto const* name : {"a100", "h100", "b200", "l40s", "arc_b60", "rtx_pro_6000"}) {
        Given const board(shipped(name), {});
        for (int i = 0; i < 200; ++i) {
            auto shape = product(up_to(8192), up_to(16384), up_to(16384));
            auto const one = cost(board, shape);
            EXPECT_LE(one.lower, one.seconds) << name;
            shape.m *= 2.0;
            EXPECT_GE(cost(board, shape).seconds, one.seconds * (1.0 - 1e-12)) << name;
            auto read = attention(up_to(512), up_to(65536));
            read.repeated = i % 2 == 0;
            auto const before = cost(board, read);
            EXPECT_LE(before.lower, before.seconds) << name;
            read.keys *= 2.0;
            EXPECT_GE(cost(board, read).seconds, before.seconds * (1.0 - 1e-12)) << name;
        }
    }
}

OperatorShape experts(double tokens, double count, double active, Routing const& routing) {
    return {.kind = OperatorShape::Kind::experts,
            .tokens = tokens,
            .hidden = 2048,
            .ffn = 768,
            .experts = count,
            .active = active,
            .routing = routing};
}

/// However skewed the router is, every token is multiplied by as many experts as it chooses; more tokens take no less.
TEST(OperatorCost, of_experts_multiplies_every_choice_once_and_grows) {
    Given const h100(shipped("h100"), {});
    for (auto const& [count, active] : {std::pair{8.0, 2.0}, {128.0, 8.0}, {256.0, 8.0}, {7.0, 7.0}}) {
        for (double const exponent : {1.01, 1.2, 3.0}) {
            double before = 0.0;
            for (double const tokens : {1.0, 2.0, 9.0, 31.0, 32.0, 100.0, 128.0, 129.0, 1000.0, 4096.0, 4097.0}) {
                auto const skewed = cost(h100, experts(tokens, count, active, {Routing::Kind::power_law, exponent}));
                auto const alike = cost(h100, experts(tokens, count, active, {Routing::Kind::balanced, 1.0}));
                EXPECT_NEAR(skewed.arithmetic / alike.arithmetic, 1.0, 1e-12) << count << " " << tokens;
                EXPECT_LE(skewed.bytes, alike.bytes * (1.0 + 1e-12));
                EXPECT_GE(skewed.seconds, before * (1.0 - 1e-12)) << count << " " << exponent << " " << tokens;
                before = skewed.seconds;
            }
        }
    }
}

TEST(OperatorCost, is_infeasible_in_a_format_without_units) {
    Given const a100(shipped("a100"), {{"weights", "fp8"}});
    auto const refused = operator_cost(a100.prepared(), a100.point, product(1, 64, 64));
    EXPECT_EQ(std::get<Infeasible>(refused).reason, "a100 does not compute in fp8");
}

}  // namespace
}  // namespace pimdse::models::text::test::operator_cost_test
