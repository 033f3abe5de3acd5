#include "models/dplena/numerics/bulk_sums.hpp"
#include "models/dplena/numerics/formats.hpp"
#include "tests/unit/models/dplena/support.hpp"

#include <gtest/gtest.h>
#include <cmath>

/// An accumulator between bounds is held against one that adds number after number.
namespace accumulated_test {
namespace {

using namespace pimdse::models::dplena;
using support::Rng;

class Adding {
  public:
    explicit Adding(Accumulator format) : bounds(format), format_(format) {}

    /// Vectors of any sums that are no greater than `most`, known within some per cent.
    void add(Rng& rng, std::int64_t vectors, double max) {
        double all = 0.0;
        for (std::int64_t i = 0; i < vectors; ++i) {
            auto const one = static_cast<float>(rng.below(5) == 0 ? 0.0 : max * std::pow(rng.unit(), 4.0));
            all += static_cast<double>(one);
            sum = rounded(format_, sum + one);
        }
        bounds.add(around(rng, all), static_cast<double>(vectors));
    }
    void add_at_once(Rng& rng, double max) {
        auto const one = static_cast<float>(max * rng.unit());
        sum = rounded(format_, sum + one);
        bounds.add_at_once(around(rng, static_cast<double>(one)));
    }
    void rescale(double by) {
        sum = rounded(format_, sum * rounded(format_, static_cast<float>(std::exp(-by))));
        bounds.rescale(by);
    }
    [[nodiscard]] bool overflowed() const { return std::isinf(sum); }

    Accumulated bounds;
    float sum = 0.0F;

  private:
    static Range around(Rng& rng, double x) {
        double const known_to = rng.below(3) == 0 ? 0.05 : 0.0;
        return {x * (1.0 - known_to * rng.unit()), x * (1.0 + known_to * rng.unit())};
    }

    Accumulator format_;
};

TEST(DplenaAccumulated, holds_the_sum_whatever_is_added_and_however_it_shrinks) {
    Rng rng(1);
    int tight = 0, all = 0;
    for (int run = 0; run < 3000; ++run) {
        Adding adding(static_cast<Accumulator>(run % 3));
        auto const max = std::pow(10.0, -6.0 + 8.0 * rng.unit());
        for (auto steps = 1 + rng.below(6); steps > 0 && !adding.overflowed(); --steps) {
            auto const kind = rng.below(4);
            if (kind < 2) adding.add(rng, 1 + rng.below(300), max);
            if (kind == 2) adding.add_at_once(rng, max);
            if (kind == 3) adding.rescale(8.0 * rng.unit());
            if (adding.bounds.may_overflow()) break;
            auto const range = adding.bounds.sum();
            ASSERT_LE(range.lower, double{adding.sum}) << "run " << run;
            ASSERT_GE(range.upper, double{adding.sum}) << "run " << run;
        }
        ++all;
        tight += adding.bounds.sum().upper <= 3.0 * adding.bounds.sum().lower ? 1 : 0;
    }
    EXPECT_GT(2 * tight, all) << "bounds that say something";
}

TEST(DplenaAccumulated, warns_before_a_half_overflows) {
    Rng rng(2);
    int overflowed = 0;
    for (int run = 0; run < 300; ++run) {
        Adding adding(Accumulator::fp16);
        for (int step = 0; step < 12; ++step) {
            rng.below(2) == 0 ? adding.add(rng, 1 + rng.below(100), 3000.0) : adding.add_at_once(rng, 20'000.0);
            EXPECT_TRUE(!adding.overflowed() || adding.bounds.may_overflow());
        }
        overflowed += adding.overflowed() ? 1 : 0;
    }
    EXPECT_GT(overflowed, 100);
}

TEST(DplenaAccumulated, of_a_wide_format_never_overflows_and_of_nothing_is_0) {
    for (auto const format : {Accumulator::bf16, Accumulator::fp32}) {
        Accumulated sum(format);
        sum.add({1e30, 1e30}, 10.0);
        EXPECT_FALSE(sum.may_overflow());
    }
    Accumulated nothing(Accumulator::fp32);
    EXPECT_EQ(nothing.sum().lower, 0.0);
    EXPECT_EQ(nothing.sum().upper, 0.0);
}

TEST(DplenaAccumulated, that_sticks_is_known_to_be_below_the_exact_sum) {
    // 1 added to a half or a BF16 again and again stops at 2048 or 256.
    for (auto const& [format, end] : {std::pair{Accumulator::fp16, 2048.0F}, {Accumulator::bf16, 256.0F}}) {
        float sum = 0.0F;
        for (int i = 0; i < 5000; ++i) sum = rounded(format, sum + 1.0F);
        ASSERT_EQ(sum, end);
        Accumulated bounds(format);
        bounds.add({5000.0, 5000.0}, 5000.0);
        EXPECT_LE(bounds.sum().lower, double{end});
        EXPECT_GE(bounds.sum().upper, double{end});
    }
}

}  // namespace
}  // namespace accumulated_test
