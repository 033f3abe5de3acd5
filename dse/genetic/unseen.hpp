#pragma once

#include "dse/genetic/genome.hpp"

#include <optional>
#include <unordered_set>

namespace pimdse::dse::genetic {

/// Remembers which points were taken and finds others. Where points are known by hashes, one whose hash is that of
/// another counts as taken with it.
class Unseen {
  public:
    Unseen(Genomes const& genomes, std::uint64_t seed) : genomes_(genomes), seed_(seed) {}

    [[nodiscard]] bool has(CodedPoint const& point) const { return !taken_.contains(genomes_.key(point)); }
    /// True if nobody took it before.
    bool take(CodedPoint const& point) { return taken_.insert(genomes_.key(point)).second; }
    /// Takes a random point that nobody took; nothing where there is none, or none that is found in many tries.
    [[nodiscard]] std::optional<CodedPoint> take_random(Dice& dice);

  private:
    [[nodiscard]] std::optional<CodedPoint> take_next();
    Genomes const& genomes_;
    std::uint64_t seed_;
    std::uint64_t next_ = 0;  ///< in a shuffled order of all points, for when few are left
    std::unordered_set<std::uint64_t> taken_;
};

}  // namespace pimdse::dse::genetic
