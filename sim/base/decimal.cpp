#include "sim/base/decimal.hpp"

#include "sim/base/check.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <system_error>
#include <utility>

namespace pimdse::sim {

Decimal Decimal::shortest(double number) {
    expects(std::isfinite(number), "a decimal number is finite");
    std::array<char, 32> text{};  // "-1.2345678901234567e-308"
    auto const end = std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::scientific).ptr;
    Decimal decimal;
    bool fraction = false;
    char const* at = text.data() + (text[0] == '-' ? 1 : 0);
    for (; *at != 'e'; ++at) {
        if (*at == '.') {
            fraction = true;
            continue;
        }
        decimal.digits = decimal.digits * 10 + (*at - '0');
        decimal.exponent -= fraction ? 1 : 0;
    }
    int power = 0;
    std::from_chars(at[1] == '+' ? at + 2 : at + 1, end, power);
    decimal.exponent += power;
    if (text[0] == '-') decimal.digits = -decimal.digits;
    return decimal;
}

double Decimal::nearest() const {
    std::string text;
    for (Digits rest = digits < 0 ? -digits : digits; rest != 0 || text.empty(); rest /= 10)
        text.insert(text.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
    text += "e" + std::to_string(exponent);
    double number = 0.0;
    auto const read = std::from_chars(text.data(), text.data() + text.size(), number);
    // The library leaves open which way a number is out of range.
    if (read.ec == std::errc::result_out_of_range)
        number = exponent > 0 ? std::numeric_limits<double>::infinity() : 0.0;
    return digits < 0 ? -number : number;
}

std::optional<Decimal> sum(Decimal a, Decimal b) {
    if (a.exponent < b.exponent) std::swap(a, b);
    for (; a.exponent > b.exponent && a.digits != 0; --a.exponent) {
        if (__builtin_mul_overflow(a.digits, Decimal::Digits{10}, &a.digits)) return std::nullopt;
    }
    Decimal total{0, b.exponent};
    if (__builtin_add_overflow(a.digits, b.digits, &total.digits)) return std::nullopt;
    return total;
}

std::optional<Decimal> product(Decimal const& a, Decimal const& b) {
    Decimal result{0, a.exponent + b.exponent};
    if (__builtin_mul_overflow(a.digits, b.digits, &result.digits)) return std::nullopt;
    return result;
}

}  // namespace pimdse::sim
