#!/usr/bin/env bash
# numcodecs 0.11.0: the filter Delta of Zarr gives 3 and 2e-12 back as 3 and 2.0002e-12, and after infinity NaN.
#
# Guess: a filter without a parameter of precision gives back what it was given.
# Seen:  differences and their sums are rounded in the column's own type: digits are lost where sizes differ, all of
#        them behind a large number, and everything behind the first infinity or NaN. Integers come back, also
#        unsigned ones.
# Who:   columns of seconds and joules in Zarr with Delta before the compression.
# Why right to expect: the package has filters that round (Quantize, FixedScaleOffset), which say so and have a
#        parameter for it; of this one it only says that it stores differences.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
debian python3-numpy=1:1.24.2-1+deb12u1 python3-numcodecs=0.11.0+ds-4+b1 libblosc1=1.21.3+ds-1 libsnappy1v5=1.1.9-3 \
    python3-entrypoints=0.4-2 python3-typing-extensions=4.4.0-1

seen=$(/usr/bin/python3 -B -W ignore - <<'PY'
import numcodecs, numpy
for kind, numbers in (("f8", [3, 2e-12, 5e-9]), ("f8", [1e17, 7, 2, 9]), ("f8", [1, numpy.inf, 2, 3]),
                      ("f4", [100, 0.1, 200]), ("i8", [2**63 - 1, -5, 7]), ("u8", [2**64 - 1, 3, 2**63])):
    column = numpy.array(numbers, kind)
    delta = numcodecs.Delta(kind)
    print(kind, *column, "->", *delta.decode(delta.encode(column)))
PY
)
same "$seen" <<'EXPECTED'
f8 3.0 2e-12 5e-09 -> 3.0 2.000177801164682e-12 5.000000177801165e-09
f8 1e+17 7.0 2.0 9.0 -> 1e+17 0.0 -5.0 2.0
f8 1.0 inf 2.0 3.0 -> 1.0 inf nan nan
f4 100.0 0.1 200.0 -> 100.0 0.099998474 200.0
i8 9223372036854775807 -5 7 -> 9223372036854775807 -5 7
u8 18446744073709551615 3 9223372036854775808 -> 18446744073709551615 3 9223372036854775808
EXPECTED
