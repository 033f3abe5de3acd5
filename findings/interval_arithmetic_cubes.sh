#!/usr/bin/env bash
# interval-arithmetic 1.1.3 (npm): the cube of [-0.1, 2] does not contain the cube of -0.1.
#
# Guess: each result contains all results for numbers of its arguments, which is what the package is for.
# Seen:  the lower bound of an odd power of a negative number is rounded towards zero, so it is too high for all of the
#        numbers below. The remainder of [5, 7] by 3 is [2, 4]; that of 7 is 1: one quotient is taken for all.
# Who:   bounds of costs and errors under uncertain constants, on a page: "cannot be less" is not proved.
# Why right to expect: the fundamental theorem of interval arithmetic (Moore, 1966) is inclusion.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
npm_packages interval-arithmetic@1.1.3

seen=$(node --input-type=module - <<'JS'
import { createRequire } from "node:module";
const interval = createRequire(`${process.cwd()}/`)("interval-arithmetic").default;
// A double as a ratio of integers, so that the comparison is exact.
const ratio = (x) => {
    let shift = 0n;
    for (; !Number.isInteger(x); x *= 2) shift += 1n;
    return [BigInt(x), 1n << shift];
};
for (const x of [0.1, 0.2, 0.7, 1.1]) {
    const low = interval.pow(interval(-x, 2), 3).lo;
    const [a, b] = ratio(-x), [c, d] = ratio(low);
    console.log(`cube of [-${x}, 2] from ${low}: ${c * b ** 3n <= a ** 3n * d ? "contains" : "lacks"} that of -${x}`);
}
for (const [low, high] of [[5, 7], [4, 8]]) {
    const { lo, hi } = interval.fmod(interval(low, high), interval(3, 3));
    console.log(`[${low}, ${high}] by 3: ${lo.toFixed(3)} to ${hi.toFixed(3)}, of ${high}: ${high % 3}`);
}
JS
)
same "$seen" <<'EXPECTED'
cube of [-0.1, 2] from -0.0009999999999999998: lacks that of -0.1
cube of [-0.2, 2] from -0.007999999999999998: lacks that of -0.2
cube of [-0.7, 2] from -0.34299999999999986: lacks that of -0.7
cube of [-1.1, 2] from -1.3309999999999997: lacks that of -1.1
[5, 7] by 3: 2.000 to 4.000, of 7: 1
[4, 8] by 3: 1.000 to 5.000, of 8: 2
EXPECTED
