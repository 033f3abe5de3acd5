#pragma once

#include "models/dplena/design.hpp"
#include "models/dplena/numerics/bulk_sums.hpp"

namespace pimdse::models::dplena {

/// The accumulator of a sum of exponentials between bounds. Rounding keeps the order of sums, so both ends are rounded
/// as the sum is.
class Accumulated {
  public:
    explicit Accumulated(Accumulator format) : format_(format) {}

    /// `vectors` additions that are `sum` together, none of them negative, each with one rounding, or several.
    void add(Range sum, double vectors, double roundings = 1.0);
    /// One addition between both.
    void add_at_once(Range sum);
    /// A greater maximum: what was summed up shrinks by exp(-by).
    void rescale(double by);

    [[nodiscard]] Range sum() const { return {low_, high_}; }
    /// Whether a half may have overflowed.
    [[nodiscard]] bool may_overflow() const { return may_overflow_; }

  private:
    void look_for_overflow();

    Accumulator format_;
    double low_ = 0.0, high_ = 0.0;
    bool may_overflow_ = false;
};

}  // namespace pimdse::models::dplena
