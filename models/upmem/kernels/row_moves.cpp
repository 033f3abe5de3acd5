#include "models/upmem/kernels/row_moves.hpp"

#include "sim/base/check.hpp"

#include <numeric>
#include <vector>

namespace pimdse::models::upmem {
namespace {

struct PrimePower {
    std::int64_t prime = 2;
    int power = 0;
};

std::vector<PrimePower> factors_of(std::int64_t n) {
    std::vector<PrimePower> factors;
    for (std::int64_t prime = 2; prime * prime <= n; ++prime) {
        int power = 0;
        for (; n % prime == 0; n /= prime) ++power;
        if (power > 0) factors.push_back({prime, power});
    }
    if (n > 1) factors.push_back({n, 1});
    return factors;
}

std::int64_t power_modulo(std::int64_t base, std::int64_t exponent, std::int64_t modulus) {
    std::int64_t result = 1 % modulus;
    for (base %= modulus; exponent > 0; exponent /= 2) {
        if (exponent % 2 == 1) result = result * base % modulus;
        base = base * base % modulus;
    }
    return result;
}

/// The smallest exponent that takes `base` to 1: it divides `totient`, the count of numbers prime to the modulus.
std::int64_t order_of(std::int64_t base, std::int64_t modulus, std::int64_t totient) {
    std::int64_t order = totient;
    for (auto const& [prime, power] : factors_of(totient)) {
        while (order % prime == 0 && power_modulo(base, order / prime, modulus) == 1) order /= prime;
    }
    return order;
}

/// Adds the rows of every divisor that takes its primes from `factors[next]` on: `count` rows in cycles of `order`.
void add_divisors(RowMoves& sum, std::vector<PrimePower> const& factors, std::size_t next, std::int64_t base,
                  std::int64_t count, std::int64_t order) {
    if (next == factors.size()) {
        if (order == 1) return;
        sum.rows += count;
        sum.walks += count / order;
        return;
    }
    add_divisors(sum, factors, next + 1, base, count, order);
    std::int64_t modulus = 1;
    for (int i = 0; i < factors[next].power; ++i) {
        std::int64_t const totient = modulus * (factors[next].prime - 1);
        modulus *= factors[next].prime;
        add_divisors(sum, factors, next + 1, base, count * totient, std::lcm(order, order_of(base, modulus, totient)));
    }
}

}  // namespace

RowMoves row_moves(std::int64_t tiles, std::int64_t columns) {
    sim::expects(tiles > 0 && columns > 0 && tiles <= (std::int64_t{1} << 31) / columns, "rows are counted in 31 bits");
    RowMoves sum;
    std::int64_t const last = tiles * columns - 1;
    if (last > 1) add_divisors(sum, factors_of(last), 0, tiles, 1, 1);
    return sum;
}

}  // namespace pimdse::models::upmem
