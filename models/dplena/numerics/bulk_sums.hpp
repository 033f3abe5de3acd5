#pragma once

#include "models/dplena/constants.hpp"
#include "models/dplena/design.hpp"
#include "sim/base/memo.hpp"

#include <cstdint>
#include <vector>

namespace pimdse::models::dplena {

/// Bounds of a number.
struct Range {
    double lower = 0.0, upper = 0.0;
};

/// Bounds of sums of exp(logit) over a range of the bulk of a row, from prefix sums over pieces of 512 logits.
class BulkRow {
  public:
    static constexpr std::int64_t piece = 512;

    /// `sums`: lower bounds of the sums over the first 0, 1, .. pieces. Upper bounds are sums x stretch + slack.
    BulkRow(double const* sums, double stretch, double slack) : sums_(sums), stretch_(stretch), slack_(slack) {}

    /// Bounds of the sum over the logits [from, to).
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

/// Prefix sums of all rows. They are cached.
class BulkSums {
  public:
    /// The sums of all rows over a number of pieces.
    class Rows {
      public:
        [[nodiscard]] BulkRow operator[](std::int64_t row) const {
            return {sums.data() + row * (pieces + 1), stretch, slack};
        }
        std::int64_t pieces = 0;
        std::vector<double> sums;  ///< [row x (pieces + 1) + number of pieces]
        double stretch = 1.0, slack = 0.0;
    };
    [[nodiscard]] Rows const& up_to(std::int64_t logits, ProxyConstants const& constants) const;

  private:
    sim::Memo<std::int64_t, Rows> rows_;  // by number of pieces
};

/// Bounds of the accumulator of a sum of exponentials. Rounding preserves order, so both bounds are rounded as the sum.
class Accumulated {
  public:
    explicit Accumulated(Accumulator format) : format_(format) {}

    /// `vectors` additions of numbers that are not negative and have the sum `sum`, each with `roundings` roundings.
    void add(Range sum, double vectors, double roundings = 1.0);
    /// One addition of a number within `sum`.
    void add_at_once(Range sum);
    /// A larger maximum: the sum is multiplied by exp(-by).
    void rescale(double by);

    [[nodiscard]] Range sum() const { return {lower_, upper_}; }
    /// Whether an FP16 accumulator may have overflowed.
    [[nodiscard]] bool may_overflow() const { return may_overflow_; }

  private:
    void check_overflow();

    Accumulator format_;
    double lower_ = 0.0, upper_ = 0.0;
    bool may_overflow_ = false;
};

}  // namespace pimdse::models::dplena
