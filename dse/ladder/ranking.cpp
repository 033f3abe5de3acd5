#include "dse/ladder/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pimdse::dse::ladder {
namespace {

/// The reach of the finite corners of each objective.
struct CornerRange {
    double least = infinite, most = -infinite;

    void include(double value) {
        if (!std::isfinite(value)) return;
        least = std::min(least, value);
        most = std::max(most, value);
    }
    /// Rises with the value, also where rounding makes a difference of nothing.
    [[nodiscard]] double share(double value) const {
        if (!std::isfinite(value) || !(most > least)) return std::isinf(value) ? value : 0.0;
        return value / (most - least);
    }
};

std::vector<CornerRange> ranges_of(std::span<double const> corners, std::size_t objectives) {
    std::vector<CornerRange> ranges(objectives);
    for (std::size_t i = 0; i < corners.size(); ++i) ranges[i % objectives].include(corners[i]);
    return ranges;
}

/// Every step of it rises, or stays, with each number of the corner.
double sum_of(std::span<double const> corner, std::span<CornerRange const> ranges) {
    double sum = 0.0;
    bool unbounded = false;
    for (std::size_t i = 0; i < corner.size(); ++i) {
        unbounded = unbounded || corner[i] == -infinite;
        if (corner[i] != -infinite) sum += ranges[i].share(corner[i]);
    }
    return unbounded ? -infinite : sum;
}

}  // namespace

Ranking::Ranking(std::vector<Item> items, std::span<double const> corners, std::size_t objectives)
    : order_(std::move(items)) {
    auto const ranges = ranges_of(corners, objectives);
    auto const corner = [&](Item item) { return corners.subspan(item * objectives, objectives); };
    std::vector<double> sums(corners.size() / objectives);
    for (auto const item : order_) sums[item] = sum_of(corner(item), ranges);
    std::sort(order_.begin(), order_.end(), [&](Item a, Item b) {
        if (sums[a] != sums[b]) return sums[a] < sums[b];
        auto const x = corner(a), y = corner(b);
        auto const [at, other] = std::mismatch(x.begin(), x.end(), y.begin());
        return at == x.end() ? a < b : *at < *other;
    });
    ranks_.resize(sums.size());
    for (std::size_t rank = 0; rank < order_.size(); ++rank) ranks_[order_[rank]] = static_cast<std::uint32_t>(rank);
}

std::optional<Ranking::Item> Ranking::take() {
    if (!given_back_.empty() && (next_ == order_.size() || given_back_.front() < next_)) {
        std::ranges::pop_heap(given_back_, std::greater<>());
        auto const rank = given_back_.back();
        given_back_.pop_back();
        return order_[rank];
    }
    if (next_ == order_.size()) return std::nullopt;
    return order_[next_++];
}

void Ranking::give_back(std::span<Item const> items) {
    for (auto const item : items) {
        given_back_.push_back(ranks_[item]);
        std::ranges::push_heap(given_back_, std::greater<>());
    }
}

std::vector<Ranking::Item> Ranking::ahead(std::size_t most) const {
    std::vector<Item> items;
    for (auto const rank : given_back_) {
        if (items.size() < most) items.push_back(order_[rank]);
    }
    for (std::size_t rank = next_; rank < order_.size() && items.size() < most; ++rank) items.push_back(order_[rank]);
    return items;
}

}  // namespace pimdse::dse::ladder
