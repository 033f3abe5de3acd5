#pragma once

#include <optional>

namespace pimdse::sim {

/// A decimal number, digits x 10^exponent, for arithmetic on numbers as people write them: 0.1 + 2 x 0.1 is 0.3.
struct Decimal {
    __extension__ using Digits = __int128;
    Digits digits = 0;
    int exponent = 0;

    /// The shortest decimal that reads as this finite double.
    [[nodiscard]] static Decimal shortest(double number);
    /// The double that is nearest to this number.
    [[nodiscard]] double nearest() const;
};

/// Exact sum and product; nullopt if their digits exceed 128 bits.
[[nodiscard]] std::optional<Decimal> sum(Decimal a, Decimal b);
[[nodiscard]] std::optional<Decimal> product(Decimal const& a, Decimal const& b);

}  // namespace pimdse::sim
