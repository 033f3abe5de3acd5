#!/usr/bin/env bash
# NumPy 1.24.2, libstdc++ 12: of 10^18 bits with 1e-17 errors each, 0 or 5.5 fail on average; 10 are to be expected.
#
# Guess: about 10.
# Seen:  both compute with 1 - p, which is 1 from p = 1.1e-16 down and is coarse above. NumPy's mean is 0 in both its
#        generators, and libstdc++'s 5.5. The number of bits before the first error, about 1e17, is negative in NumPy's
#        older generator and in libstdc++, and positive in NumPy's newer one.
# Who:   soft errors of a memory: 1e-17 per bit and second, 1e18 bits and seconds. Draw from a Poisson distribution
#        with the mean n p.
# Why right to expect: n and p are in the documented ranges (a whole number, and a number from 0 to 1).
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs g++
debian python3-numpy=1:1.24.2-1+deb12u1
case $(g++ -dumpfullversion) in 12.*) ;; *) echo "needs: g++ 12" >&2; exit 2 ;; esac

cat >errors.cpp <<'CPP'
#include <iostream>
#include <random>
int main() {
    for (const auto& [bits, rate] : {std::pair{100'000'000'000'000, 1e-13}, {1'000'000'000'000'000'000, 1e-17}}) {
        std::mt19937_64 random(1);
        std::binomial_distribution<long> errors(bits, rate);
        double sum = 0;
        for (int i = 0; i < 1000; ++i) sum += static_cast<double>(errors(random));
        const long first = std::geometric_distribution<long>(rate)(random);
        std::cout << "libstdc++ " << double(bits) << " bits, " << rate << ": mean " << sum / 1000 << ", first error "
                  << (first < 0 ? "negative" : "positive") << '\n';
    }
}
CPP
g++ -std=c++17 -O1 errors.cpp -o errors
seen=$(
    /usr/bin/python3 -B - <<'PY'
import numpy
for bits, rate in ((10**14, 1e-13), (10**18, 1e-17)):
    for random in (numpy.random.default_rng(1), numpy.random.RandomState(1)):
        mean = random.binomial(bits, rate, 1000).mean()
        first = random.geometric(rate)
        print(f"{type(random).__name__} {bits:g} bits, {rate:g}: mean {mean:.1f}, first error",
              "positive" if first > 0 else "negative")
PY
    ./errors
)
same "$seen" <<'EXPECTED'
Generator 1e+14 bits, 1e-13: mean 10.0, first error positive
RandomState 1e+14 bits, 1e-13: mean 10.0, first error positive
Generator 1e+18 bits, 1e-17: mean 0.0, first error positive
RandomState 1e+18 bits, 1e-17: mean 0.0, first error negative
libstdc++ 1e+14 bits, 1e-13: mean 10.22, first error positive
libstdc++ 1e+18 bits, 1e-17: mean 5.571, first error negative
EXPECTED
