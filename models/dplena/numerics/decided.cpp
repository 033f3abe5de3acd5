#include "models/dplena/numerics/decided.hpp"

#include <algorithm>
#include <numeric>

namespace pimdse::models::dplena {

Flags Confidences::choice(Rows rows, std::size_t high, std::int64_t k, TransferPolicy const& policy) const {
    auto const confidence = [&](std::size_t i) { return i < high ? known_[rows[i]].high : known_[rows[i]].low; };
    Flags const masked(rows.size(), 1);
    if (policy.remasking == Remasking::low_confidence) {
        std::vector<double> scores(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) scores[i] = confidence(i);
        return top_k_mask(scores, masked, k);
    }
    std::vector<RowResult> results(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) results[i].confidence = static_cast<float>(confidence(i));
    return choose_transfer(results, masked, k, policy);
}

std::int64_t Confidences::number(Rows rows, std::size_t high, TransferPolicy const& policy) const {
    auto const flags = choice(rows, high, 1, policy);
    return std::count(flags.begin(), flags.end(), 1);
}

bool Confidences::number_is_known(Rows rows, TransferPolicy const& policy) {
    // Greater confidences never lower the number. Where it grows from one row to the next, that row decides.
    auto const least = number(rows, 0, policy);
    if (least == number(rows, rows.size(), policy)) return true;
    std::size_t few = 0, enough = rows.size();
    while (few + 1 < enough) {
        auto const middle = std::midpoint(few, enough);
        (number(rows, middle, policy) == least ? few : enough) = middle;
    }
    look_at(rows[few]);
    return false;
}

bool Confidences::order_is_known(Rows rows, Flags const& chosen) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t j = 0; j < rows.size(); ++j) {
            if (chosen[i] == 0 || chosen[j] != 0) continue;
            auto const &in = known_[rows[i]], &out = known_[rows[j]];
            if (in.low > out.high || (is_exact(rows[i]) && is_exact(rows[j]))) continue;
            auto const width = [](Range const& range) { return range.high - range.low; };
            look_at(width(in) > width(out) ? rows[i] : rows[j]);
            return false;
        }
    }
    return true;
}

Flags Confidences::chosen(std::size_t first, std::size_t count, std::int64_t k, TransferPolicy const& policy) {
    std::vector<std::size_t> rows(count);
    std::iota(rows.begin(), rows.end(), first);
    bool const counts_by_confidence = policy.remasking == Remasking::threshold || policy.remasking == Remasking::factor;
    for (;;) {
        if (counts_by_confidence && !number_is_known(rows, policy)) continue;
        auto flags = choice(rows, 0, k, policy);
        if (order_is_known(rows, flags)) return flags;
    }
}

std::int64_t Confidences::number_chosen(Rows rows, TransferPolicy const& policy) {
    while (!number_is_known(rows, policy)) {
    }
    return number(rows, 0, policy);
}

}  // namespace pimdse::models::dplena
