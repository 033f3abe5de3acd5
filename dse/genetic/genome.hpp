#pragma once

#include "dse/genetic/dice.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace pimdse::dse::genetic {

/// One of the numbers that make a point.
struct Gene {
    /// ordinal: neighbouring numbers are alike; choice: they are not; ordering: the rank of an ordering of `items`.
    enum class Kind : std::uint8_t { ordinal, choice, ordering };
    Kind kind = Kind::ordinal;
    std::uint64_t values = 1;  ///< it counts from 0 up to, but not, this
    std::size_t items = 0;     ///< of an ordering: `values` is their factorial
};
using Genome = std::vector<Gene>;

/// A point: a number for each gene of its genome.
struct CodedPoint {
    std::size_t genome = 0;
    std::vector<std::uint64_t> values;
    bool operator==(CodedPoint const&) const = default;
};

/// All points there are: those of one genome after those of the one before, each in mixed radix, the last gene fastest.
class Genomes {
  public:
    explicit Genomes(std::vector<Genome> genomes);

    [[nodiscard]] Genome const& of(CodedPoint const& point) const { return genomes_[point.genome]; }
    /// How many points there are, where 64 bits hold that.
    [[nodiscard]] std::optional<std::uint64_t> size() const { return size_; }
    /// The number of a point where 64 bits hold how many there are, else a hash of it.
    [[nodiscard]] std::uint64_t key(CodedPoint const& point) const;
    /// The point of a number; there are fewer than 2^64.
    [[nodiscard]] CodedPoint at(std::uint64_t number) const;
    /// Any genome, however many points it has, then any of its points.
    [[nodiscard]] CodedPoint random(Dice& dice) const;

  private:
    [[nodiscard]] std::uint64_t hash(CodedPoint const& point) const;
    std::vector<Genome> genomes_;
    std::vector<std::uint64_t> firsts_;  ///< numbers of the first points of each, where there is a size
    std::optional<std::uint64_t> size_ = 0;
};

}  // namespace pimdse::dse::genetic
