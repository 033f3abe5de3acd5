#pragma once

#include "dse/search/archive.hpp"
#include "dse/search/certificate.hpp"
#include "dse/search/ideal_point.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace pimdse::dse::search {

/// How much better a front may still become, as a share of hypervolume.
struct Gap {
    double share = 1.0;
    bool rough = false;  ///< computed from a selection of the vectors
};

/// 1 - hypervolume of the front / hypervolume of the front together with the ideal points of the undecided points; in
/// the box around all of them, extended by a tenth beyond its worst values, so that every member counts. 1 without a
/// front, or if an objective of some lower bound is unknown. Uses a selection of many vectors, so that it takes a few
/// milliseconds at most.
[[nodiscard]] Gap gap_between(std::span<Values const> front, std::span<Values const> lower_bounds,
                              std::size_t objectives);

/// Members of the front that have results of their own, as witnesses for a certificate.
class Witnesses {
  public:
    /// `lower_bounds` must outlive this object.
    Witnesses(std::vector<Entry> members, LowerBounds const& lower_bounds, std::size_t objectives);

    /// Records a pruned point and its witness; false if no member dominates it.
    [[nodiscard]] bool put_pruned(LowerBounds::Item item, space::PointId point, Certificate& into) const;

  private:
    std::vector<Entry> members_;  ///< ids ascending
    LowerBounds const& lower_bounds_;
    std::size_t objectives_;
};

}  // namespace pimdse::dse::search
