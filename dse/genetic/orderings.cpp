#include "dse/genetic/orderings.hpp"

#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace pimdse::dse::genetic {

Ordering ordering_of(std::uint64_t rank, std::size_t items) {
    sim::expects(items >= 1 && rank < sim::factorial(items), "the rank of an ordering is below n!");
    Ordering left(items), ordering;
    std::iota(left.begin(), left.end(), std::uint8_t{0});
    for (std::uint64_t block = sim::factorial(items); !left.empty();) {
        block /= left.size();
        auto const chosen = left.begin() + static_cast<std::ptrdiff_t>(rank / block);
        rank %= block;
        ordering.push_back(*chosen);
        left.erase(chosen);
    }
    return ordering;
}

std::uint64_t rank_of(Ordering const& ordering) {
    std::uint64_t rank = 0;
    for (auto at = ordering.begin(); at != ordering.end(); ++at) {
        auto const smaller = std::count_if(at, ordering.end(), [&](auto item) { return item < *at; });
        rank = rank * static_cast<std::uint64_t>(ordering.end() - at) + static_cast<std::uint64_t>(smaller);
    }
    return rank;
}

void insert_elsewhere(Ordering& ordering, std::size_t from, std::size_t to) {
    auto const at = [&](std::size_t place) { return ordering.begin() + static_cast<std::ptrdiff_t>(place); };
    if (from < to)
        std::rotate(at(from), at(from + 1), at(to + 1));
    else
        std::rotate(at(to), at(from), at(from + 1));
}

Ordering crossed(Ordering const& one, Ordering const& other, Dice& dice) {
    std::size_t first = dice.below(one.size()), last = dice.below(one.size());
    if (first > last) std::swap(first, last);
    auto const stays = [&](std::uint8_t item) {
        auto const place = static_cast<std::size_t>(std::find(one.begin(), one.end(), item) - one.begin());
        return place >= first && place <= last;
    };
    Ordering child = one;
    std::size_t into = 0;
    for (auto const item : other) {
        if (stays(item)) continue;
        if (into == first) into = last + 1;
        child[into++] = item;
    }
    return child;
}

}  // namespace pimdse::dse::genetic
