#include "sim/base/bounded.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace pimdse::sim::bounded_test {
namespace {

Bounded drawn(std::mt19937& random) {
    std::uniform_real_distribution<double> amount(0.1, 10.0);
    double const lower = amount(random), width = amount(random);
    double const value = lower + width * std::uniform_real_distribution<double>(0.0, 1.0)(random);
    return {value, lower, lower + width, all_bound_kinds[random() % all_bound_kinds.size()]};
}

/// Samples of the values in an interval.
std::vector<double> samples(Bounded const& b) {
    return {b.lower, 0.5 * (b.lower + b.value), b.value, 0.5 * (b.value + b.upper), b.upper};
}

template <class Operation>
void holds_whatever_stands_in_it(Operation const& operation) {
    std::mt19937 random(3);
    for (int i = 0; i < 2000; ++i) {
        auto const a = drawn(random), b = drawn(random);
        auto const c = operation(a, b);
        EXPECT_DOUBLE_EQ(c.value, operation(a.value, b.value));
        for (double const x : samples(a)) {
            for (double const y : samples(b)) {
                ASSERT_LE(c.lower, operation(x, y) * (1 + 1e-15));
                ASSERT_GE(c.upper, operation(x, y) * (1 - 1e-15));
            }
        }
    }
}

double larger(double a, double b) { return std::max(a, b); }
double smaller(double a, double b) { return std::min(a, b); }

TEST(Bounded, is_as_wide_as_what_it_is_made_of) {
    holds_whatever_stands_in_it([](auto a, auto b) { return a + b; });
    holds_whatever_stands_in_it([](auto a, auto b) { return a * b; });
    holds_whatever_stands_in_it([](auto a, auto b) { return a / b; });
    holds_whatever_stands_in_it([](auto a, auto b) { return larger(a, b); });
    holds_whatever_stands_in_it([](auto a, auto b) { return smaller(a, b); });
}

TEST(Bounded, is_as_well_founded_as_the_weaker_of_its_ends) {
    using enum Bound;
    Bounded const proved_lower_bound{2.0, 1.0, 3.0, {proved, calibrated}};
    Bounded const proved_upper_bound{2.0, 1.0, 3.0, {none, proved}};
    EXPECT_EQ((proved_lower_bound + proved_upper_bound).kinds, BoundKinds(none, calibrated));
    EXPECT_EQ((proved_lower_bound * Bounded(3.0)).kinds, proved_lower_bound.kinds)
        << "an exact number does not weaken the bounds";
    // The lower bound of a ratio is the lower bound of the numerator divided by the upper bound of the denominator.
    EXPECT_EQ((proved_lower_bound / proved_upper_bound).kinds, BoundKinds(proved, none));
    EXPECT_EQ((Bounded(1.0) / proved_lower_bound).kinds, BoundKinds(calibrated, proved));
}

TEST(Bounded, has_a_number_and_a_name_for_all_kinds) {
    for (std::size_t i = 0; i < all_bound_kinds.size(); ++i) {
        EXPECT_EQ(number_of(all_bound_kinds[i]), i);
        EXPECT_EQ(name_of(all_bound_kinds[i]), bound_names[i]);
        for (std::size_t j = 0; j < i; ++j) EXPECT_NE(all_bound_kinds[i], all_bound_kinds[j]);
    }
    EXPECT_EQ(number_of(Bound::calibrated), 1) << "as in files of version 0.1.0";
}

TEST(Bounded, on_other_grounds_is_the_same_interval_unless_it_is_exact) {
    EXPECT_EQ(Bounded(2.0, 1.0, 3.0, Bound::proved).on(Bound::calibrated).kinds, BoundKinds(Bound::calibrated));
    EXPECT_EQ(Bounded(2.0).on(Bound::calibrated).kinds, BoundKinds(Bound::proved));
}

}  // namespace
}  // namespace pimdse::sim::bounded_test
