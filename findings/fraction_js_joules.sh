#!/usr/bin/env bash
# fraction.js 5.3.4: Fraction(5e-12) is 0, and Fraction(1234567.891) is 1234567.901.
#
# Guess: 1/200000000000, and 1234567891/1000, or the exact fraction of the double.
# Seen:  numbers are approximated by fractions whose denominator is at most 10^7 after a shift by a power of ten that
#        only numbers above 1 get: below 5e-8 all are 0, and large ones have some eight digits. As texts without an
#        exponent they are exact; a text with one is refused.
# Who:   ratios of cycles and clocks, and energies in joules, computed "exactly": 5 pJ is nothing, and a quotient by it
#        is a division by zero.
# Why right to expect: the page says that numbers are represented without loss of precision, and 0.1 + 0.2 is exact.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
npm_packages fraction.js@5.3.4

seen=$(node --input-type=module - <<'JS'
import Fraction from "fraction.js";

for (const number of [0.3, 1e-7, 2.5e-8, 5e-12, 1234567.891, 1 / 3e9, 0.1234567891])
    console.log(number, "->", new Fraction(number).toFraction(), new Fraction(number).valueOf());
console.log("as texts:", new Fraction("0.000000000005").toFraction(), new Fraction("1234567.891").toFraction());
JS
)
same "$seen" <<'EXPECTED'
0.3 -> 3/10 0.3
1e-7 -> 1/10000000 1e-7
2.5e-8 -> 0 0
5e-12 -> 0 0
1234567.891 -> 100000000/81 1234567.9012345679
3.333333333333333e-10 -> 0 0
0.1234567891 -> 10/81 0.12345679012345678
as texts: 1/200000000000 1234567891/1000
EXPECTED
