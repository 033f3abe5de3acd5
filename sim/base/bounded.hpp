#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace pimdse::sim {

/// Justification of one end of an interval: none, a calibration over reference points, or a proof. Ordered from weak to
/// strong.
enum class Bound : std::uint8_t { none, calibrated, proved };

/// Justifications of the lower and of the upper end.
struct BoundKinds {
    Bound lower = Bound::none, upper = Bound::none;

    constexpr BoundKinds() = default;
    constexpr BoundKinds(Bound both) : lower(both), upper(both) {}  // usual case: the same for both ends
    constexpr BoundKinds(Bound of_lower, Bound of_upper) : lower(of_lower), upper(of_upper) {}
    constexpr bool operator==(BoundKinds const&) const = default;
    [[nodiscard]] constexpr BoundKinds swapped() const { return {upper, lower}; }
    /// Justification of a result that is computed from both: the weaker one at each end.
    [[nodiscard]] constexpr BoundKinds weaker(BoundKinds o) const {
        return {std::min(lower, o.lower), std::min(upper, o.upper)};
    }
};

/// All kinds. Those with equal ends come first, at the number of their Bound; bound_names has the names for files and
/// messages in the same order.
inline constexpr std::array<BoundKinds, 9> all_bound_kinds{{{Bound::none},
                                                            {Bound::calibrated},
                                                            {Bound::proved},
                                                            {Bound::none, Bound::calibrated},
                                                            {Bound::none, Bound::proved},
                                                            {Bound::calibrated, Bound::none},
                                                            {Bound::calibrated, Bound::proved},
                                                            {Bound::proved, Bound::none},
                                                            {Bound::proved, Bound::calibrated}}};
inline constexpr std::array<std::string_view, 9> bound_names{"none",
                                                             "calibrated",
                                                             "proved",
                                                             "none_calibrated",
                                                             "none_proved",
                                                             "calibrated_none",
                                                             "calibrated_proved",
                                                             "proved_none",
                                                             "proved_calibrated"};
[[nodiscard]] constexpr std::uint8_t number_of(BoundKinds kinds) {
    if (kinds.lower == kinds.upper) return static_cast<std::uint8_t>(kinds.lower);
    return static_cast<std::uint8_t>(std::find(all_bound_kinds.begin(), all_bound_kinds.end(), kinds) -
                                     all_bound_kinds.begin());
}
[[nodiscard]] constexpr std::string_view name_of(BoundKinds kinds) { return bound_names[number_of(kinds)]; }

/// A value and the interval in which the cycle-level value must lie: lower <= value <= upper. An exact number is its
/// own proved interval. Arithmetic is interval arithmetic of non-negative numbers; each end of a result is only as well
/// founded as the weaker of the ends that it is computed from.
struct Bounded {
    double value = 0.0, lower = 0.0, upper = 0.0;
    BoundKinds kinds = Bound::proved;

    constexpr Bounded() = default;
    constexpr Bounded(double exact)
        : value(exact), lower(exact), upper(exact) {}  // an exact number is bounded by itself
    constexpr Bounded(double v, double l, double h, BoundKinds k) : value(v), lower(l), upper(h), kinds(k) {}

    static constexpr Bounded exact(double v) { return {v, v, v, Bound::proved}; }
    static constexpr Bounded unbounded(double v) { return {v, v, v, Bound::none}; }
    static constexpr Bounded within(double v, double lower, double upper, BoundKinds kinds) {
        return {v, lower, upper, kinds};
    }

    [[nodiscard]] constexpr bool is_exact() const { return lower == value && upper == value; }
    /// The same interval with another justification; an exact number stays proved.
    [[nodiscard]] constexpr Bounded on(BoundKinds grounds) const {
        return is_exact() ? exact(value) : within(value, lower, upper, grounds);
    }

    constexpr Bounded& operator+=(Bounded const& o) {
        return *this = {value + o.value, lower + o.lower, upper + o.upper, kinds.weaker(o.kinds)};
    }
    friend constexpr Bounded operator+(Bounded a, Bounded const& b) { return a += b; }
    friend constexpr Bounded operator*(Bounded const& a, Bounded const& b) {
        return {a.value * b.value, a.lower * b.lower, a.upper * b.upper, a.kinds.weaker(b.kinds)};
    }
    friend constexpr Bounded operator/(Bounded const& a, Bounded const& b) {
        return {a.value / b.value, a.lower / b.upper, a.upper / b.lower, a.kinds.weaker(b.kinds.swapped())};
    }
    friend constexpr Bounded larger(Bounded const& a, Bounded const& b) {
        return {std::max(a.value, b.value), std::max(a.lower, b.lower), std::max(a.upper, b.upper),
                a.kinds.weaker(b.kinds)};
    }
    friend constexpr Bounded smaller(Bounded const& a, Bounded const& b) {
        return {std::min(a.value, b.value), std::min(a.lower, b.lower), std::min(a.upper, b.upper),
                a.kinds.weaker(b.kinds)};
    }
};

}  // namespace pimdse::sim
