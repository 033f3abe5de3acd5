#include "models/dplena/numerics/accuracy.hpp"

#include "models/dplena/numerics/decided.hpp"
#include "models/dplena/numerics/drawn.hpp"
#include "models/dplena/numerics/formats.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <mutex>

namespace pimdse::models::dplena {
namespace {

double jaccard(Flags const& a, Flags const& b) {
    double both = 0.0, either = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        both += (a[i] & b[i]) != 0 ? 1.0 : 0.0;
        either += (a[i] | b[i]) != 0 ? 1.0 : 0.0;
    }
    return either == 0.0 ? 1.0 : both / either;
}

/// Bounds of the Jaccard index of two partly known sets.
Range jaccard(PartlyChosen const& a, PartlyChosen const& b) {
    double both_lower = 0.0, both_upper = 0.0, either_lower = 0.0, either_upper = 0.0;
    for (std::size_t i = 0; i < a.maybe.size(); ++i) {
        both_lower += (a.surely[i] & b.surely[i]) != 0 ? 1.0 : 0.0;
        both_upper += (a.maybe[i] & b.maybe[i]) != 0 ? 1.0 : 0.0;
        either_lower += (a.surely[i] | b.surely[i]) != 0 ? 1.0 : 0.0;
        either_upper += (a.maybe[i] | b.maybe[i]) != 0 ? 1.0 : 0.0;
    }
    return {either_upper == 0.0 ? 1.0 : both_lower / either_upper,
            either_lower == 0.0 ? 1.0 : std::min(1.0, both_upper / either_lower)};
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

TrueRow walked_true_row(TrueRowKey const& key, ProxyConstants const& c) {
    std::vector<float> logits(static_cast<std::size_t>(key.vocabulary));
    synthetic_row(c, key.row, logits);
    if (key.temperature > 0.0) {
        auto const drawn = drawn_in_double(logits, RowNoise(c, key.row), key.temperature);
        return {drawn.confidence, drawn.index};
    }
    auto const result = softmax(logits);
    return {result.confidence, result.index};
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

/// Number of steps of one synthetic block of this design.
std::int64_t steps_of_block(Confidences& pool, std::size_t size, TransferPolicy const& policy, Design const& d,
                            std::uint64_t stream) {
    std::int64_t steps = 0;
    for (auto masked = d.block_length; masked > 0 && steps < d.steps; ++steps) {
        std::vector<std::size_t> rows;
        for (std::int64_t i = 0; i < masked; ++i) {
            auto const draw = uniform(stream, static_cast<std::uint64_t>(steps), static_cast<std::uint64_t>(i));
            rows.push_back(static_cast<std::size_t>(draw * static_cast<double>(size)));
        }
        masked -= std::max<std::int64_t>(pool.number_chosen(rows, policy), 1);
    }
    return steps;
}

/// Confidences of tokens that are drawn from the synthetic rows, by synthetic_draw, rounded to floats.
Confidences drawn_confidences(Design const& d, ProxyConstants const& c) {
    std::vector<std::optional<BoundedRow>> rows;
    for (std::int64_t row = 0; row < c.blocks * c.block_length; ++row) {
        auto const draw = static_cast<float>(synthetic_draw(c, peaks_of(c, row, d.vocab), d.vocab, d.temperature, row));
        rows.push_back(BoundedRow{{double{draw}, double{draw}}, 0});
    }
    return {rows, std::identity(), [](std::size_t) { return 0.0; }};
}

RowsOfVocabulary rows_of(std::int64_t vocabulary, ProxyConstants const& c, BulkSums const& bulks) {
    auto const& sums = bulks.up_to(vocabulary, c);
    RowsOfVocabulary rows;
    for (std::int64_t row = 0; row < c.blocks * c.block_length; ++row) {
        rows.peaks.push_back(peaks_of(c, row, vocabulary));
        rows.bounds.push_back(bound_true_row(c, rows.peaks.back(), sums[row], vocabulary));
    }
    return rows;
}

/// The rows of a vocabulary in FP64.
class TrueRows {
  public:
    TrueRows(std::int64_t vocabulary, ProxyConstants const& c, RowMemory const& memory)
        : vocabulary_(vocabulary),
          constants_(c),
          memory_(memory),
          bounds_(memory.known.get(vocabulary, rows_of, c, memory.bulks).bounds) {}

    /// Index of the first largest logit.
    [[nodiscard]] std::int64_t index(std::size_t row) const {
        return bounds_[row] ? bounds_[row]->index : walked(row).index;
    }
    /// Index of the first largest logit if the bounds decide it, otherwise nullopt.
    [[nodiscard]] std::optional<std::int64_t> known_index(std::size_t row) const {
        return bounds_[row] ? std::optional(bounds_[row]->index) : std::nullopt;
    }
    /// Confidences in FP64, or rounded to floats.
    [[nodiscard]] Confidences confidences(bool floats) const {
        auto const rounded = [floats](double x) { return floats ? static_cast<double>(static_cast<float>(x)) : x; };
        return {bounds_, rounded, [=, this](std::size_t row) { return rounded(walked(row).confidence); }};
    }

  private:
    [[nodiscard]] TrueRow const& walked(std::size_t row) const {
        return memory_.walked.get({vocabulary_, static_cast<std::int64_t>(row), 0.0}, walked_true_row, constants_);
    }

    std::int64_t vocabulary_;
    ProxyConstants const& constants_;
    RowMemory const& memory_;
    std::vector<std::optional<BoundedRow>> const& bounds_;
};

SeenRow seen_by(AccuracyKey const& key) {
    auto const whole_vectors = [&](std::int64_t logits) { return logits / key.vlen * key.vlen; };
    RowWalk const walk{
        .vlen = key.vlen, .chunk = whole_vectors(key.chunk), .accumulator = key.accumulator, .passes = key.passes};
    return {.logits = whole_vectors(key.vocab), .element = key.element, .mx_block = key.mx_block, .walk = walk};
}

/// The rows of a vocabulary in the functional model.
class SeenRows {
  public:
    SeenRows(AccuracyKey const& key, ProxyConstants const& c, RowMemory const& memory)
        : constants_(c), seen_(seen_by(key)), vocabulary_(static_cast<std::size_t>(key.vocab)) {
        auto const& sums = memory.bulks.up_to(key.vocab, c);
        auto const& peaks = memory.known.get(key.vocab, rows_of, c, memory.bulks).peaks;
        bounds_.reserve(peaks.size());
        for (std::size_t row = 0; row < peaks.size(); ++row)
            bounds_.push_back(bound_seen_row(c, seen_, peaks[row], sums[static_cast<std::int64_t>(row)]));
    }

    /// Number of rows whose arg-max equals that of FP64.
    [[nodiscard]] std::int64_t agreeing(TrueRows const& truth) {
        std::int64_t same = 0;
        for (std::size_t row = 0; row < bounds_.size(); ++row) {
            auto const index = truth.index(row);
            if (index >= seen_.logits) continue;
            same += (bounds_[row] ? bounds_[row]->index : walked(row).index) == index ? 1 : 0;
        }
        return same;
    }
    /// The same from bounds alone: the number of rows that certainly agree, and of those that are undecided.
    [[nodiscard]] std::pair<std::int64_t, std::int64_t> known_to_agree(TrueRows const& truth) const {
        std::int64_t same = 0, open = 0;
        for (std::size_t row = 0; row < bounds_.size(); ++row) {
            auto const index = truth.known_index(row);
            if (index && *index >= seen_.logits) continue;
            bool const known = index && bounds_[row];
            open += known ? 0 : 1;
            same += known && bounds_[row]->index == *index ? 1 : 0;
        }
        return {same, open};
    }
    [[nodiscard]] Confidences confidences() {
        return {bounds_, std::identity(), [this](std::size_t row) { return double{walked(row).confidence}; }};
    }

  private:
    RowResult walked(std::size_t row) {
        logits_.resize(vocabulary_);
        synthetic_row(constants_, static_cast<std::int64_t>(row), logits_);
        auto const walked = std::span(logits_).first(static_cast<std::size_t>(seen_.logits));
        through_hbm(walked, seen_.element, seen_.mx_block);
        return stable_max(walked, seen_.walk);
    }

    ProxyConstants const& constants_;
    SeenRow seen_;
    std::size_t vocabulary_;
    std::vector<float> logits_;  // of the current row
    std::vector<std::optional<BoundedRow>> bounds_;
};

double overlap(AccuracyKey const& key, ProxyConstants const& c, TrueRows const& truth, SeenRows& seen) {
    if (key.remasking == Remasking::random) return 1.0;  // independent of confidences
    auto const policy = policy_of(key.remasking, key.limit);
    auto wanted = truth.confidences(key.remasking != Remasking::low_confidence);
    auto found = seen.confidences();
    auto const length = static_cast<std::size_t>(c.block_length);
    double sum = 0.0;
    for (std::size_t block = 0; block < static_cast<std::size_t>(c.blocks); ++block) {
        sum += jaccard(found.chosen(block * length, length, c.transfers, policy),
                       wanted.chosen(block * length, length, c.transfers, policy));
    }
    return sum / static_cast<double>(c.blocks);
}

/// Bounds of `overlap` from bounds of the confidences on both sides.
sim::Bounded bounded_overlap(AccuracyKey const& key, ProxyConstants const& c, TrueRows const& truth, SeenRows& seen) {
    if (key.remasking == Remasking::random) return 1.0;
    auto const policy = policy_of(key.remasking, key.limit);
    auto const wanted = truth.confidences(key.remasking != Remasking::low_confidence);
    auto const found = seen.confidences();
    auto const length = static_cast<std::size_t>(c.block_length);
    double lower = 0.0, upper = 0.0, likely = 0.0;
    for (std::size_t block = 0; block < static_cast<std::size_t>(c.blocks); ++block) {
        auto const first = block * length;
        auto const ends = jaccard(found.partly_chosen(first, length, c.transfers, policy),
                                  wanted.partly_chosen(first, length, c.transfers, policy));
        auto const middle = jaccard(found.likely_chosen(first, length, c.transfers, policy),
                                    wanted.likely_chosen(first, length, c.transfers, policy));
        lower += ends.lower;
        upper += ends.upper;
        likely += std::clamp(middle, ends.lower, ends.upper);
    }
    auto const blocks = static_cast<double>(c.blocks);
    return sim::Bounded::within(likely / blocks, lower / blocks, upper / blocks, sim::Bound::proved);
}

/// Bounds of what is drawn: none are known; the estimate is that of the most likely tokens.
AccuracyBounds drawn_bounds(AccuracyKey const& key, AccuracyBounds const& greedy) {
    auto const open = [](sim::Bounded const& known) {
        return sim::Bounded::within(known.value, 0.0, 1.0, sim::Bound::proved);
    };
    return {open(greedy.argmax_agreement),
            key.remasking == Remasking::random ? greedy.transfer_overlap : open(greedy.transfer_overlap)};
}

AccuracyBounds accuracy_bounds(AccuracyKey const& key, ProxyConstants const& c, RowMemory const& memory) {
    if (key.temperature > 0.0) {
        auto greedy = key;
        greedy.temperature = 0.0;
        return drawn_bounds(key, accuracy_bounds(greedy, c, memory));
    }
    TrueRows const truth(key.vocab, c, memory);
    SeenRows seen(key, c, memory);
    auto const [same, open] = seen.known_to_agree(truth);
    auto const share = [&](double rows) { return rows / static_cast<double>(c.blocks * c.block_length); };
    auto const min = static_cast<double>(same), more = static_cast<double>(open);
    return {sim::Bounded::within(share(min + more / 2.0), share(min), share(min + more), sim::Bound::proved),
            bounded_overlap(key, c, truth, seen)};
}

/// What the NPU draws and commits, and what FP64 does with the same noise. Every row is evaluated.
Accuracy drawn_accuracy(AccuracyKey const& key, ProxyConstants const& c, RowMemory const& memory) {
    auto const seen_row = seen_by(key);
    auto const policy = policy_of(key.remasking, key.limit);
    auto const length = static_cast<std::size_t>(c.block_length);
    std::vector<float> logits(static_cast<std::size_t>(key.vocab));
    Accuracy sum;
    for (std::int64_t block = 0; block < c.blocks; ++block) {
        std::vector<double> wanted;
        std::vector<RowResult> as_floats, seen;
        for (auto row = block * c.block_length; row < (block + 1) * c.block_length; ++row) {
            auto const& truth = memory.walked.get({key.vocab, row, key.temperature}, walked_true_row, c);
            wanted.push_back(truth.confidence);
            as_floats.push_back({.confidence = static_cast<float>(truth.confidence)});
            synthetic_row(c, row, logits);
            auto const walked = std::span(logits).first(static_cast<std::size_t>(seen_row.logits));
            through_hbm(walked, key.element, key.mx_block);
            seen.push_back(drawn_by_npu(walked, RowNoise(c, row), key.temperature, seen_row.walk));
            sum.argmax_agreement += seen.back().index == truth.index ? 1.0 : 0.0;
        }
        Flags const masked(length, 1);
        auto const right = key.remasking == Remasking::low_confidence
                               ? top_k_mask(wanted, masked, c.transfers)
                               : choose_transfer(as_floats, masked, c.transfers, policy);
        sum.transfer_overlap += jaccard(choose_transfer(seen, masked, c.transfers, policy), right);
    }
    auto const blocks = static_cast<double>(c.blocks);
    return {sum.argmax_agreement / (blocks * static_cast<double>(length)), sum.transfer_overlap / blocks};
}

Accuracy accuracy(AccuracyKey const& key, ProxyConstants const& c, RowMemory const& memory) {
    if (key.temperature > 0.0) return drawn_accuracy(key, c, memory);
    TrueRows const truth(key.vocab, c, memory);
    SeenRows seen(key, c, memory);
    return {static_cast<double>(seen.agreeing(truth)) / static_cast<double>(c.blocks * c.block_length),
            overlap(key, c, truth, seen)};
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
            .limit = limit_of(d),
            .temperature = d.temperature};
}

Accuracy AccuracyProxy::of(Design const& d, ProxyConstants const& c) const {
    return accuracies_.get(AccuracyKey::of(d), accuracy, c, rows_);
}

AccuracyBounds AccuracyProxy::bounds_of(Design const& d, ProxyConstants const& c) const {
    return bounds_.get(AccuracyKey::of(d), accuracy_bounds, c, rows_);
}

std::int64_t AccuracyProxy::steps_needed(Design const& d, ProxyConstants const& c) const {
    if (!d.may_end_early()) return d.steps;
    TrueRows const truth(d.vocab, c, rows_);
    auto pool = d.is_noisy() ? drawn_confidences(d, c) : truth.confidences(true);
    auto const rows = static_cast<std::size_t>(c.blocks * c.block_length);
    auto const policy = policy_of(d.remasking, limit_of(d));
    std::int64_t steps = 0;
    for (std::int64_t block = 0; block < c.blocks; ++block)
        steps += steps_of_block(pool, rows, policy, d, c.seed + static_cast<std::uint64_t>(block));
    return sim::divide_up(steps, c.blocks);
}

std::shared_ptr<AccuracyProxy const> shared_proxy(ProxyConstants const& constants) {
    static std::mutex mutex;
    static std::map<ProxyConstants, std::weak_ptr<AccuracyProxy const>> living;
    std::lock_guard const lock(mutex);
    std::erase_if(living, [](auto const& entry) { return entry.second.expired(); });
    auto proxy = living[constants].lock();
    if (!proxy) living[constants] = proxy = std::make_shared<AccuracyProxy const>();
    return proxy;
}

}  // namespace pimdse::models::dplena
