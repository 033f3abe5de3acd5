#pragma once

#include "sim/base/random.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

namespace pimdse::dse::search {

/// The whole part of limit * bits / 2^64: even bits become a whole number below `limit`, each as likely.
[[nodiscard]] constexpr std::uint64_t share_of(std::uint64_t bits, std::uint64_t limit) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(bits) * limit) >> 64);
}

/// Random numbers one after the other: a hash of a seed and of how many there were.
class Rng {
  public:
    explicit Rng(std::uint64_t seed) : seed_(sim::mixed_bits(seed)) {}

    std::uint64_t bits() { return sim::mixed_bits(seed_ + sim::golden_step * ++count_); }
    /// A whole number from 0 up to, but not, `limit`, which is at least 1.
    std::uint64_t below(std::uint64_t limit) { return share_of(bits(), limit); }
    /// From 0 up to, but not, 1.
    double fraction() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
    bool coin_flip() { return bits() >> 63 != 0; }

  private:
    std::uint64_t seed_, count_ = 0;
};

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
    [[nodiscard]] CodedPoint random(Rng& rng) const;

  private:
    [[nodiscard]] std::uint64_t hash(CodedPoint const& point) const;
    std::vector<Genome> genomes_;
    std::vector<std::uint64_t> firsts_;  ///< numbers of the first points of each, where there is a size
    std::optional<std::uint64_t> size_ = 0;
};

/// The numbers from 0 to n-1, at most 20 of them, in some order.
using Ordering = std::vector<std::uint8_t>;

/// The ordering of this rank in lexicographic order (its Lehmer code), and back.
[[nodiscard]] Ordering ordering_of(std::uint64_t rank, std::size_t items);
[[nodiscard]] std::uint64_t rank_of(Ordering const& ordering);

/// What stood at `from` stands at `to`, and what lies between has moved up.
void insert_elsewhere(Ordering& ordering, std::size_t from, std::size_t to);

/// Order crossover (Davis, 1985): a stretch of the one stays where it is, the rest in the order of the other.
[[nodiscard]] Ordering crossed(Ordering const& one, Ordering const& other, Rng& rng);

/// Remembers which points were taken and finds others. Where points are known by hashes, one whose hash is that of
/// another counts as taken with it.
class DuplicateFilter {
  public:
    DuplicateFilter(Genomes const& genomes, std::uint64_t seed) : genomes_(genomes), seed_(seed) {}

    [[nodiscard]] bool has(CodedPoint const& point) const { return !taken_.contains(genomes_.key(point)); }
    /// True if nobody took it before.
    bool take(CodedPoint const& point) { return taken_.insert(genomes_.key(point)).second; }
    /// Takes a random point that nobody took; nothing where there is none, or none that is found in many tries.
    [[nodiscard]] std::optional<CodedPoint> take_random(Rng& rng);

  private:
    [[nodiscard]] std::optional<CodedPoint> take_next();
    Genomes const& genomes_;
    std::uint64_t seed_;
    std::uint64_t next_ = 0;  ///< in a shuffled order of all points, for when few are left
    std::unordered_set<std::uint64_t> taken_;
};

}  // namespace pimdse::dse::search
