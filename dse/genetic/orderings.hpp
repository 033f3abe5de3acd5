#pragma once

#include "dse/genetic/dice.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pimdse::dse::genetic {

/// The numbers from 0 to n-1, at most 20 of them, in some order.
using Ordering = std::vector<std::uint8_t>;

/// The ordering of this rank in lexicographic order (its Lehmer code), and back.
[[nodiscard]] Ordering ordering_of(std::uint64_t rank, std::size_t items);
[[nodiscard]] std::uint64_t rank_of(Ordering const& ordering);

/// What stood at `from` stands at `to`, and what lies between has moved up.
void insert_elsewhere(Ordering& ordering, std::size_t from, std::size_t to);

/// Order crossover (Davis, 1985): a stretch of the one stays where it is, the rest in the order of the other.
[[nodiscard]] Ordering crossed(Ordering const& one, Ordering const& other, Dice& dice);

}  // namespace pimdse::dse::genetic
