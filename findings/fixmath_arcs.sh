#!/usr/bin/env bash
# libfixmath of 2022-02-20: the arcs of sine and tangent are 0 where they are largest, and acos(1) is a right angle.
#
# Guess: the functions are right to a few last places, 1.5e-5 each, or to what their comments say.
# Seen:  asin(1), asin(-1) and atan of the largest numbers are 0, and acos(-1) is pi / 2 as acos(1) is. Between, arcs
#        are off by up to 0.01, and so are sines near pi, where the one of 3.14 is 0.0093 and not 0.0016. The header
#        says nothing of it; sqrt, multiplication and division are rounded right.
# Who:   models of arithmetic in fixed point: angles of rotary embeddings, phases, and references for hardware.
# Why right to expect: -1 and 1 are in the domain, -0.999 is near its arc, and the results can be stored.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs gcc
debian libfixmath-dev=0~20220222-3

cat >arcs.c <<'C'
#include <libfixmath/fixmath.h>
#include <math.h>
#include <stdio.h>
#define SHOW(name, x) \
    printf(#name "(%g): %.4f, by double %.4f\n", x, fix16_to_dbl(fix16_##name(fix16_from_dbl(x))), name(x))
int main(void) {
    SHOW(asin, -1.0);
    SHOW(asin, 1.0);
    SHOW(acos, -1.0);
    SHOW(acos, 1.0);
    SHOW(asin, -0.999);
    SHOW(asin, -0.5);
    SHOW(asin, 0.5);
    SHOW(sin, 3.14);
    SHOW(sin, 0.0016);
    SHOW(atan, 0.12);
    SHOW(atan, -32768.0);
    SHOW(atan, 32767.0);
}
C
gcc -O1 -Iunpacked/usr/include arcs.c -o arcs unpacked/usr/lib/x86_64-linux-gnu/liblibfixmath.a -lm
same "$(./arcs)" <<'EXPECTED'
asin(-1): 0.0000, by double -1.5708
asin(1): 0.0000, by double 1.5708
acos(-1): 1.5708, by double 3.1416
acos(1): 1.5708, by double 0.0000
asin(-0.999): -1.5328, by double -1.5261
asin(-0.5): -0.5261, by double -0.5236
asin(0.5): 0.5261, by double 0.5236
sin(3.14): 0.0093, by double 0.0016
sin(0.0016): 0.0016, by double 0.0016
atan(0.12): 0.1093, by double 0.1194
atan(-32768): 0.0000, by double -1.5708
atan(32767): 0.0000, by double 1.5708
EXPECTED
