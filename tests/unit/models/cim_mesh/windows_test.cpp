#include "models/cim_mesh/events.hpp"
#include "models/cim_mesh/layer/attended.hpp"
#include "models/cim_mesh/layer/prompt.hpp"
#include "models/cim_mesh/metrics.hpp"
#include "models/contract/common_metrics.hpp"
#include "tests/support/campaign.hpp"
#include "tests/unit/models/cim_mesh/designs.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>

/// Layers with windows, against counts of every token.
namespace pimdse::models::cim_mesh::test::windows_test {
namespace {

struct Window {
    std::int64_t positions = 0;
    bool chunked = false;

    [[nodiscard]] std::int64_t keys(std::int64_t context) const {
        if (positions == 0) return context;
        std::int64_t keys = 0;
        for (std::int64_t key = context; key > 0 && key > context - positions; --key) {
            ++keys;
            if (chunked && (key - 1) % positions == 0) break;
        }
        return keys;
    }
};

/// A point whose model has another window.
struct Windowed : OfModel {
    Windowed(Settings const& settings, Window window) : OfModel(settings) {
        model.window = window.positions;
        model.chunked = window.chunked;
    }
};

Settings request(std::int64_t input, std::int64_t output) {
    return {{"llm", "llama-3.2-1b"},
            {"input", std::to_string(input)},
            {"output", std::to_string(output)},
            {"mesh_rows", "16"},
            {"mesh_cols", "16"}};
}

constexpr std::array windows{Window{1, false},  Window{5, false}, Window{12, false}, Window{30, false},
                             Window{33, false}, Window{1, true},  Window{5, true},   Window{12, true},
                             Window{30, true},  Window{33, true}};

TEST(Windows, give_a_position_its_keys) {
    for (auto const& window : windows) {
        Windowed const w(request(24, 10), window);
        auto const& d = w.given.design;
        std::int64_t most = 0;
        double sum = 0.0;
        for (std::int64_t context = 1; context <= 34; ++context) {
            EXPECT_EQ(keys_at(d, context), window.keys(context)) << window.positions << " " << context;
            most = std::max(most, window.keys(context));
            sum += static_cast<double>(window.keys(context));
            EXPECT_EQ(max_keys(d, context), most);
            EXPECT_NEAR(mean_prompt_keys(d, context), sum / static_cast<double>(context), 1e-12 * sum);
        }
    }
}

TEST(Windows, give_decoded_tokens_the_mean_of_the_trapezoid_rule) {
    tests::Turns turns(7);
    auto const cost = [](std::int64_t keys) { return std::sqrt(static_cast<double>(keys)); };
    for (auto const& window : windows) {
        for (std::int64_t const input : {1, 4, 5, 6, 11, 12, 13, 24, 33}) {
            for (std::int64_t const output : {1, 2, 5, 20, 31}) {
                if (!turns.next()) continue;
                Windowed const w(request(input, output), window);
                double keys = 0.0, costs = 0.0;
                for (std::int64_t token = 0; token < output; ++token) {
                    for (std::int64_t const context : {input + token, input + token + 1}) {
                        keys += static_cast<double>(window.keys(context)) / 2.0;
                        costs += cost(window.keys(context)) / 2.0;
                    }
                }
                double sampled = 0.0, weight = 0.0;
                for (auto const& sample : sampled_keys(w.given.design, 64)) {
                    sampled += sample.weight * cost(sample.context);
                    weight += sample.weight;
                }
                auto const tokens = static_cast<double>(output);
                EXPECT_NEAR(mean_decoded_keys(w.given.design), keys / tokens, 1e-9) << window.positions << " " << input;
                EXPECT_NEAR(weight, 1.0, 1e-12);
                EXPECT_NEAR(sampled, costs / tokens, 1e-9) << window.positions << " " << input << " " << output;
            }
        }
    }
}

TEST(Windows, of_many_tokens_keep_the_mean_of_a_linear_cost) {
    for (auto const& window : {Window{100, false}, Window{100, true}, Window{3000, true}}) {
        Windowed const w(request(70, 5000), window);
        double mean = 0.0;
        auto const samples = sampled_keys(w.given.design, 32);
        for (auto const& sample : samples) mean += sample.weight * static_cast<double>(sample.context);
        EXPECT_NEAR(mean, mean_decoded_keys(w.given.design), 1e-9 * mean);
        EXPECT_LE(samples.size(), 3U * 33U);
    }
}

TEST(Windows, of_a_prompt_cost_what_its_tokens_cost_one_by_one) {
    for (auto const& window : windows) {
        for (std::int64_t const count : {0, 1, 5, 12, 24, 29, 30, 33}) {
            Windowed const w(request(34, 2), window);
            auto const& g = w.given;
            HeldQueries const held(KvCache(g.machine, g.design, g.parts), 8);
            PromptUnits units;
            units.vectors = 3000.0;
            units.crossbar = 3200.0;
            units.softmax = 14.0;
            units.stream = 160.0;
            units.alone = 3100.0;
            units.alone_per_key = 25.0;
            double cycles = 0.0, streams = 0.0;
            for (std::int64_t token = 1; token <= count; ++token) {
                auto const keys = window.keys(token);
                double const pairs = 2.0 * static_cast<double>(keys);
                cycles += std::min(std::max(units.vectors + pairs * units.pair(held.at(keys)), units.crossbar),
                                   units.alone + units.alone_per_key * static_cast<double>(keys));
                streams += pairs / static_cast<double>(held.at(keys));
            }
            auto const tokens = tokens_of_prompt(g.design, count);
            EXPECT_NEAR(following(units, held, tokens).total(), cycles, 1e-9 * cycles) << window.positions;
            EXPECT_NEAR(key_streams(held, tokens), streams, 1e-9 * streams) << window.positions << " " << count;
        }
    }
}

TEST(Windows, make_as_many_scores_as_their_tokens) {
    for (auto const* schedule : {"serial", "tree"}) {
        for (auto const& window : windows) {
            Windowed const w(with(request(24, 9), "schedule", schedule), window);
            auto const& g = w.given;
            PlacedLayer const layer(g.machine, layer_key(g.machine, g.design, g.parts, packed_genes(g.parts)));
            auto const counts = count_mesh(g.machine, g.design, g.parts, layer);
            double prompt = 0.0, decoded = 0.0;
            // Every token of a prompt but the last adds a row and a column of pairs.
            for (std::int64_t token = 1; token <= 24; ++token)
                prompt += (token < 24 ? 2.0 : 1.0) * static_cast<double>(window.keys(token));
            for (std::int64_t token = 25; token < 33; ++token) decoded += static_cast<double>(window.keys(token));
            double const scores = static_cast<double>(g.design.model->layers * g.design.model->heads);
            EXPECT_NEAR(first_events(g.machine, g.design, g.parts, counts).softmax, scores * prompt, 1e-6);
            EXPECT_NEAR(later_events(g.machine, g.design, g.parts, counts).softmax, scores * decoded, 1e-6);
        }
    }
}

TEST(Windows, that_the_request_does_not_fill_change_no_bit) {
    for (auto const* schedule : {"serial", "tree", "searched"}) {
        for (auto const fidelity : {Fidelity::analytic, Fidelity::cycle}) {
            auto const settings = with(request(24, 10), "schedule", schedule);
            for (bool const chunked : {false, true})
                expect_same(Windowed(settings, {0, false}).outcome(fidelity),
                            Windowed(settings, {34, chunked}).outcome(fidelity));
        }
    }
}

/// One position less costs nothing more.
TEST(Windows, that_are_wider_cost_no_less) {
    tests::Turns turns(5);
    for (auto const* schedule : {"serial", "tree", "searched"}) {
        for (auto const* metric : {"ttft", "itl", "energy", "dynamic_data"}) {
            if (!turns.next()) continue;
            double before = 0.0;
            for (std::int64_t const positions : {1, 2, 4, 8, 16, 24, 32, 40, 0}) {
                auto const settings = with(request(32, 16), "schedule", schedule);
                double const now = Windowed(settings, {positions, false}).metric(metric, Fidelity::cycle).value;
                EXPECT_GE(now, before * (1.0 - 1e-12)) << schedule << " " << metric << " " << positions;
                before = now;
            }
        }
    }
}

TEST(Windows, take_no_less_for_a_prompt_of_one_token_more) {
    for (auto const& window : {Window{5, false}, Window{12, true}}) {
        double before = 0.0;
        for (std::int64_t input = 1; input < 40; ++input) {
            double const now = Windowed(request(input, 1), window).metric("ttft").value;
            EXPECT_GE(now, before * (1.0 - 1e-12)) << window.positions << window.chunked << " " << input;
            before = now;
        }
    }
}

TEST(Windows, hold_the_cycle_level_within_the_analytic_bounds) {
    tests::Turns turns(7);
    for (auto const& window : {Window{7, false}, Window{7, true}, Window{20, false}, Window{20, true}}) {
        for (auto const* schedule : {"serial", "tree", "searched"}) {
            for (auto const& extra : std::vector<Setting>{{"kv_pool", "attention"},
                                                          {"fifo_bytes", "24"},
                                                          {"machine", "leap-d"},
                                                          {"placement", "searched"},
                                                          {"hubs", "searched"},
                                                          {"scores", "kept"},
                                                          {"dynamic_products", "reprogram"},
                                                          {"dynamic_products", "digital"}}) {
                if (!turns.next()) continue;
                expect_bounds(Windowed(with(request(13, 21), {{"schedule", schedule}, extra}), window),
                              std::string(schedule) + " " + extra.second);
            }
        }
    }
}

TEST(Windows, need_room_for_their_own_keys_alone) {
    auto const settings = with(request(4000, 96), {{"scratchpad", "8192"}, {"batch", "8"}});
    ASSERT_TRUE(std::holds_alternative<Infeasible>(Windowed(settings, {0, false}).outcome()));
    for (bool const chunked : {false, true}) {
        auto const used = [&](std::int64_t positions) {
            return 1.0 - Windowed(settings, {positions, chunked}).metric("kv_headroom").value;
        };
        EXPECT_GT(used(256), 0.0);
        EXPECT_NEAR(used(512), 2.0 * used(256), 1e-12);
    }
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::windows_test
