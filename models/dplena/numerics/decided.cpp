#include "models/dplena/numerics/decided.hpp"

#include "models/dplena/numerics/synthetic.hpp"

#include <algorithm>
#include <numeric>

namespace pimdse::models::dplena {

namespace {

Flags choice(std::vector<double> const& confidences, std::int64_t k, TransferPolicy const& policy) {
    Flags const masked(confidences.size(), 1);
    if (policy.remasking == Remasking::low_confidence) return top_k_mask(confidences, masked, k);
    std::vector<RowResult> results(confidences.size());
    for (std::size_t i = 0; i < confidences.size(); ++i) results[i].confidence = static_cast<float>(confidences[i]);
    return choose_transfer(results, masked, k, policy);
}

std::vector<std::size_t> rows_from(std::size_t first, std::size_t count) {
    std::vector<std::size_t> rows(count);
    std::iota(rows.begin(), rows.end(), first);
    return rows;
}

/// Scores for top_k_mask according to the policy; a smaller sum is a higher confidence.
std::vector<double> scores_of(std::span<RowResult const> rows, TransferPolicy const& policy) {
    std::vector<double> scores(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (policy.remasking == Remasking::random) {
            scores[i] = uniform(policy.seed, i, 0);
        } else if (policy.key == ConfidenceKey::sum && !rows[i].flagged) {
            scores[i] = 1.0 / static_cast<double>(rows[i].sum);
        } else {
            scores[i] = static_cast<double>(rows[i].confidence);
        }
    }
    return scores;
}

/// Candidates by rank: higher score first, then lower position. Scores of 0 and below are left out.
std::vector<std::size_t> ranked(std::span<double const> scores, Flags const& candidates) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        if (candidates[i] != 0 && scores[i] > 0.0) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
    return order;
}

Flags first_of(std::vector<std::size_t> const& order, std::size_t count, std::size_t size) {
    Flags chosen(size, 0);
    for (std::size_t i = 0; i < std::min(count, order.size()); ++i) chosen[order[i]] = 1;
    return chosen;
}

std::size_t run_above_factor(std::vector<std::size_t> const& order, std::span<double const> scores, float factor) {
    std::size_t length = 0;
    while (length < order.size() &&
           scores[order[length]] >= 1.0 - static_cast<double>(factor) / static_cast<double>(length + 2))
        ++length;
    return std::max<std::size_t>(length, 1);
}

}  // namespace

std::vector<double> Confidences::ends(Rows rows, std::size_t upper) const {
    std::vector<double> confidences(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
        confidences[i] = i < upper ? known_[rows[i]].upper : known_[rows[i]].lower;
    return confidences;
}

std::int64_t Confidences::number(Rows rows, std::size_t upper, std::int64_t k, TransferPolicy const& policy) const {
    auto const confidences = ends(rows, upper);
    if (policy.remasking == Remasking::low_confidence)
        return std::min(k, std::count_if(confidences.begin(), confidences.end(), [](double c) { return c > 0.0; }));
    auto const flags = choice(confidences, k, policy);
    return std::count(flags.begin(), flags.end(), 1);
}

std::int64_t Confidences::before(Rows rows, std::size_t i, bool surely) const {
    auto const mine = surely ? known_[rows[i]].upper : known_[rows[i]].lower;
    std::int64_t count = 0;
    for (std::size_t j = 0; j < rows.size(); ++j) {
        auto const other = surely ? known_[rows[j]].lower : known_[rows[j]].upper;
        count += j != i && (other > mine || (other == mine && j < i)) ? 1 : 0;
    }
    return count;
}

PartlyChosen Confidences::partly_chosen(std::size_t first, std::size_t count, std::int64_t k,
                                        TransferPolicy const& policy) const {
    auto const rows = rows_from(first, count);
    // The number never falls when confidences increase.
    auto const min = number(rows, 0, k, policy), max = number(rows, count, k, policy);
    PartlyChosen chosen{Flags(count, 0), Flags(count, 0)};
    for (std::size_t i = 0; i < count; ++i) {
        chosen.surely[i] = known_[rows[i]].lower > 0.0 && before(rows, i, false) < min ? 1 : 0;
        chosen.maybe[i] = before(rows, i, true) < max ? 1 : 0;
    }
    return chosen;
}

Flags Confidences::likely_chosen(std::size_t first, std::size_t count, std::int64_t k,
                                 TransferPolicy const& policy) const {
    std::vector<double> middles(count);
    for (std::size_t i = 0; i < count; ++i)
        middles[i] = std::midpoint(known_[first + i].lower, known_[first + i].upper);
    return choice(middles, k, policy);
}

bool Confidences::number_is_known(Rows rows, std::int64_t k, TransferPolicy const& policy) {
    // The number never falls when confidences increase. The row at which it grows first decides.
    auto const min = number(rows, 0, k, policy);
    if (min == number(rows, rows.size(), k, policy)) return true;
    std::size_t few = 0, enough = rows.size();
    while (few + 1 < enough) {
        auto const middle = std::midpoint(few, enough);
        (number(rows, middle, k, policy) == min ? few : enough) = middle;
    }
    evaluate(rows[few]);
    return false;
}

bool Confidences::order_is_known(Rows rows, Flags const& chosen) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t j = 0; j < rows.size(); ++j) {
            if (chosen[i] == 0 || chosen[j] != 0) continue;
            auto const &in = known_[rows[i]], &out = known_[rows[j]];
            if (in.lower > out.upper || (is_exact(rows[i]) && is_exact(rows[j]))) continue;
            auto const width = [](Range const& range) { return range.upper - range.lower; };
            evaluate(width(in) > width(out) ? rows[i] : rows[j]);
            return false;
        }
    }
    return true;
}

Flags Confidences::chosen(std::size_t first, std::size_t count, std::int64_t k, TransferPolicy const& policy) {
    auto const rows = rows_from(first, count);
    for (;;) {
        // This is necessary for the k best as well: a row without bounds may be one that is never chosen.
        if (!number_is_known(rows, k, policy)) continue;
        auto flags = choice(ends(rows, 0), k, policy);
        if (order_is_known(rows, flags)) return flags;
    }
}

std::int64_t Confidences::number_chosen(Rows rows, TransferPolicy const& policy) {
    while (!number_is_known(rows, 1, policy)) {
    }
    return number(rows, 0, 1, policy);
}

Flags top_k_mask(std::span<double const> scores, Flags const& candidates, std::int64_t k) {
    return first_of(ranked(scores, candidates), static_cast<std::size_t>(k), scores.size());
}

Flags choose_transfer(std::span<RowResult const> rows, Flags const& masked, std::int64_t k,
                      TransferPolicy const& policy) {
    auto const scores = scores_of(rows, policy);
    auto const order = ranked(scores, masked);
    auto count = static_cast<std::size_t>(k);
    if (policy.remasking == Remasking::threshold) {
        auto const above = std::count_if(order.begin(), order.end(),
                                         [&](std::size_t i) { return rows[i].confidence >= policy.threshold; });
        count = std::max<std::size_t>(static_cast<std::size_t>(above), 1);
    } else if (policy.remasking == Remasking::factor) {
        count = run_above_factor(order, scores, policy.factor);
    }
    return first_of(order, count, rows.size());
}

}  // namespace pimdse::models::dplena
