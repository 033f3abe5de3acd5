#!/usr/bin/env bash
# SIMDe 0.7.4: half precision rounded toward zero is rounded to nearest: 65520 is infinity, not 65504.
#
# Guess: simde_mm_cvtps_ph() follows its rounding argument as the instruction does.
# Seen:  its argument is ignored, in the portable form and in that which is the instruction: down, up and toward zero
#        are all the nearest. 1.0009 rounded down is above it.
# Who:   emulation of narrow formats, and bounds that are rounded to a safe side, in code that is to run on any
#        processor.
# Why right to expect: the library's functions stand for the instructions, and this one has the argument.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs gcc
debian libsimde-dev=0.7.4~rc2-2

cat >halves.c <<'C'
#include <simde/x86/f16c.h>
#include <stdio.h>
#ifdef INTRINSIC
#include <immintrin.h>
#define HALF(mode) (unsigned)(_mm_cvtsi128_si32(_mm_cvtps_ph(_mm_set1_ps(number), mode)) & 0xffff)
#else
#define HALF(mode) (unsigned)(simde_mm_cvtsi128_si32(simde_mm_cvtps_ph(simde_mm_set1_ps(number), mode)) & 0xffff)
#endif
int main(void) {
    const float numbers[] = {1.0009f, 65520, 5.9e-5f};
    for (int index = 0; index < 3; ++index) {
        volatile float number = numbers[index];
        printf("%g: nearest %04x, down %04x, up %04x, toward zero %04x\n", number, HALF(0), HALF(1), HALF(2), HALF(3));
    }
}
C
seen=$(
    for options in "-mf16c -DINTRINSIC" -mf16c -O1; do
        gcc -O1 $options -Iunpacked/usr/include halves.c -o halves
        echo "built with $options"
        ./halves
    done
)
same "$seen" <<'EXPECTED'
built with -mf16c -DINTRINSIC
1.0009: nearest 3c01, down 3c00, up 3c01, toward zero 3c00
65520: nearest 7c00, down 7bff, up 7c00, toward zero 7bff
5.9e-05: nearest 03de, down 03dd, up 03de, toward zero 03dd
built with -mf16c
1.0009: nearest 3c01, down 3c01, up 3c01, toward zero 3c01
65520: nearest 7c00, down 7c00, up 7c00, toward zero 7c00
5.9e-05: nearest 03de, down 03de, up 03de, toward zero 03de
built with -O1
1.0009: nearest 3c01, down 3c01, up 3c01, toward zero 3c01
65520: nearest 7c00, down 7c00, up 7c00, toward zero 7c00
5.9e-05: nearest 03de, down 03de, up 03de, toward zero 03de
EXPECTED
