#pragma once

#include "sim/base/random.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

namespace pimdse::dse::search {

/// floor(limit * bits / 2^64): maps uniform bits to a uniform integer below `limit`.
[[nodiscard]] constexpr std::uint64_t share_of(std::uint64_t bits, std::uint64_t limit) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(bits) * limit) >> 64);
}

/// A counter-based random number generator: a hash of a seed and the number of calls.
class Rng {
  public:
    explicit Rng(std::uint64_t seed) : seed_(sim::mixed_bits(seed)) {}

    std::uint64_t bits() { return sim::mixed_bits(seed_ + sim::golden_step * ++count_); }
    /// A uniform integer in [0, limit); `limit` is at least 1.
    std::uint64_t below(std::uint64_t limit) { return share_of(bits(), limit); }
    /// A uniform number in [0, 1).
    double fraction() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
    bool coin_flip() { return bits() >> 63 != 0; }

  private:
    std::uint64_t seed_, count_ = 0;
};

/// One of the numbers that encode a point.
struct Gene {
    /// ordinal: neighbouring numbers have similar meanings; choice: they do not; ordering: the rank of an ordering of
    /// `items`.
    enum class Kind : std::uint8_t { ordinal, choice, ordering };
    Kind kind = Kind::ordinal;
    std::uint64_t values = 1;  ///< the number is in [0, values)
    std::size_t items = 0;     ///< for an ordering: `values` is the factorial of this
};
using Genome = std::vector<Gene>;

/// A point: a number for each gene of its genome.
struct CodedPoint {
    std::size_t genome = 0;
    std::vector<std::uint64_t> values;
    bool operator==(CodedPoint const&) const = default;
};

/// The numbering of all points: those of one genome after those of the genome before it, each in mixed radix, the last
/// gene fastest.
class Genomes {
  public:
    explicit Genomes(std::vector<Genome> genomes);

    [[nodiscard]] Genome const& of(CodedPoint const& point) const { return genomes_[point.genome]; }
    /// Number of points, if it fits 64 bits.
    [[nodiscard]] std::optional<std::uint64_t> size() const { return size_; }
    /// The number of a point if all numbers fit 64 bits, else a hash of the point.
    [[nodiscard]] std::uint64_t key(CodedPoint const& point) const;
    /// The point with a number. Precondition: fewer than 2^64 points.
    [[nodiscard]] CodedPoint at(std::uint64_t number) const;
    /// A random point: each genome is equally likely, then each of its points.
    [[nodiscard]] CodedPoint random(Rng& rng) const;

  private:
    [[nodiscard]] std::uint64_t hash(CodedPoint const& point) const;
    std::vector<Genome> genomes_;
    std::vector<std::uint64_t> firsts_;  ///< number of the first point of each genome, if there is a size
    std::optional<std::uint64_t> size_ = 0;
};

/// The numbers from 0 to n-1, at most 20 of them, in some order.
using Ordering = std::vector<std::uint8_t>;

/// The ordering of this rank in lexicographic order (its Lehmer code), and back.
[[nodiscard]] Ordering ordering_of(std::uint64_t rank, std::size_t items);
[[nodiscard]] std::uint64_t rank_of(Ordering const& ordering);

/// Moves the item at `from` to `to`; the items in between move up by one place.
void insert_elsewhere(Ordering& ordering, std::size_t from, std::size_t to);

/// Order crossover (Davis, 1985): a section of one parent keeps its place; the other items follow in the order of the
/// other parent.
[[nodiscard]] Ordering crossed(Ordering const& one, Ordering const& other, Rng& rng);

/// Records which points were taken and finds others. If points are identified by hashes, a point with the hash of a
/// taken one counts as taken.
class DuplicateFilter {
  public:
    DuplicateFilter(Genomes const& genomes, std::uint64_t seed) : genomes_(genomes), seed_(seed) {}

    [[nodiscard]] bool has(CodedPoint const& point) const { return !taken_.contains(genomes_.key(point)); }
    /// Takes the point; false if it was taken before.
    bool take(CodedPoint const& point) { return taken_.insert(genomes_.key(point)).second; }
    /// Takes a random point that was not taken before; nullopt if there is none, or if many tries find none.
    [[nodiscard]] std::optional<CodedPoint> take_random(Rng& rng);

  private:
    [[nodiscard]] std::optional<CodedPoint> take_next();
    Genomes const& genomes_;
    std::uint64_t seed_;
    std::uint64_t next_ = 0;  ///< next position in a shuffled order of all points, used when few are left
    std::unordered_set<std::uint64_t> taken_;
};

}  // namespace pimdse::dse::search
