#pragma once

#include "models/dplena/numerics/accuracy.hpp"
#include "models/dplena/numerics/decided.hpp"
#include "models/dplena/numerics/formats.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

/// The accuracy proxy by walks over all rows, and nothing else.
namespace pimdse::models::dplena::plain {

struct PlainRows {
    std::vector<double> truth;
    std::vector<RowResult> as_floats, seen;
    std::int64_t right = 0;
};

inline PlainRows plain_rows(AccuracyKey const& key, ProxyConstants const& c, std::int64_t block) {
    PlainRows rows;
    auto const whole = [&](std::int64_t logits) { return logits / key.vlen * key.vlen; };
    std::vector<float> logits(static_cast<std::size_t>(key.vocab));
    for (auto row = block * c.block_length; row < (block + 1) * c.block_length; ++row) {
        synthetic_row(c, row, logits);
        auto const largest = std::max_element(logits.begin(), logits.end());
        auto const right = largest - logits.begin();
        double sum = 0.0;
        for (auto const z : logits) sum += std::exp(static_cast<double>(z) - static_cast<double>(*largest));
        rows.truth.push_back(1.0 / sum);
        rows.as_floats.push_back({.confidence = static_cast<float>(1.0 / sum)});
        auto const walked = std::span(logits).first(static_cast<std::size_t>(whole(key.vocab)));
        through_hbm(walked, key.element, key.mx_block);
        rows.seen.push_back(stable_max(
            walked,
            {.vlen = key.vlen, .chunk = whole(key.chunk), .accumulator = key.accumulator, .passes = key.passes}));
        rows.right += rows.seen.back().index == right ? 1 : 0;
    }
    return rows;
}

inline double plain_jaccard(Flags const& a, Flags const& b) {
    double both = 0.0, either = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        both += a[i] != 0 && b[i] != 0 ? 1.0 : 0.0;
        either += a[i] != 0 || b[i] != 0 ? 1.0 : 0.0;
    }
    return either == 0.0 ? 1.0 : both / either;
}

inline TransferPolicy plain_policy(Remasking remasking, double limit) {
    TransferPolicy policy{.remasking = remasking};
    if (remasking == Remasking::threshold) policy.threshold = static_cast<float>(limit);
    if (remasking == Remasking::factor) policy.factor = static_cast<float>(limit);
    return policy;
}

inline Accuracy plain_accuracy(AccuracyKey const& key, ProxyConstants const& c) {
    auto const policy = plain_policy(key.remasking, key.limit);
    Accuracy sum;
    for (std::int64_t block = 0; block < c.blocks; ++block) {
        auto const rows = plain_rows(key, c, block);
        Flags const masked(rows.seen.size(), 1);
        auto const wanted = key.remasking == Remasking::low_confidence
                                ? top_k_mask(rows.truth, masked, c.transfers)
                                : choose_transfer(rows.as_floats, masked, c.transfers, policy);
        sum.argmax_agreement += static_cast<double>(rows.right);
        sum.transfer_overlap += plain_jaccard(choose_transfer(rows.seen, masked, c.transfers, policy), wanted);
    }
    return {sum.argmax_agreement / static_cast<double>(c.blocks * c.block_length),
            sum.transfer_overlap / static_cast<double>(c.blocks)};
}

}  // namespace pimdse::models::dplena::plain
