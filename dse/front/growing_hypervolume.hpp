#pragma once

#include "dse/front/staircase.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace pimdse::dse::front {

/// The hypervolume of a set that grows, up to 1 in every objective (all minimised); exact, for 1 to 3 objectives. A
/// vector costs a logarithm of the set's size in two objectives; in three, each volume() is one sweep over what is not
/// dominated.
class GrowingHypervolume {
  public:
    static constexpr std::size_t most_objectives = 3;

    explicit GrowingHypervolume(std::size_t objectives);
    /// Vectors that do not improve on 1 everywhere count nothing.
    void add(std::span<double const> point);
    /// The same as hypervolume() of all vectors so far but for the last bits; the same whatever their order in three
    /// objectives.
    [[nodiscard]] double volume();

  private:
    /// Distances to the reference, the last objective first; what is not used is 1.
    using Extent = std::array<double, most_objectives>;
    void sweep();

    std::size_t objectives_;
    Staircase staircase_;
    std::vector<Extent> swept_;    ///< what counts in three objectives, furthest in the last one first
    std::vector<Extent> waiting_;  ///< came after the last sweep
    double volume_ = 0.0;
};

}  // namespace pimdse::dse::front
