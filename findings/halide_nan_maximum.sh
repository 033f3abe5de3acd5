#!/usr/bin/env bash
# Halide 14.0: the largest of 1, NaN and 0.5 is 0.5, and the smallest of 3, NaN and 5 is 5.
#
# Guess: NaN, as in NumPy, or the largest of the numbers, as fmax has it.
# Seen:  after a NaN the search begins anew, so the result is a number that is neither; NaN at the end is the result,
#        NaN at the start is not. max of NaN and the constant 1 is 1 in either order; of two arrays it is 1 or NaN by
#        their order. argmax of NaN, 1 and 0.5 is the place of 0.5.
# Who:   scaling of a layer by its largest weight, softmax: one bad number in the middle makes the scale too small, and
#        the index and the value of the maximum contradict each other.
# Why right to expect: a maximum of a reduction does not depend on the order in which it is computed.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3-numpy
debian python3-halide=14.0.0-3 libhalide14-0=14.0.0-3

seen=$(/usr/bin/python3 -B - <<'PY'
import halide as hl
import numpy

x = hl.Var()


def realize(expression):
    function = hl.Func()
    function[x] = expression
    return numpy.array(function.realize([1]))[0].item()


for values in ([1, numpy.nan, 0.5], [3, numpy.nan, 5], [numpy.nan, 1, 0.5], [1, 0.5, numpy.nan]):
    buffer = hl.Buffer(numpy.array(values, numpy.float32))
    each = buffer[hl.RDom([(0, 3)]).x]
    print(values, "max", realize(hl.maximum(each)), "min", realize(hl.minimum(each)),
          "argmax", realize(hl.argmax(each)[0]))
pair = hl.Buffer(numpy.array([numpy.nan, 1], numpy.float32))
nan, one = pair[x], pair[x + 1]
print("max(nan, 1.0)", realize(hl.max(nan, 1.0)), "max(1.0, nan)", realize(hl.max(1.0, nan)),
      "max(nan, one)", realize(hl.max(nan, one)), "max(one, nan)", realize(hl.max(one, nan)))
PY
)
same "$seen" <<'EXPECTED'
[1, nan, 0.5] max 0.5 min 0.5 argmax 0
[3, nan, 5] max 5.0 min 5.0 argmax 2
[nan, 1, 0.5] max 1.0 min 0.5 argmax 2
[1, 0.5, nan] max nan min nan argmax 2
max(nan, 1.0) 1.0 max(1.0, nan) 1.0 max(nan, one) 1.0 max(one, nan) nan
EXPECTED
