#!/usr/bin/env bash
# pandas 1.5.3: to_numeric of 1e-12 and 5e-12 with downcast="integer" is 0 and 0; so is fillna with downcast="infer".
#
# Guess: they are no integers, so they stay as they are.
# Seen:  numbers may differ by 1e-8 from the integers that replace them. Times of 1e-9 s and energies of 1e-12 J become
#        0, and 2.000000001 becomes 2; 2e-8 stays. With downcast="float", 1e-50 is 0 in single precision.
# Who:   tables of results made smaller after reading: columns of seconds and joules are zeros.
# Why right to expect: the documentation says that data is only changed to a smaller type where possible, which for 1.5
#        it is not.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
debian python3-numpy=1:1.24.2-1+deb12u1 python3-pandas=1.5.3+dfsg-2 python3-pandas-lib=1.5.3+dfsg-2
needs python3-dateutil python3-tz

seen=$(/usr/bin/python3 -B - <<'PY'
import numpy, pandas
for numbers in ([1.0, 2.0], [1.5, 2.0], [1e-12, 5e-12], [3e-9, 4e-9], [2.000000001, 3.0], [2e-8, 0.0]):
    column = pandas.Series(numbers)
    integers = pandas.to_numeric(column, downcast="integer")
    filled = pandas.Series(numbers + [numpy.nan]).fillna(0, downcast="infer")
    print(*numbers, "->", *integers, f"{integers.dtype}; filled", *filled)
floats = pandas.to_numeric(pandas.Series([1e-50, 2e-50]), downcast="float")
print(*floats, floats.dtype)
PY
)
same "$seen" <<'EXPECTED'
1.0 2.0 -> 1 2 int8; filled 1 2 0
1.5 2.0 -> 1.5 2.0 float64; filled 1.5 2.0 0.0
1e-12 5e-12 -> 0 0 int8; filled 0 0 0
3e-09 4e-09 -> 0 0 int8; filled 0 0 0
2.000000001 3.0 -> 2 3 int8; filled 2 3 0
2e-08 0.0 -> 2e-08 0.0 float64; filled 2e-08 0.0 0.0
0.0 0.0 float32
EXPECTED
