#include "models/dplena/numerics/decided.hpp"

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

}  // namespace

std::vector<double> Confidences::ends(Rows rows, std::size_t high) const {
    std::vector<double> confidences(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
        confidences[i] = i < high ? known_[rows[i]].high : known_[rows[i]].low;
    return confidences;
}

std::int64_t Confidences::number(Rows rows, std::size_t high, std::int64_t k, TransferPolicy const& policy) const {
    auto const confidences = ends(rows, high);
    if (policy.remasking == Remasking::low_confidence)
        return std::min(k, std::count_if(confidences.begin(), confidences.end(), [](double c) { return c > 0.0; }));
    auto const flags = choice(confidences, k, policy);
    return std::count(flags.begin(), flags.end(), 1);
}

std::int64_t Confidences::before(Rows rows, std::size_t i, bool surely) const {
    auto const mine = surely ? known_[rows[i]].high : known_[rows[i]].low;
    std::int64_t count = 0;
    for (std::size_t j = 0; j < rows.size(); ++j) {
        auto const other = surely ? known_[rows[j]].low : known_[rows[j]].high;
        count += j != i && (other > mine || (other == mine && j < i)) ? 1 : 0;
    }
    return count;
}

PartlyChosen Confidences::partly_chosen(std::size_t first, std::size_t count, std::int64_t k,
                                        TransferPolicy const& policy) const {
    auto const rows = rows_from(first, count);
    // Greater confidences never lower the number.
    auto const least = number(rows, 0, k, policy), most = number(rows, count, k, policy);
    PartlyChosen chosen{Flags(count, 0), Flags(count, 0)};
    for (std::size_t i = 0; i < count; ++i) {
        chosen.surely[i] = known_[rows[i]].low > 0.0 && before(rows, i, false) < least ? 1 : 0;
        chosen.maybe[i] = before(rows, i, true) < most ? 1 : 0;
    }
    return chosen;
}

Flags Confidences::likely_chosen(std::size_t first, std::size_t count, std::int64_t k,
                                 TransferPolicy const& policy) const {
    std::vector<double> middles(count);
    for (std::size_t i = 0; i < count; ++i) middles[i] = std::midpoint(known_[first + i].low, known_[first + i].high);
    return choice(middles, k, policy);
}

bool Confidences::number_is_known(Rows rows, std::int64_t k, TransferPolicy const& policy) {
    // Greater confidences never lower the number. Where it grows from one row to the next, that row decides.
    auto const least = number(rows, 0, k, policy);
    if (least == number(rows, rows.size(), k, policy)) return true;
    std::size_t few = 0, enough = rows.size();
    while (few + 1 < enough) {
        auto const middle = std::midpoint(few, enough);
        (number(rows, middle, k, policy) == least ? few : enough) = middle;
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
    auto const rows = rows_from(first, count);
    for (;;) {
        // Also of the k best: a row of which nothing is known may be one that is never chosen.
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

}  // namespace pimdse::models::dplena
