#include "dse/space/expression_reach.hpp"

#include <cmath>

namespace pimdse::dse::space {
namespace {

/// The hull of some results, of which those that are no numbers say nothing beside the others; none: anywhere.
Reach hull(std::array<double, 4> const& ends) {
    Reach all{Reach::infinite, -Reach::infinite};
    for (double const end : ends) {
        if (std::isnan(end)) continue;
        all.low = std::min(all.low, end);
        all.high = std::max(all.high, end);
    }
    return all.low > all.high ? Reach::anywhere() : all;
}

/// Of finite numbers, however large: an end at infinity is never reached.
double times(double a, double b) { return a == 0.0 || b == 0.0 ? 0.0 : a * b; }

Reach product(Reach const& a, Reach const& b) {
    return hull({times(a.low, b.low), times(a.low, b.high), times(a.high, b.low), times(a.high, b.high)});
}

Reach quotient(Reach const& a, Reach const& b) {
    if (b.low == 0.0 && b.high > 0.0 && a.low >= 0.0) return {a.low / b.high, Reach::infinite};
    if (b.may_be_false()) return Reach::anywhere();
    return hull({a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high});
}

/// Of sums, where Reach::infinite ends of both signs leave nothing known.
Reach between(double low, double high) {
    return {std::isnan(low) ? -Reach::infinite : low, std::isnan(high) ? Reach::infinite : high};
}

}  // namespace

Reach applied(Expression::Code code, Reach const& a, Reach const& b) {
    using Code = Expression::Code;
    bool const one_number = a.low == a.high && b.low == b.high && a.low == b.low;
    bool const apart = a.high < b.low || b.high < a.low;
    switch (code) {
        case Code::add:
            return between(a.low + b.low, a.high + b.high);
        case Code::subtract:
            return between(a.low - b.high, a.high - b.low);
        case Code::multiply:
            return product(a, b);
        case Code::divide:
            return quotient(a, b);
        case Code::less:
            return Reach::truth(a.high >= b.low, a.low < b.high);
        case Code::less_equal:
            return Reach::truth(a.high > b.low, a.low <= b.high);
        case Code::greater:
            return Reach::truth(b.high >= a.low, b.low < a.high);
        case Code::greater_equal:
            return Reach::truth(b.high > a.low, b.low <= a.high);
        case Code::equal:
            return Reach::truth(!one_number, !apart);
        case Code::not_equal:
            return Reach::truth(!apart, !one_number);
        case Code::logical_and:
            return Reach::truth(a.may_be_false() || b.may_be_false(), a.may_be_true() && b.may_be_true());
        case Code::logical_or:
            return Reach::truth(a.may_be_false() && b.may_be_false(), a.may_be_true() || b.may_be_true());
        default:
            return Reach::anywhere();
    }
}

}  // namespace pimdse::dse::space
