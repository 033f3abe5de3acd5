#pragma once

#include "models/contract/architecture.hpp"

#include <algorithm>

namespace pimdse::models::umdam {

/// A non-negative quantity with the interval the cycle-level answer must lie in: low <= value <= high.
struct Range {
    double value = 0.0, low = 0.0, high = 0.0;

    Range() = default;
    Range(double exact) : value(exact), low(exact), high(exact) {}  // an exact number is a range
    Range(double v, double l, double h) : value(v), low(l), high(h) {}

    Range& operator+=(Range const& other) {
        value += other.value;
        low += other.low;
        high += other.high;
        return *this;
    }
    friend Range operator+(Range a, Range const& b) { return a += b; }
    friend Range operator*(Range const& a, Range const& b) {
        return {a.value * b.value, a.low * b.low, a.high * b.high};
    }
    friend Range operator/(Range const& a, Range const& b) {
        return {a.value / b.value, a.low / b.high, a.high / b.low};
    }
    friend Range larger(Range const& a, Range const& b) {
        return {std::max(a.value, b.value), std::max(a.low, b.low), std::max(a.high, b.high)};
    }
    friend Range smaller(Range const& a, Range const& b) {
        return {std::min(a.value, b.value), std::min(a.low, b.low), std::min(a.high, b.high)};
    }

    [[nodiscard]] Estimate estimate(Bound bound) const {
        return low == value && high == value ? Estimate::exact(value) : Estimate::within(value, low, high, bound);
    }
};

}  // namespace pimdse::models::umdam
