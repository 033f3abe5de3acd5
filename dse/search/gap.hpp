#pragma once

#include "dse/search/archive.hpp"
#include "dse/search/certificate.hpp"
#include "dse/search/ideal_point.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace pimdse::dse::search {

/// How much better a front may still become.
struct Gap {
    double share = 1.0;
    bool rough = false;  ///< only some of the vectors were taken
};

/// 1 - hypervolume of the front / hypervolume of the front and of the best that other points may come to; in the box
/// around all of them, with a tenth of it added beyond its worst ideal point, so that every member counts. 1 without a
/// front, and where nothing is known of an objective of some low. Of many vectors it takes some, so that it costs a
/// few milliseconds at most.
[[nodiscard]] Gap gap_between(std::span<Values const> front, std::span<Values const> lower_bounds,
                              std::size_t objectives);

/// Members of the front that have answers of their own, for a certificate.
class Witnesses {
  public:
    /// `lows` must outlive it.
    Witnesses(std::vector<Entry> members, LowerBounds const& lower_bounds, std::size_t objectives);

    /// Writes down who closes a point; false if nobody does.
    [[nodiscard]] bool put_pruned(LowerBounds::Item item, space::PointId point, Certificate& into) const;

  private:
    std::vector<Entry> members_;  ///< ids ascending
    LowerBounds const& lower_bounds_;
    std::size_t objectives_;
};

}  // namespace pimdse::dse::search
