#include "models/dplena/numerics/drawn.hpp"

#include "models/dplena/numerics/accuracy.hpp"
#include "models/dplena/numerics/decided.hpp"
#include "models/dplena/numerics/formats.hpp"
#include "tests/unit/models/dplena/support.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace drawn_test {
namespace {

using namespace pimdse::models::dplena;

ProxyConstants const& proxy() { return support::machine().proxy; }

TEST(DplenaNoise, is_a_gumbel_distribution_below_its_bound) {
    double sum = 0.0, squares = 0.0;
    constexpr int rows = 20, places = 5000;
    for (int row = 0; row < rows; ++row) {
        RowNoise const noise(proxy(), row);
        for (int place = 0; place < places; ++place) {
            auto const g = noise.at(place);
            ASSERT_LE(g, noise.at_most(place));
            ASSERT_EQ(g, RowNoise(proxy(), row).at(place)) << "the same number whoever draws it";
            sum += g;
            squares += g * g;
        }
    }
    auto const mean = sum / (rows * places);
    EXPECT_NEAR(mean, 0.5772, 0.02) << "Euler's constant";
    EXPECT_NEAR(squares / (rows * places) - mean * mean, 1.6449, 0.05) << "pi^2 / 6";
}

TEST(DplenaNoise, draws_tokens_with_the_probabilities_of_the_softmax) {
    std::vector<float> const logits{1.0F, 3.0F, 2.0F, 2.5F};
    for (double const temperature : {0.5, 1.0, 4.0}) {
        double sum = 0.0;
        for (auto const z : logits) sum += std::exp(static_cast<double>(z) / temperature);
        std::map<std::int64_t, int> count, npu;
        constexpr int draws = 20'000;
        for (int row = 0; row < draws; ++row) {
            RowNoise const noise(proxy(), row);
            auto const drawn = drawn_in_double(logits, noise, temperature);
            ++count[drawn.index];
            auto const z = static_cast<double>(logits[static_cast<std::size_t>(drawn.index)]);
            ASSERT_NEAR(drawn.confidence, std::exp(z / temperature) / sum, 1e-12);
            auto copy = logits;
            ++npu[drawn_by_npu(copy, noise, temperature, {.vlen = 4, .chunk = 4}).index];
        }
        for (std::size_t v = 0; v < logits.size(); ++v) {
            auto const share = std::exp(static_cast<double>(logits[v]) / temperature) / sum;
            EXPECT_NEAR(count[static_cast<std::int64_t>(v)] / double{draws}, share, 0.015);
            EXPECT_NEAR(npu[static_cast<std::int64_t>(v)] / double{draws}, share, 0.015);
        }
    }
}

/// A draw of the NPU that computes every sum with noise and every exponential.
RowResult drawn_plainly(std::vector<float> logits, RowNoise const& noise, double temperature, RowWalk const& walk) {
    auto const factor = to_bf16(static_cast<float>(1.0 / temperature));
    std::vector<float> noisy;
    for (std::size_t v = 0; v < logits.size(); ++v) {
        if (temperature != 1.0) logits[v] = to_bf16(logits[v] * factor);
        auto const g = to_bf16(static_cast<float>(noise.at(static_cast<std::int64_t>(v))));
        noisy.push_back(to_bf16(logits[v] + g));
    }
    auto result = stable_max(logits, walk);
    auto const chosen = std::ranges::max_element(noisy) - noisy.begin();
    auto const down = to_bf16(logits[static_cast<std::size_t>(chosen)] - std::ranges::max(logits));
    auto const share = to_bf16(static_cast<float>(std::exp(static_cast<double>(down))));
    result.confidence = to_bf16(share * result.confidence);
    result.index = static_cast<std::int32_t>(chosen);
    return result;
}

TEST(DplenaNoise, is_skipped_only_where_it_cannot_win) {
    support::Rng rng(81);
    for (int i = 0; i < 60; ++i) {
        std::vector<float> logits(static_cast<std::size_t>(64 * (1 + rng.below(40))));
        auto const row = rng.below(1000);
        synthetic_row(proxy(), row, logits);
        auto const temperature = std::vector{0.05, 0.5, 1.0, 3.0, 50.0}[static_cast<std::size_t>(rng.below(5))];
        RowNoise const noise(proxy(), row);
        std::size_t best = 0;
        auto const noisy = [&](std::size_t v) {
            return static_cast<double>(logits[v]) / temperature + noise.at(static_cast<std::int64_t>(v));
        };
        for (std::size_t v = 1; v < logits.size(); ++v) best = noisy(v) > noisy(best) ? v : best;
        EXPECT_EQ(drawn_in_double(logits, noise, temperature).index, static_cast<std::int64_t>(best));
        through_hbm(logits, Element::e4m3, 8);
        RowWalk const walk{.vlen = 64, .chunk = 64, .passes = rng.below(2) == 0 ? Passes::one : Passes::two};
        auto const plainly = drawn_plainly(logits, noise, temperature, walk);
        EXPECT_EQ(drawn_by_npu(logits, noise, temperature, walk), plainly);
    }
}

Accuracy accuracy_of(support::Settings settings) {
    settings.insert(settings.end(), {{"vocab", "8192"}, {"vlen", "512"}});
    return AccuracyProxy().of(support::design(settings), proxy());
}

TEST(DplenaNoise, is_drawn_by_the_accuracy_proxy) {
    auto const cold = accuracy_of({{"mx_element", "e2m1"}, {"temperature", "0.2"}});
    auto const warm = accuracy_of({{"mx_element", "e2m1"}, {"temperature", "1"}});
    EXPECT_NE(cold.argmax_agreement, warm.argmax_agreement);
    EXPECT_LT(warm.argmax_agreement, 1.0) << "another format, another token";
    auto const fine = accuracy_of({{"mx_element", "bf16"}, {"temperature", "1"}});
    EXPECT_GT(fine.argmax_agreement, warm.argmax_agreement);
    EXPECT_GT(fine.argmax_agreement, 0.9) << "both sides draw the same noise";
    EXPECT_EQ(accuracy_of({{"remasking", "random"}, {"temperature", "1"}}).transfer_overlap, 1.0);
    auto const known =
        support::metric({{"temperature", "0.5"}}, "argmax_agreement", pimdse::models::Fidelity::analytic);
    EXPECT_EQ(known.lower, 0.0);
    EXPECT_EQ(known.upper, 1.0);
}

TEST(DplenaNoise, lowers_confidences_as_the_synthetic_draws_say) {
    constexpr std::int64_t vocabulary = 4096, rows = 400;
    std::vector<float> logits(vocabulary);
    double last = 1.0;
    for (double const temperature : {0.5, 1.0, 2.0}) {
        double walked = 0.0, synthetic = 0.0;
        for (std::int64_t row = 0; row < rows; ++row) {
            synthetic_row(proxy(), row, logits);
            walked += drawn_in_double(logits, RowNoise(proxy(), row), temperature).confidence / rows;
            synthetic +=
                synthetic_draw(proxy(), peaks_of(proxy(), row, vocabulary), vocabulary, temperature, row) / rows;
        }
        EXPECT_NEAR(synthetic, walked, 0.05) << temperature;
        EXPECT_LT(walked, last);
        last = walked;
    }
}

TEST(DplenaNoise, takes_more_steps_until_no_position_is_masked) {
    auto const steps = [](char const* temperature) {
        auto const d = support::design(
            {{"remasking", "threshold"}, {"steps", "32"}, {"vocab", "126976"}, {"temperature", temperature}});
        return AccuracyProxy().steps_needed(d, proxy());
    };
    EXPECT_GT(steps("2"), steps("0"));
    EXPECT_LE(steps("100"), 32);
}

}  // namespace
}  // namespace drawn_test
