#include "models/dplena/numerics/row_bounds.hpp"
#include "tests/unit/models/dplena/numerics/plain_accuracy.hpp"
#include "tests/unit/models/dplena/random_designs.hpp"

#include <gtest/gtest.h>

namespace accuracy_test {
namespace {

using namespace pimdse::models::dplena;
using support::Rng;

/// Any format, vector, chunk and policy; vocabularies from less than a piece of a sum to many.
AccuracyKey drawn(Rng& rng) {
    AccuracyKey key;
    key.vlen = 64 << rng.below(6);
    key.vocab = key.vlen + (std::int64_t{1} << rng.below(15)) + rng.below(3000);
    key.mx_block = std::int64_t{1} << rng.below(7);
    key.element = static_cast<Element>(rng.below(6));
    key.accumulator = static_cast<Accumulator>(rng.below(3));
    key.passes = rng.below(2) == 0 ? Passes::one : Passes::two;
    key.chunk = key.passes == Passes::one ? std::min(key.vocab, key.vlen * (1 + rng.below(30))) : key.vocab;
    key.remasking = static_cast<Remasking>(rng.below(4));
    if (key.remasking == Remasking::threshold) key.limit = static_cast<double>(rng.below(100)) / 100.0;
    if (key.remasking == Remasking::factor) key.limit = static_cast<double>(rng.below(500)) / 100.0;
    return key;
}

Design design_of(AccuracyKey const& key) {
    auto d = support::design({});
    d.vlen = key.vlen;
    d.vocab = key.vocab;
    d.mx_block = key.mx_block;
    d.element = key.element;
    d.accumulator = key.accumulator;
    d.passes = key.passes;
    d.v_chunk = key.chunk;
    d.remasking = key.remasking;
    (key.remasking == Remasking::threshold ? d.confidence_threshold : d.confidence_factor) = key.limit;
    return d;
}

TEST(DplenaAccuracy, without_walks_is_that_of_walks_over_all_rows) {
    Rng rng(71);
    AccuracyProxy const proxy;
    auto const& constants = support::machine().proxy;
    for (int i = 0; i < 60; ++i) {
        auto const key = drawn(rng);
        ASSERT_EQ(AccuracyKey::of(design_of(key)), key);
        auto const found = proxy.of(design_of(key), constants);
        auto const walked = plain::plain_accuracy(key, constants);
        EXPECT_EQ(found.argmax_agreement, walked.argmax_agreement) << key.vocab << " " << key.vlen;
        EXPECT_EQ(found.transfer_overlap, walked.transfer_overlap) << key.vocab << " " << key.vlen;
    }
}

TEST(DplenaAccuracy, is_found_where_nothing_is_known_of_any_row_without_a_walk) {
    // A half that is rescaled in hundreds of chunks has no bounds unless the peak is in the first.
    AccuracyKey key{.element = Element::e4m3, .mx_block = 64, .accumulator = Accumulator::fp16, .vocab = 30'000};
    key.vlen = key.chunk = 64;
    key.passes = Passes::one;
    auto const& constants = support::machine().proxy;
    BulkSums const sums;
    auto const& bulk = sums.up_to(key.vocab, constants);
    SeenRow const seen{key.vocab / 64 * 64, key.element, 64, {64, 64, key.accumulator, key.passes}};
    std::int64_t known = 0;
    for (std::int64_t row = 0; row < constants.block_length; ++row)
        known += bound_seen_row(constants, seen, peaks_of(constants, row, key.vocab), bulk[row]) ? 1 : 0;
    ASSERT_LT(known, constants.transfers);
    auto const walked = plain::plain_accuracy(key, constants);
    EXPECT_EQ(AccuracyProxy().of(design_of(key), constants).transfer_overlap, walked.transfer_overlap);
}

TEST(DplenaAccuracy, lies_within_what_is_known_without_walks) {
    Rng rng(73);
    AccuracyProxy const proxy;
    auto const& constants = support::machine().proxy;
    int known = 0, all = 0;
    for (int i = 0; i < 80; ++i) {
        auto const key = drawn(rng);
        auto const bounds = proxy.bounds_of(design_of(key), constants);
        auto const exact = proxy.of(design_of(key), constants);
        for (auto const& [bound, truth] : {std::pair(bounds.argmax_agreement, exact.argmax_agreement),
                                           std::pair(bounds.transfer_overlap, exact.transfer_overlap)}) {
            EXPECT_LE(bound.lower, truth) << key.vocab << " " << key.vlen;
            EXPECT_GE(bound.upper, truth) << key.vocab << " " << key.vlen;
            EXPECT_LE(bound.lower, bound.value);
            EXPECT_GE(bound.upper, bound.value);
            known += bound.is_exact() ? 1 : 0;
            ++all;
        }
    }
    EXPECT_GT(3 * known, all);
}

SeenRow seen_by(AccuracyKey const& key) {
    auto const whole = [&](std::int64_t logits) { return logits / key.vlen * key.vlen; };
    return {.logits = whole(key.vocab),
            .element = key.element,
            .mx_block = key.mx_block,
            .walk = {key.vlen, whole(key.chunk), key.accumulator, key.passes}};
}

TEST(DplenaAccuracy, lies_between_the_bounds_of_every_row) {
    Rng rng(72);
    BulkSums const sums;
    auto const& c = support::machine().proxy;
    std::size_t bounded = 0, tight = 0, all = 0;
    for (int i = 0; i < 60; ++i) {
        auto const key = drawn(rng);
        auto const walked = plain::plain_rows(key, c, 0);
        auto const& bulk = sums.up_to(key.vocab, c);
        for (std::int64_t row = 0; row < c.block_length; ++row, ++all) {
            auto const at = static_cast<std::size_t>(row);
            auto const peaks = peaks_of(c, row, key.vocab);
            auto const truth = bound_true_row(c, peaks, bulk[row], key.vocab);
            ASSERT_TRUE(truth);
            EXPECT_LE(truth->confidence.lower, walked.truth[at]);
            EXPECT_GE(truth->confidence.upper, walked.truth[at]);
            auto const seen = bound_seen_row(c, seen_by(key), peaks, bulk[row]);
            if (!seen) continue;
            ++bounded;
            tight += seen->confidence.upper <= 2.0 * seen->confidence.lower ? 1 : 0;
            EXPECT_LE(seen->confidence.lower, double{walked.seen[at].confidence});
            EXPECT_GE(seen->confidence.upper, double{walked.seen[at].confidence});
            EXPECT_EQ(seen->index, walked.seen[at].index);
        }
    }
    EXPECT_GT(bounded * 10, all * 7);
    EXPECT_GT(tight * 2, all);
}

}  // namespace
}  // namespace accuracy_test
