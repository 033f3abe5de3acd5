#pragma once

#include "sim/dram/mapping/gf2.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace pimdse::models::umdam {

/// Images of whole numbers under a linear map over GF(2), in coordinates of the images themselves: the numbers below
/// 1 << j have exactly the images below 1 << d for some d, each equally often, so that those of a run of numbers are a
/// few aligned ranges and nobody has to walk the run.
class LinearImages {
  public:
    using Word = sim::dram::gf2::Word;

    /// `bits` says what each bit of a number adds to its image; images that differ by a sum of `alike` are one.
    /// At most 64 of either.
    LinearImages(std::span<Word const> alike, std::span<Word const> bits);

    /// Dimension of what `alike` spans, and of the images that are told apart.
    [[nodiscard]] int alike() const { return alike_; }
    [[nodiscard]] int dimension() const { return below_[count_]; }

    /// Different images of the numbers from `first` on, `count` of them, all below 1 << bits.size().
    [[nodiscard]] std::int64_t different(std::uint64_t first, std::uint64_t count) const;
    /// The most of them that one of these runs has: `times` of them, `count` numbers each, one behind the other from 0.
    /// Stops looking at one that has more than `enough`.
    [[nodiscard]] std::int64_t most_different(std::uint64_t count, std::uint64_t times, std::int64_t enough) const;
    /// How many of the numbers below `count` have the image that most of them have.
    [[nodiscard]] std::int64_t most_alike(std::uint64_t count) const;

  private:
    struct Basis;
    /// Numbers first, first + 1, ... of a run whose images fill an aligned range of 1 << dimension.
    struct Block {
        Word image;  ///< of its first number
        int bits;    ///< 1 << bits numbers
    };
    static constexpr std::size_t most_blocks = 128;
    using Blocks = std::array<Block, most_blocks>;
    std::size_t cut(std::uint64_t first, std::uint64_t behind, Blocks& blocks) const;
    [[nodiscard]] Word image(std::uint64_t number) const;
    [[nodiscard]] bool holds(Block const& outer, Block const& inner) const;
    /// More than a run of `count` cannot have, wherever it begins.
    [[nodiscard]] std::int64_t limit(std::uint64_t count) const;
    /// Runs of `count` numbers behind this many have the images of earlier ones.
    [[nodiscard]] std::uint64_t period(std::uint64_t count) const;

    std::size_t count_ = 0;
    int alike_ = 0;
    std::array<Word, 64> of_bit_{};  ///< coordinates
    std::array<int, 65> below_{};    ///< dimension of the images of numbers below 1 << j
};

}  // namespace pimdse::models::umdam
