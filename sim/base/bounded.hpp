#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pimdse::sim {

/// What stands behind an end of an interval: nothing, a calibration over reference points, or a proof. Ascending.
enum class Bound : std::uint8_t { none, calibrated, proved };

/// What stands behind either end.
struct BoundKinds {
    Bound low = Bound::none, high = Bound::none;

    constexpr BoundKinds() = default;
    constexpr BoundKinds(Bound both) : low(both), high(both) {}  // the same behind both is the usual case
    constexpr BoundKinds(Bound of_low, Bound of_high) : low(of_low), high(of_high) {}
    constexpr bool operator==(BoundKinds const&) const = default;
    [[nodiscard]] constexpr BoundKinds swapped() const { return {high, low}; }
    /// What stands behind something made of both.
    [[nodiscard]] constexpr BoundKinds weaker(BoundKinds o) const {
        return {std::min(low, o.low), std::min(high, o.high)};
    }
};

/// As files and messages know them; equal kinds come first and have the number of the kind.
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
    if (kinds.low == kinds.high) return static_cast<std::uint8_t>(kinds.low);
    return static_cast<std::uint8_t>(std::find(all_bound_kinds.begin(), all_bound_kinds.end(), kinds) -
                                     all_bound_kinds.begin());
}
[[nodiscard]] constexpr std::string_view name_of(BoundKinds kinds) { return bound_names[number_of(kinds)]; }

/// A number and where the cycle-level one must lie, low <= value <= high; an exact number is its own interval, proved.
/// Arithmetic is that of intervals of numbers that are not negative: the ends of what is made of two are as well
/// founded as the weaker of the ends they are made of.
struct Bounded {
    double value = 0.0, low = 0.0, high = 0.0;
    BoundKinds kinds = Bound::proved;

    constexpr Bounded() = default;
    constexpr Bounded(double exact) : value(exact), low(exact), high(exact) {}  // an exact number is bounded by itself
    constexpr Bounded(double v, double l, double h, BoundKinds k) : value(v), low(l), high(h), kinds(k) {}

    static constexpr Bounded exact(double v) { return {v, v, v, Bound::proved}; }
    static constexpr Bounded unbounded(double v) { return {v, v, v, Bound::none}; }
    static constexpr Bounded within(double v, double low, double high, BoundKinds kinds) {
        return {v, low, high, kinds};
    }

    [[nodiscard]] constexpr bool is_exact() const { return low == value && high == value; }
    /// The same interval on other grounds; an exact number needs none.
    [[nodiscard]] constexpr Bounded on(BoundKinds grounds) const {
        return is_exact() ? exact(value) : within(value, low, high, grounds);
    }

    constexpr Bounded& operator+=(Bounded const& o) {
        return *this = {value + o.value, low + o.low, high + o.high, kinds.weaker(o.kinds)};
    }
    friend constexpr Bounded operator+(Bounded a, Bounded const& b) { return a += b; }
    friend constexpr Bounded operator*(Bounded const& a, Bounded const& b) {
        return {a.value * b.value, a.low * b.low, a.high * b.high, a.kinds.weaker(b.kinds)};
    }
    friend constexpr Bounded operator/(Bounded const& a, Bounded const& b) {
        return {a.value / b.value, a.low / b.high, a.high / b.low, a.kinds.weaker(b.kinds.swapped())};
    }
    friend constexpr Bounded larger(Bounded const& a, Bounded const& b) {
        return {std::max(a.value, b.value), std::max(a.low, b.low), std::max(a.high, b.high), a.kinds.weaker(b.kinds)};
    }
    friend constexpr Bounded smaller(Bounded const& a, Bounded const& b) {
        return {std::min(a.value, b.value), std::min(a.low, b.low), std::min(a.high, b.high), a.kinds.weaker(b.kinds)};
    }
};

}  // namespace pimdse::sim
