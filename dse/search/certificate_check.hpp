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

/// Holds a certificate against the answers it speaks of, and against bounds and cycle keys as they are now: that every
/// point is in one place, that witnesses cover what they close, that twins have equal keys, that no answer is better
/// than its proved bounds, that no bounds exclude the result a twin has from its representative, and that the kinds of
/// bounds and the numbers of points are those stated. Analytic bounds are read from rows where there are some, which
/// the caller re-evaluates (run::reevaluate). A sentence for each kind of thing that is wrong, with the first
/// point it is wrong of.
[[nodiscard]] std::vector<std::string> wrong_in_certificate(Certificate const& certificate, ResultStore const& store,
                                                            space::Space const& space);

/// Tells whether boxes have every point of some grids exactly once, without listing points: each position of each axis
/// has a random weight, that of a point is their product, and the weights of all boxes must add up to that of the
/// grids. Wrong boxes pass with a probability below 1e-15 (Schwartz and Zippel, modulo the prime 2^61 - 1).
class BoxTally {
  public:
    explicit BoxTally(std::span<Certificate::Grid const> grids);
    /// The smallest id of each box, and how many positions it has along each axis, box after box; none: single points.
    void add(std::span<space::PointId const> firsts, std::span<std::uint32_t const> extents);
    [[nodiscard]] bool has_each_point_once() const { return !beyond_ && sum_ == whole_; }

  private:
    struct Weighed {
        std::uint64_t first = 0, points = 1;             ///< ids
        std::uint64_t factor = 1;                        ///< its own
        std::vector<std::vector<std::uint64_t>> before;  ///< [axis][position]: weights of all positions before it
        [[nodiscard]] std::uint64_t whole() const;
    };
    /// Nothing where it reaches beyond its grid.
    [[nodiscard]] std::optional<std::uint64_t> weight_of(space::PointId first,
                                                         std::span<std::uint32_t const> counts) const;

    std::vector<Weighed> grids_;
    std::uint64_t sum_ = 0, whole_ = 0;
    bool beyond_ = false;  ///< a box reaches beyond its grid
};

}  // namespace pimdse::dse::search
