#include "sim/base/random.hpp"

#include "sim/base/check.hpp"

#include <bit>

namespace pimdse::sim {

Shuffle::Shuffle(std::uint64_t size, std::uint64_t seed) : size_(size), seed_(mixed_bits(seed)) {
    expects(size > 0, "the set to shuffle is not empty");
    half_bits_ = (static_cast<unsigned>(std::bit_width(size - 1)) + 1) / 2;
    if (half_bits_ == 0) half_bits_ = 1;
}

std::uint64_t Shuffle::permuted(std::uint64_t x) const {
    std::uint64_t const mask = (std::uint64_t{1} << half_bits_) - 1;
    std::uint64_t left = x >> half_bits_;
    std::uint64_t right = x & mask;
    for (std::uint64_t round = 0; round < 4; ++round) {
        std::uint64_t const next = left ^ (mixed_bits(seed_ ^ mixed_bits(right + (round << 56))) & mask);
        left = right;
        right = next;
    }
    return (left << half_bits_) | right;
}

std::uint64_t Shuffle::at(std::uint64_t position) const {
    expects(position < size_, "the position is inside the shuffled set");
    std::uint64_t x = permuted(position);
    while (x >= size_) x = permuted(x);
    return x;
}

}  // namespace pimdse::sim
