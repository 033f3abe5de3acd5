#include "models/dplena/numerics/accuracy.hpp"

#include "models/dplena/numerics/formats.hpp"
#include "models/dplena/numerics/hash.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pimdse::models::dplena {
namespace {

/// Sum of four uniforms, with mean 0 and variance 1: bell enough for the bulk and cheap.
double bell(std::uint64_t word) {
    constexpr double most = 0xffff, mean = 2.0 * most, deviation = most * std::numbers::inv_sqrt3;  // sqrt(4 / 12)
    auto const sum =
        static_cast<double>((word & 0xffffU) + (word >> 16 & 0xffffU) + (word >> 32 & 0xffffU) + (word >> 48));
    return (sum - mean) / deviation;
}

double jaccard(Flags const& a, Flags const& b) {
    double both = 0.0, either = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        both += (a[i] & b[i]) != 0 ? 1.0 : 0.0;
        either += (a[i] | b[i]) != 0 ? 1.0 : 0.0;
    }
    return either == 0.0 ? 1.0 : both / either;
}

struct Softmax {
    std::int32_t index = 0;
    double confidence = 0.0;
};

Softmax softmax(std::span<float const> logits) {
    auto const largest = std::max_element(logits.begin(), logits.end());
    double sum = 0.0;
    for (auto const z : logits) sum += std::exp(static_cast<double>(z) - static_cast<double>(*largest));
    return {static_cast<std::int32_t>(largest - logits.begin()), 1.0 / sum};
}

}  // namespace

void synthetic_row(ProxyConstants const& c, std::int64_t row, std::span<float> logits) {
    auto const stream = static_cast<std::uint64_t>(row);
    auto const base = sim::mixed_bits(c.seed ^ sim::mixed_bits(stream));
    for (std::size_t v = 0; v < logits.size(); ++v)
        logits[v] = static_cast<float>(c.bulk_spread * bell(sim::mixed_bits(base + v)));
    auto const draw = [&](std::uint64_t counter) { return uniform(~c.seed, stream, counter); };
    auto const place = [&](double u) { return static_cast<std::size_t>(u * static_cast<double>(logits.size())); };
    auto const peak = c.peak_low + (c.peak_high - c.peak_low) * draw(0);
    logits[place(draw(1))] = static_cast<float>(peak - c.gap * draw(2));
    logits[place(draw(3))] = static_cast<float>(peak);
}

namespace {

TrueSampling true_sampling(std::int64_t vocabulary, ProxyConstants const& c) {
    TrueSampling truth;
    std::vector<float> logits(static_cast<std::size_t>(vocabulary));
    for (std::int64_t block = 0; block < c.blocks; ++block) {
        std::vector<double> confidences;
        auto& rows = truth.rows.emplace_back();
        for (std::int64_t row = block * c.block_length; row < (block + 1) * c.block_length; ++row) {
            synthetic_row(c, row, logits);
            auto const result = softmax(logits);
            truth.index.push_back(result.index);
            confidences.push_back(result.confidence);
            auto const confidence = static_cast<float>(result.confidence);
            rows.push_back({.confidence = confidence, .sum = 1.0F / confidence, .index = result.index});
        }
        truth.transfer.push_back(top_k_mask(confidences, Flags(confidences.size(), 1), c.transfers));
    }
    return truth;
}

double limit_of(Design const& d) {
    if (!d.may_end_early()) return 0.0;
    return d.remasking == Remasking::threshold ? d.confidence_threshold : d.confidence_factor;
}

TransferPolicy policy_of(Remasking remasking, double limit) {
    TransferPolicy policy{.remasking = remasking};
    (remasking == Remasking::threshold ? policy.threshold : policy.factor) = static_cast<float>(limit);
    return policy;
}

/// Steps of one synthetic block of this design.
std::int64_t steps_of_block(std::vector<RowResult> const& pool, TransferPolicy const& policy, Design const& d,
                            std::uint64_t stream) {
    std::int64_t steps = 0;
    for (auto masked = d.block_length; masked > 0 && steps < d.steps; ++steps) {
        std::vector<RowResult> rows;
        for (std::int64_t i = 0; i < masked; ++i) {
            auto const draw = uniform(stream, static_cast<std::uint64_t>(steps), static_cast<std::uint64_t>(i));
            rows.push_back(pool[static_cast<std::size_t>(draw * static_cast<double>(pool.size()))]);
        }
        auto const committed = choose_transfer(rows, Flags(rows.size(), 1), 1, policy);
        masked -= std::max<std::int64_t>(std::count(committed.begin(), committed.end(), 1), 1);
    }
    return steps;
}

Accuracy accuracy(AccuracyKey const& key, ProxyConstants const& c, TrueSamplings const& truths) {
    auto const& truth = truths.get(key.vocab, true_sampling, c);
    auto const whole_vectors = [&](std::int64_t logits) { return logits / key.vlen * key.vlen; };
    RowWalk const walk{
        .vlen = key.vlen, .chunk = whole_vectors(key.chunk), .accumulator = key.accumulator, .passes = key.passes};
    auto const policy = policy_of(key.remasking, key.limit);
    std::vector<float> logits(static_cast<std::size_t>(key.vocab));
    auto const walked = std::span(logits).first(static_cast<std::size_t>(whole_vectors(key.vocab)));
    Accuracy sum;
    for (std::int64_t block = 0; block < c.blocks; ++block) {
        std::vector<RowResult> rows;
        for (std::int64_t row = block * c.block_length; row < (block + 1) * c.block_length; ++row) {
            synthetic_row(c, row, logits);
            through_hbm(walked, key.element, key.mx_block);
            rows.push_back(stable_max(walked, walk));
            sum.argmax_agreement += rows.back().index == truth.index[static_cast<std::size_t>(row)] ? 1.0 : 0.0;
        }
        Flags const masked(rows.size(), 1);
        auto const transfer = choose_transfer(rows, masked, c.transfers, policy);
        auto const at = static_cast<std::size_t>(block);
        auto const wanted = policy.remasking == Remasking::low_confidence
                                ? truth.transfer[at]
                                : choose_transfer(truth.rows[at], masked, c.transfers, policy);
        sum.transfer_overlap += jaccard(transfer, wanted);
    }
    return {sum.argmax_agreement / static_cast<double>(c.blocks * c.block_length),
            sum.transfer_overlap / static_cast<double>(c.blocks)};
}

}  // namespace

AccuracyKey AccuracyKey::of(Design const& d) {
    return {.element = d.element,
            .mx_block = d.mx_block,
            .accumulator = d.accumulator,
            .vocab = d.vocab,
            .vlen = d.vlen,
            .passes = d.passes,
            .chunk = d.passes == Passes::one ? d.v_chunk : d.vocab,
            .remasking = d.remasking,
            .limit = limit_of(d)};
}

Accuracy AccuracyProxy::of(Design const& d, ProxyConstants const& c) const {
    return accuracies_.get(AccuracyKey::of(d), accuracy, c, truths_);
}

std::int64_t AccuracyProxy::steps_needed(Design const& d, ProxyConstants const& c) const {
    if (!d.may_end_early()) return d.steps;
    std::vector<RowResult> pool;
    for (auto const& block : truths_.get(d.vocab, true_sampling, c).rows)
        pool.insert(pool.end(), block.begin(), block.end());
    auto const policy = policy_of(d.remasking, limit_of(d));
    std::int64_t steps = 0;
    for (std::int64_t block = 0; block < c.blocks; ++block)
        steps += steps_of_block(pool, policy, d, c.seed + static_cast<std::uint64_t>(block));
    return sim::divide_up(steps, c.blocks);
}

}  // namespace pimdse::models::dplena
