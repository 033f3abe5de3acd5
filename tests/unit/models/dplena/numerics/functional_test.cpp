#include "models/dplena/numerics/accuracy.hpp"
#include "models/dplena/numerics/decided.hpp"
#include "models/dplena/numerics/formats.hpp"
#include "models/dplena/numerics/row_bounds.hpp"
#include "tests/unit/models/dplena/numerics/plain_numbers.hpp"
#include "tests/unit/models/dplena/support.hpp"

#include <gtest/gtest.h>

namespace functional_test {
namespace {

using namespace pimdse::models::dplena;
using namespace plain;
using support::Rng;

/// Algorithm 1 of the paper with the rules of our contract, one logit after the other.
RowResult plain_stable_max(std::vector<float> const& z, RowWalk const& walk) {
    RowResult result;
    float m = -inf;
    bool nan = false;
    for (std::size_t i = 0; i < z.size(); ++i) {
        nan = nan || std::isnan(z[i]);
        if (z[i] > m) {
            m = z[i];
            result.index = static_cast<std::int32_t>(i);
        }
    }
    if (nan || m == -inf) return {0.0F, 0.0F, 0, true};
    float s = 0.0F;
    if (m == inf) {
        for (auto x : z) s += x == inf ? 1.0F : 0.0F;
    } else {
        auto const chunk = walk.passes == Passes::one ? walk.chunk : static_cast<std::int64_t>(z.size());
        float running = -inf;
        for (std::int64_t c = 0; c < static_cast<std::int64_t>(z.size()); c += chunk) {
            auto const end = std::min<std::int64_t>(c + chunk, static_cast<std::int64_t>(z.size()));
            float top = walk.passes == Passes::one ? running : m;
            for (auto i = c; i < end; ++i) top = std::max(top, z[static_cast<std::size_t>(i)]);
            if (top == -inf) continue;
            if (walk.passes == Passes::one && running != -inf) {
                auto const factor = plain_rounded(
                    walk.accumulator,
                    static_cast<float>(std::exp(static_cast<double>(running) - static_cast<double>(top))));
                s = plain_rounded(walk.accumulator, s * factor);
            }
            running = top;
            for (auto v = c; v < end; v += walk.vlen) {
                double lanes = 0.0;
                for (auto i = v; i < std::min(end, v + walk.vlen); ++i) {
                    auto const difference = plain_bf16(z[static_cast<std::size_t>(i)] - top);
                    lanes +=
                        static_cast<double>(plain_bf16(static_cast<float>(std::exp(static_cast<double>(difference)))));
                }
                s = plain_rounded(walk.accumulator, s + static_cast<float>(lanes));
            }
        }
    }
    result.sum = s;
    result.confidence = plain_bf16(1.0F / s);
    return result;
}

std::vector<float> hostile_row(Rng& rng, int kind, std::size_t size) {
    std::vector<float> z(size);
    for (auto& x : z) x = plain_bf16(static_cast<float>(rng.unit() * 30.0 - 15.0));
    if (kind == 1)
        for (auto& x : z) x = plain_bf16(static_cast<float>(rng.below(4)));  // full of ties
    if (kind == 2)
        for (auto& x : z) x = -std::fabs(x) - 1.0F;                                            // all negative
    if (kind == 3) std::fill(z.begin(), z.end(), plain_bf16(static_cast<float>(rng.unit())));  // constant
    if (kind == 4) {                                                                           // one-hot
        std::fill(z.begin(), z.end(), -40.0F);
        z[static_cast<std::size_t>(rng.below(static_cast<std::int64_t>(size)))] = 40.0F;
    }
    if (kind == 5)
        for (std::size_t i = size / 2; i < size; ++i) z[i] = -inf;  // padded
    if (kind == 6) std::fill(z.begin(), z.end(), -inf);
    if (kind == 7) z[static_cast<std::size_t>(rng.below(static_cast<std::int64_t>(size)))] = std::nanf("");
    if (kind == 8)
        for (auto& x : z) x = rng.below(6) == 0 ? inf : x;
    if (kind == 9)
        for (std::size_t i = 0; i < size / 3; ++i) z[i] = -inf;  // the first chunks are empty
    if (kind == 10) std::sort(z.begin(), z.end());               // the maximum always grows
    return z;
}

TEST(DplenaStableMax, equals_the_plain_reference_bit_for_bit_on_hostile_rows) {
    Rng rng(4);
    for (int run = 0; run < 1500; ++run) {
        auto const vlen = std::int64_t{8} << rng.below(6);
        RowWalk const walk{.vlen = vlen,
                           .chunk = vlen * (1 + rng.below(4)),
                           .accumulator = static_cast<Accumulator>(rng.below(3)),
                           .passes = rng.below(2) == 0 ? Passes::one : Passes::two};
        auto const z = hostile_row(rng, run % 11, static_cast<std::size_t>(1 + rng.below(900)));
        ASSERT_EQ(stable_max(z, walk), plain_stable_max(z, walk)) << "run " << run << " kind " << run % 11;
    }
}

TEST(DplenaStableMax, takes_the_lowest_index_among_equals_also_across_chunks) {
    std::vector<float> z(256, 1.0F);
    z[70] = z[200] = 3.0F;
    RowWalk walk{.vlen = 64, .chunk = 64};
    EXPECT_EQ(stable_max(z, walk).index, 70);
    walk.passes = Passes::one;
    EXPECT_EQ(stable_max(z, walk).index, 70);
}

TEST(DplenaStableMax, is_not_fooled_by_rows_without_a_positive_logit) {
    std::vector<float> z(128, -5.0F);
    z[100] = -1.0F;
    auto const result = stable_max(z, {.vlen = 64, .chunk = 64});
    EXPECT_EQ(result.index, 100);
    EXPECT_LE(result.confidence, 1.0F);
}

TEST(DplenaStableMax, shows_what_narrow_accumulators_do_to_equal_logits) {
    std::vector<float> const equal(126976, 0.0F);
    auto const confidence = [&](Accumulator accumulator, std::int64_t vlen) {
        return stable_max(equal, {.vlen = vlen, .chunk = vlen, .accumulator = accumulator}).confidence;
    };
    for (std::int64_t vlen = 64; vlen <= 2048; vlen *= 2) {
        EXPECT_EQ(confidence(Accumulator::fp16, vlen), 0.0F) << vlen;  // overflows to infinity
        EXPECT_NEAR(confidence(Accumulator::fp32, vlen), 7.8678e-6, 1e-10) << vlen;
    }
    EXPECT_NEAR(confidence(Accumulator::bf16, 64), 6.10e-5, 0.01e-5);  // the sum sticks at 16,384
    EXPECT_NEAR(confidence(Accumulator::bf16, 128) / 7.8755e-6, 3.875, 0.01);
    EXPECT_NEAR(confidence(Accumulator::bf16, 256) / 7.8755e-6, 1.94, 0.01);
    EXPECT_NEAR(confidence(Accumulator::bf16, 512), 7.8678e-6, 1e-10);
}

/// The insertion list of the hardware: k entries that start at 0; a newcomer enters above the first strictly smaller
/// entry.
Flags insertion_list(std::vector<double> const& scores, Flags const& candidates, std::int64_t k) {
    std::vector<std::pair<double, std::size_t>> list(static_cast<std::size_t>(k), {0.0, 0});
    for (std::size_t i = 0; i < scores.size(); ++i) {
        auto const score = candidates[i] != 0 ? scores[i] : -1.0;
        auto const at = std::find_if(list.begin(), list.end(), [&](auto const& entry) { return entry.first < score; });
        if (at == list.end()) continue;
        list.insert(at, {score, i});
        list.pop_back();
    }
    Flags mask(scores.size(), 0);
    for (auto const& [score, i] : list) mask[i] = 1;
    for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = mask[i] & candidates[i];
    // Empty slots report position 0; that it was really chosen shows in its score.
    if (!mask.empty() && std::none_of(list.begin(), list.end(),
                                      [](auto const& entry) { return entry.first > 0.0 && entry.second == 0; }))
        mask[0] = 0;
    return mask;
}

TEST(DplenaTransfer, masks_what_the_insertion_list_of_the_hardware_masks) {
    Rng rng(5);
    for (int run = 0; run < 3000; ++run) {
        auto const size = static_cast<std::size_t>(1 + rng.below(70));
        std::vector<double> scores(size);
        Flags candidates(size);
        for (std::size_t i = 0; i < size; ++i) {
            scores[i] = run % 2 == 0 ? static_cast<double>(rng.below(4)) / 3.0 : rng.unit();  // many ties, and zeros
            candidates[i] = rng.below(3) != 0;
        }
        auto const k = run % 5 == 0   ? 0
                       : run % 5 == 1 ? static_cast<std::int64_t>(size)
                                      : rng.below(static_cast<std::int64_t>(size) + 1);
        ASSERT_EQ(top_k_mask(scores, candidates, k), insertion_list(scores, candidates, k)) << run;
    }
}

std::vector<RowResult> rows_with(std::vector<float> const& confidences) {
    std::vector<RowResult> rows;
    for (auto c : confidences)
        rows.push_back({.confidence = c, .sum = 1.0F / c, .index = static_cast<std::int32_t>(100 + rows.size())});
    return rows;
}

TEST(DplenaTransfer, follows_the_remasking_policies) {
    auto const rows = rows_with({0.2F, 0.95F, 0.9F, 0.5F, 0.99F});
    Flags const masked{1, 1, 1, 1, 0};
    EXPECT_EQ(choose_transfer(rows, masked, 2, {}), (Flags{0, 1, 1, 0, 0}));
    EXPECT_EQ(choose_transfer(rows, masked, 0, {}), (Flags{0, 0, 0, 0, 0}));
    EXPECT_EQ(choose_transfer(rows, masked, 9, {}), (Flags{1, 1, 1, 1, 0}));
    EXPECT_EQ(choose_transfer(rows, masked, 0, {.remasking = Remasking::threshold, .threshold = 0.9F}),
              (Flags{0, 1, 1, 0, 0}));
    EXPECT_EQ(choose_transfer(rows, masked, 0, {.remasking = Remasking::threshold, .threshold = 0.999F}),
              (Flags{0, 1, 0, 0, 0}));
    // 0.95 >= 1 - f/2, 0.9 >= 1 - f/3, 0.5 < 1 - f/4 for f = 0.4.
    EXPECT_EQ(choose_transfer(rows, masked, 0, {.remasking = Remasking::factor, .factor = 0.4F}),
              (Flags{0, 1, 1, 0, 0}));
    EXPECT_EQ(choose_transfer(rows, masked, 0, {.remasking = Remasking::factor, .factor = 0.01F}),
              (Flags{0, 1, 0, 0, 0}));
    auto const random = choose_transfer(rows, masked, 2, {.remasking = Remasking::random, .seed = 7});
    EXPECT_EQ(std::count(random.begin(), random.end(), 1), 2);
    EXPECT_EQ(random, choose_transfer(rows, masked, 2, {.remasking = Remasking::random, .seed = 7}));
    EXPECT_EQ(random[4], 0);
}

TEST(DplenaTransfer, tells_equal_confidences_apart_by_their_sums_if_asked) {
    std::vector<RowResult> const rows{{.confidence = 0.9F, .sum = 1.1111F, .index = 1},
                                      {.confidence = 0.9F, .sum = 1.1110F, .index = 2}};
    EXPECT_EQ(choose_transfer(rows, {1, 1}, 1, {}), (Flags{1, 0}));
    EXPECT_EQ(choose_transfer(rows, {1, 1}, 1, {.key = ConfidenceKey::sum}), (Flags{0, 1}));
}

/// How many positions each of `steps` steps commits if `masked` are masked: as even as possible, the larger shares
/// first.
std::vector<std::int64_t> transfer_counts(std::int64_t masked, std::int64_t steps) {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(steps), masked / steps);
    for (std::int64_t step = 0; step < masked % steps; ++step) ++counts[static_cast<std::size_t>(step)];
    return counts;
}

/// Which operand goes where the transfer mask is set: the sampled token (LLaDA and the authors' generator), or, as line
/// 26 of the paper's Algorithm 2 has it, everywhere else.
enum class Commit : std::uint8_t { selected, paper_line_26 };

/// x with the sampled tokens committed: x0 = sampled where masked, else x; then x = x0 where transferred.
std::vector<std::int32_t> updated(std::span<std::int32_t const> tokens, std::span<RowResult const> rows,
                                  Flags const& masked, Flags const& transfer, Commit commit) {
    std::vector<std::int32_t> next(tokens.begin(), tokens.end());
    for (std::size_t i = 0; i < next.size(); ++i) {
        bool const chosen = (transfer[i] != 0) == (commit == Commit::selected);
        if (chosen && masked[i] != 0) next[i] = rows[i].index;
    }
    return next;
}

/// Masked positions left after denoising a block whose confidences fall with the position.
std::vector<std::int64_t> masked_after_each_step(Commit commit) {
    constexpr std::int32_t mask_token = -1;
    constexpr std::int64_t length = 12, steps = 4;
    std::vector<std::int32_t> tokens(length, mask_token);
    std::vector<float> confidences;
    for (std::int64_t i = 0; i < length; ++i) confidences.push_back(1.0F / static_cast<float>(i + 2));
    auto const rows = rows_with(confidences);
    std::vector<std::int64_t> left;
    for (auto const k : transfer_counts(length, steps)) {
        Flags masked;
        for (auto token : tokens) masked.push_back(token == mask_token);
        tokens = updated(tokens, rows, masked, choose_transfer(rows, masked, k, {}), commit);
        left.push_back(std::count(tokens.begin(), tokens.end(), mask_token));
    }
    return left;
}

TEST(DplenaTransfer, commits_the_selected_positions_and_not_as_line_26_of_the_paper_has_it) {
    EXPECT_EQ(masked_after_each_step(Commit::selected), (std::vector<std::int64_t>{9, 6, 3, 0}));
    EXPECT_EQ(masked_after_each_step(Commit::paper_line_26), (std::vector<std::int64_t>{3, 3, 3, 3}));
}

TEST(DplenaAccuracy, gets_worse_with_fewer_mantissa_bits) {
    auto const agreement = [](std::string const& element) {
        return support::value({{"mx_element", element}, {"vocab", "16384"}}, "argmax_agreement");
    };
    EXPECT_GE(agreement("int8"), agreement("e4m3"));
    EXPECT_GE(agreement("e4m3"), agreement("e5m2"));
    EXPECT_GT(agreement("e4m3"), 0.8);
    EXPECT_LT(agreement("e5m2"), 1.0);
}

TEST(DplenaAccuracy, equals_a_plain_run_of_the_functional_model) {
    auto const design = support::design({{"vocab", "4096"}, {"vlen", "512"}, {"accumulator", "bf16"}});
    auto const& constants = support::machine().proxy;
    std::int64_t same = 0;
    std::vector<float> logits(4096);
    for (std::int64_t row = 0; row < constants.blocks * constants.block_length; ++row) {
        synthetic_row(constants, row, logits);
        auto const truth = std::max_element(logits.begin(), logits.end()) - logits.begin();
        through_hbm(logits, design.element, design.mx_block);
        same += plain_stable_max(logits, {.vlen = 512, .chunk = 4096, .accumulator = Accumulator::bf16}).index == truth;
    }
    EXPECT_EQ(AccuracyProxy().of(design, constants).argmax_agreement,
              static_cast<double>(same) / static_cast<double>(constants.blocks * constants.block_length));
}

}  // namespace
}  // namespace functional_test
