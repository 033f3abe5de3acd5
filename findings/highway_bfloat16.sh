#!/usr/bin/env bash
# Highway 1.0.3: 1.999 as bfloat16 is 1.9921875, though 2 is nearer.
#
# Guess: BF16FromF32 rounds to the nearest, ties to even, as instructions of processors do.
# Seen:  the lower 16 bits are cut off: every number that is none moves toward zero, by up to a unit in the last place,
#        twice as far as by rounding, and always to one side: the sum of 1,000 weights of 0.1 is 0.39 % too small
#        instead of 0.1 % too large.
# Who:   weights and activations that are converted with it beside a model of an accelerator: errors have a bias, so
#        they add up in dot products instead of cancelling.
# Why right to expect: the header names no direction, and instructions of processors for it round to the nearest.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs g++
debian libhwy-dev=1.0.3-3+deb12u1

cat >convert.cc <<'CC'
#include <hwy/base.h>
#include <cstdio>
#include <initializer_list>
int main() {
    for (float x : std::initializer_list<float>{1.999F, 0.1F, 255.9F, -1.999F, 1.0F})
        std::printf("%g -> %.10g\n", x, hwy::F32FromBF16(hwy::BF16FromF32(x)));
    double sum = 0;
    for (int i = 0; i < 1000; ++i) sum += hwy::F32FromBF16(hwy::BF16FromF32(0.1F));
    std::printf("1,000 times 0.1: %.10g\n", sum);
}
CC
g++ -O1 -Iunpacked/usr/include convert.cc -o convert
same "$(./convert)" <<'EXPECTED'
1.999 -> 1.9921875
0.1 -> 0.099609375
255.9 -> 255
-1.999 -> -1.9921875
1 -> 1
1,000 times 0.1: 99.609375
EXPECTED
