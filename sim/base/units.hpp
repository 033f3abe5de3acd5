#pragma once

#include <compare>

namespace pimdse::sim {

/// A number with a dimension: exponents of second, joule, byte, metre and operation (FLOP). The value is in SI (bytes
/// for data). Quantities of different dimensions cannot be added, compared or assigned; a dimensionless quantity is a
/// double.
template <int S, int J, int B, int M, int F>
struct Quantity {
    double si = 0.0;

    constexpr auto operator<=>(Quantity const&) const = default;
    constexpr Quantity operator+(Quantity other) const { return {si + other.si}; }
    constexpr Quantity operator-(Quantity other) const { return {si - other.si}; }
    constexpr Quantity operator*(double factor) const { return {si * factor}; }
    constexpr Quantity operator/(double divisor) const { return {si / divisor}; }
    constexpr Quantity& operator+=(Quantity other) {
        si += other.si;
        return *this;
    }
    constexpr Quantity& operator-=(Quantity other) {
        si -= other.si;
        return *this;
    }
    friend constexpr Quantity operator*(double factor, Quantity q) { return {factor * q.si}; }
};

namespace detail {
template <int S, int J, int B, int M, int F>
constexpr auto make_quantity(double si) {
    if constexpr (S == 0 && J == 0 && B == 0 && M == 0 && F == 0) {
        return si;
    } else {
        return Quantity<S, J, B, M, F>{si};
    }
}
}  // namespace detail

template <int S1, int J1, int B1, int M1, int F1, int S2, int J2, int B2, int M2, int F2>
constexpr auto operator*(Quantity<S1, J1, B1, M1, F1> a, Quantity<S2, J2, B2, M2, F2> b) {
    return detail::make_quantity<S1 + S2, J1 + J2, B1 + B2, M1 + M2, F1 + F2>(a.si * b.si);
}

template <int S1, int J1, int B1, int M1, int F1, int S2, int J2, int B2, int M2, int F2>
constexpr auto operator/(Quantity<S1, J1, B1, M1, F1> a, Quantity<S2, J2, B2, M2, F2> b) {
    return detail::make_quantity<S1 - S2, J1 - J2, B1 - B2, M1 - M2, F1 - F2>(a.si / b.si);
}

template <int S, int J, int B, int M, int F>
constexpr auto operator/(double a, Quantity<S, J, B, M, F> b) {
    return detail::make_quantity<-S, -J, -B, -M, -F>(a / b.si);
}

using Time = Quantity<1, 0, 0, 0, 0>;                 ///< s
using Frequency = Quantity<-1, 0, 0, 0, 0>;           ///< Hz
using Energy = Quantity<0, 1, 0, 0, 0>;               ///< J
using Power = Quantity<-1, 1, 0, 0, 0>;               ///< W
using Data = Quantity<0, 0, 1, 0, 0>;                 ///< B
using Bandwidth = Quantity<-1, 0, 1, 0, 0>;           ///< B/s
using Area = Quantity<0, 0, 0, 2, 0>;                 ///< m^2
using EnergyPerByte = Quantity<0, 1, -1, 0, 0>;       ///< J/B
using EnergyPerOperation = Quantity<0, 1, 0, 0, -1>;  ///< J/FLOP
using AreaPerByte = Quantity<0, 0, -1, 2, 0>;         ///< m^2/B

/// Time of `cycles` clock cycles, the only conversion from cycles to time.
constexpr Time cycles_at(double cycles, Frequency frequency) { return Time{cycles / frequency.si}; }

}  // namespace pimdse::sim
