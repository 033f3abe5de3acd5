#pragma once

#include "models/dplena/constants.hpp"
#include "models/dplena/design.hpp"
#include "sim/base/memo.hpp"

#include <cstdint>
#include <vector>

namespace pimdse::models::dplena {

/// A number that is known to lie between two.
struct Range {
    double lower = 0.0, upper = 0.0;
};

/// What is known of the sums of exp(logit) over the first logits of a row's bulk: they are counted in pieces.
class BulkRow {
  public:
    static constexpr std::int64_t piece = 512;

    /// `sums` from below, of the first 0, 1, .. pieces; all of them are below `stretch` times as much and `slack`.
    BulkRow(double const* sums, double stretch, double slack) : sums_(sums), stretch_(stretch), slack_(slack) {}

    /// Over the logits from `from` up to, but not, `to`.
    [[nodiscard]] Range over(std::int64_t from, std::int64_t to) const {
        auto const lower = below(to) - above(from);
        return {lower > 0.0 ? lower : 0.0, above(to) - below(from)};
    }

  private:
    [[nodiscard]] double below(std::int64_t logits) const { return sums_[logits / piece]; }
    [[nodiscard]] double above(std::int64_t logits) const {
        return sums_[(logits + piece - 1) / piece] * stretch_ + slack_;
    }

    double const* sums_;
    double stretch_, slack_;
};

/// The sums of all rows; remembered.
class BulkSums {
  public:
    /// Of one vocabulary.
    class Rows {
      public:
        [[nodiscard]] BulkRow operator[](std::int64_t row) const {
            return {sums.data() + row * (pieces + 1), stretch, slack};
        }
        std::int64_t pieces = 0;
        std::vector<double> sums;  ///< by row and pieces
        double stretch = 1.0, slack = 0.0;
    };
    [[nodiscard]] Rows const& up_to(std::int64_t logits, ProxyConstants const& constants) const;

  private:
    sim::Memo<std::int64_t, Rows> rows_;  // by pieces
};

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

    [[nodiscard]] Range sum() const { return {lower_, upper_}; }
    /// Whether a half may have overflowed.
    [[nodiscard]] bool may_overflow() const { return may_overflow_; }

  private:
    void look_for_overflow();

    Accumulator format_;
    double lower_ = 0.0, upper_ = 0.0;
    bool may_overflow_ = false;
};

}  // namespace pimdse::models::dplena
