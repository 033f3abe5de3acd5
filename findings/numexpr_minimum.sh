#!/usr/bin/env bash
# numexpr 2.8.4: the smallest of the integers 120, 100 and 110 is -1, the largest of -120, -100 and -110 is 0.
#
# Guess: 100 and -100.
# Seen:  min begins with -1 and max with 0 for all integers up to 32 bits but unsigned 32, also along an axis. Of 64
#        bits and of floating-point numbers both are right.
# Who:   counters, queue lengths and cycles in 8, 16 or 32 bits: the smallest is -1 where all are positive.
# Why right to expect: its user guide lists min and max of an axis beside sum and prod, which are right for all types.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3-numpy
debian python3-numexpr=2.8.4-1+b2

seen=$(/usr/bin/python3 -B - <<'PY'
import numexpr, numpy
for kind in ("u1", "i2", "i4", "u4", "i8", "f8"):
    cycles = numpy.array([120, 100, 110], kind)
    print(f"{cycles.dtype}: min", numexpr.evaluate("min(cycles)"), "sum", numexpr.evaluate("sum(cycles)"))
for kind in ("i2", "i4", "i8", "f8"):
    slack = -numpy.array([120, 100, 110], kind)
    print(f"{slack.dtype}: max", numexpr.evaluate("max(slack)"))
table = numpy.array([[5, 7], [9, 8]], "i4")
print("along an axis:", numexpr.evaluate("min(table, axis=1)"))
PY
)
same "$seen" <<'EXPECTED'
uint8: min -1 sum 330
int16: min -1 sum 330
int32: min -1 sum 330
uint32: min 100 sum 330
int64: min 100 sum 330
float64: min 100.0 sum 330.0
int16: max 0
int32: max 0
int64: max -100
float64: max -100.0
along an axis: [-1 -1]
EXPECTED
