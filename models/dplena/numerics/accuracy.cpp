#include "models/dplena/numerics/accuracy.hpp"

#include "models/dplena/numerics/formats.hpp"
#include "models/dplena/numerics/hash.hpp"

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
        for (std::int64_t row = block * c.block_length; row < (block + 1) * c.block_length; ++row) {
            synthetic_row(c, row, logits);
            auto const result = softmax(logits);
            truth.index.push_back(result.index);
            confidences.push_back(result.confidence);
        }
        truth.transfer.push_back(top_k_mask(confidences, Flags(confidences.size(), 1), c.transfers));
    }
    return truth;
}

Accuracy accuracy(AccuracyKey const& key, ProxyConstants const& c, TrueSamplings const& truths) {
    auto const& truth = truths.get(key.vocab, true_sampling, c);
    auto const whole_vectors = [&](std::int64_t logits) { return logits / key.vlen * key.vlen; };
    RowWalk const walk{
        .vlen = key.vlen, .chunk = whole_vectors(key.chunk), .accumulator = key.accumulator, .passes = key.passes};
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
        auto const transfer = choose_transfer(rows, Flags(rows.size(), 1), c.transfers, {});
        sum.transfer_overlap += jaccard(transfer, truth.transfer[static_cast<std::size_t>(block)]);
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
            .chunk = d.passes == Passes::one ? d.v_chunk : d.vocab};
}

Accuracy AccuracyProxy::of(Design const& d, ProxyConstants const& c) const {
    return accuracies_.get(AccuracyKey::of(d), accuracy, c, truths_);
}

}  // namespace pimdse::models::dplena
