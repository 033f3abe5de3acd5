#!/usr/bin/env bash
# numexpr 2.8.4: -7 % 3 is -1 for integers and 2 for floating-point numbers, of the same expression.
#
# Guess: 2 for both, as in NumPy, and the largest of 5, NaN and 3 is NaN, as numpy.max says.
# Seen:  integers follow C, floating-point numbers Python. max and min leave NaN out, while sum does not.
# Who:   ring and torus distances (position % size) and interleaved addresses with a negative offset: a column that is
#        read as float64, because a cell was empty, has other banks than the same column as integers.
# Why right to expect: the package calls itself an evaluator of NumPy's expressions, and pandas' eval and query, which
#        use it where it is there, should not depend on whether it is.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3-numpy python3-pandas
debian python3-numexpr=2.8.4-1+b2

seen=$(/usr/bin/python3 -B -W ignore - <<'PY'
import numexpr, numpy, pandas
for kind in ("i4", "i8", "f4", "f8"):
    offset = numpy.array([-7, 7, -8], kind)
    print(f"{offset.dtype}: numexpr", *numexpr.evaluate("offset % 3"), "NumPy", *(offset % 3))
table = pandas.DataFrame({"offset": [-7, 7, -8]})
for engine in ("numexpr", "python"):
    print(f"pandas, {engine}:", *table.eval("offset % 3", engine=engine))
times = numpy.array([5, numpy.nan, 3])
print("max", numexpr.evaluate("max(times)"), "sum", numexpr.evaluate("sum(times)"), "numpy.max", times.max())
PY
)
same "$seen" <<'EXPECTED'
int32: numexpr -1 1 -2 NumPy 2 1 1
int64: numexpr -1 1 -2 NumPy 2 1 1
float32: numexpr 2.0 1.0 1.0 NumPy 2.0 1.0 1.0
float64: numexpr 2.0 1.0 1.0 NumPy 2.0 1.0 1.0
pandas, numexpr: -1 1 -2
pandas, python: 2 1 1
max 5.0 sum nan numpy.max nan
EXPECTED
