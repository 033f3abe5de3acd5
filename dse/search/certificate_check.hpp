#pragma once

#include "dse/search/certificate.hpp"
#include "dse/search/result_store.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pimdse::dse::space {
class Space;
}  // namespace pimdse::dse::space

namespace pimdse::dse::search {

/// Checks a certificate against the results in a store, and against recomputed bounds and cycle keys: every point is in
/// exactly one list, witnesses dominate what they prune, equal-key points have equal keys, no result is better than its
/// proved bounds, no bounds exclude the result that an equal-key point has from its representative, and the stated
/// kinds of bounds and numbers of points are right. Analytic bounds are read from rows where these exist; the caller
/// re-evaluates them (run::reevaluate). Returns one sentence for each kind of problem, with the first point that has
/// it.
[[nodiscard]] std::vector<std::string> wrong_in_certificate(Certificate const& certificate, ResultStore const& store,
                                                            space::Space const& space);

/// Checks that boxes contain every point of some grids exactly once, without listing points: each position of each axis
/// has a random weight, the weight of a point is their product, and the weights of all boxes must add up to the weight
/// of the grids. Wrong boxes pass with a probability below 1e-15 (Schwartz and Zippel, modulo the prime 2^61 - 1).
class BoxTally {
  public:
    explicit BoxTally(std::span<Certificate::Grid const> grids);
    /// Adds boxes: the smallest id of each, and its number of positions along each axis, box after box; no extents:
    /// single points.
    void add(std::span<space::PointId const> firsts, std::span<std::uint32_t const> extents);
    [[nodiscard]] bool has_each_point_once() const { return !beyond_ && sum_ == whole_; }

  private:
    struct Weighed {
        std::uint64_t first = 0, points = 1;  ///< ids of the grid
        std::uint64_t factor = 1;             ///< weight factor of the grid
        std::vector<std::vector<std::uint64_t>>
            before;  ///< [axis][position]: sum of the weights of all earlier positions
        [[nodiscard]] std::uint64_t whole() const;
    };
    /// The weight of a box; nullopt if it extends beyond its grid.
    [[nodiscard]] std::optional<std::uint64_t> weight_of(space::PointId first,
                                                         std::span<std::uint32_t const> counts) const;

    std::vector<Weighed> grids_;
    std::uint64_t sum_ = 0, whole_ = 0;
    bool beyond_ = false;  ///< a box extends beyond its grid
};

}  // namespace pimdse::dse::search
