#include "models/dplena/numerics/accuracy_guess.hpp"

#include "models/dplena/numerics/formats.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pimdse::models::dplena {
namespace {

/// A row as far as its two largest logits tell it.
struct Seen {
    double largest = 0.0, runner_up = 0.0;
    std::int32_t index = -1;  ///< -1: the peak was not walked
    void take(float value, std::size_t place) {
        auto const at = static_cast<std::int32_t>(place);
        bool const before = value == largest && at < index;
        if (index >= 0 && value < largest) runner_up = std::max(runner_up, static_cast<double>(value));
        if (index >= 0 && !(value > largest) && !before) return;
        if (index >= 0) runner_up = std::max(runner_up, largest);
        largest = value;
        index = at;
    }
};

/// Mean of e to the power of the bulk's logits, four uniforms each.
double mean_exponential(ProxyConstants const& c) {
    auto const half = c.bulk_spread * std::numbers::sqrt3 / 2.0;
    return half == 0.0 ? 1.0 : std::pow(std::sinh(half) / half, 4);
}

RowResult result_of(Seen const& seen, ProxyConstants const& c, double logits) {
    auto const bulk = logits * mean_exponential(c) * std::exp(-seen.largest);
    auto const sum = static_cast<float>(1.0 + std::exp(seen.runner_up - seen.largest) + bulk);
    return {.confidence = 1.0F / sum, .sum = sum, .index = seen.index};
}

Seen seen_truly(Peaks const& peaks) {
    Seen seen;
    seen.take(peaks.value, peaks.place);
    if (peaks.runner_up_place != peaks.place) seen.take(peaks.runner_up, peaks.runner_up_place);
    return seen;
}

/// The blocks of both logits as they come out of HBM; what lies behind the last whole vector is not walked.
Seen seen_through(AccuracyKey const& key, ProxyConstants const& c, std::int64_t row, Peaks const& peaks) {
    auto const size = static_cast<std::size_t>(key.mx_block);
    auto const walked = static_cast<std::size_t>(key.vocab / key.vlen * key.vlen);
    std::vector<float> block(size);
    Seen seen;
    auto const take = [&](std::size_t place) {
        auto const first = place / size * size;
        synthetic_part(c, row, static_cast<std::size_t>(key.vocab), first, block);
        through_hbm(block, key.element, key.mx_block);
        for (std::size_t i = 0; i < size; ++i) seen.take(block[i], first + i);
    };
    if (peaks.place >= walked) return seen;
    take(peaks.place);
    if (peaks.runner_up_place < walked && peaks.runner_up_place / size != peaks.place / size)
        take(peaks.runner_up_place);
    return seen;
}

/// Whether no logit of the bulk is rounded to the power of two below every peak, which no peak is rounded below: by
/// formats of two bits or more behind the point, half a step of the coarsest is a sixteenth of that power.
bool bulk_stays_below(ProxyConstants const& c) {
    auto const most = c.bulk_spread * 2.0 * std::numbers::sqrt3;
    return 16 * most < 15 * std::exp2(std::floor(std::log2(c.peak_low)));
}

AccuracyGuess guess(AccuracyKey const& key, ProxyConstants const& c) {
    auto const policy = policy_of(key.remasking, key.limit);
    auto const logits = static_cast<double>(key.vocab);
    AccuracyGuess all{.value = {}, .argmax_exact = bulk_stays_below(c)};
    for (std::int64_t block = 0; block < c.blocks; ++block) {
        std::vector<RowResult> rows, truth;
        for (auto row = block * c.block_length; row < (block + 1) * c.block_length; ++row) {
            auto const peaks = peaks_of(c, row, static_cast<std::size_t>(key.vocab));
            truth.push_back(result_of(seen_truly(peaks), c, logits));
            rows.push_back(result_of(seen_through(key, c, row, peaks), c, logits));
            all.value.argmax_agreement += rows.back().index == truth.back().index ? 1.0 : 0.0;
        }
        Flags const masked(rows.size(), 1);
        all.value.transfer_overlap += jaccard(choose_transfer(rows, masked, c.transfers, policy),
                                              choose_transfer(truth, masked, c.transfers, policy));
    }
    all.value.argmax_agreement /= static_cast<double>(c.blocks * c.block_length);
    all.value.transfer_overlap /= static_cast<double>(c.blocks);
    return all;
}

}  // namespace

AccuracyGuess AccuracyGuesses::of(Design const& d, ProxyConstants const& c) const {
    return guesses_.get(AccuracyKey::of(d), guess, c);
}

}  // namespace pimdse::models::dplena
