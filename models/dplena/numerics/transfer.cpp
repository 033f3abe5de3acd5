#include "models/dplena/numerics/transfer.hpp"

#include "models/dplena/numerics/hash.hpp"

#include <algorithm>

namespace pimdse::models::dplena {
namespace {

/// Scores that top_k_mask ranks as the policy wants: a smaller sum is a greater confidence.
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

/// Candidates by rank, greater score first, then lower position; scores that are not greater than 0 are left out.
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
