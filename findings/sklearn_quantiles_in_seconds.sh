#!/usr/bin/env bash
# scikit-learn 1.2.1: QuantileTransformer maps 1 to 64 ns, given in seconds, all to one number, -5.2.
#
# Guess: quantiles do not depend on the unit.
# Seen:  with normal output, everything within 1e-7 of the smallest number counts as the smallest, and of the
#        largest as the largest. The uniform output is right.
# Who:   inputs or targets in seconds or joules, made normal before a surrogate model or a clustering: a constant
#        column, without a warning. Give it nanoseconds and picojoules.
# Why right to expect: the transformation is that of ranks, which its text calls non-parametric; the 1e-7 is no
#        parameter and not in its text.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3-numpy python3-scipy
debian python3-sklearn=1.2.1+dfsg-1 python3-sklearn-lib=1.2.1+dfsg-1 python3-joblib=1.2.0-4+deb12u1 \
    python3-threadpoolctl=3.1.0-1

seen=$(/usr/bin/python3 -B - <<'PY'
import numpy
from sklearn.preprocessing import QuantileTransformer

latency = numpy.arange(1.0, 65.0).reshape(-1, 1)
for unit in (1, 1e-6, 1e-8, 1e-9):
    for output in ("uniform", "normal"):
        numbers = QuantileTransformer(n_quantiles=64, output_distribution=output).fit_transform(latency * unit)
        print(f"unit {unit:g}, {output}:", *(f"{number:.3f}" for number in numbers[[0, 1, 32, 62, 63], 0]))
PY
)
same "$seen" <<'EXPECTED'
unit 1, uniform: 0.000 0.016 0.508 0.984 1.000
unit 1, normal: -5.199 -2.148 0.020 2.148 5.199
unit 1e-06, uniform: 0.000 0.016 0.508 0.984 1.000
unit 1e-06, normal: -5.199 -2.148 0.020 2.148 5.199
unit 1e-08, uniform: 0.000 0.016 0.508 0.984 1.000
unit 1e-08, normal: -5.199 -5.199 0.020 5.199 5.199
unit 1e-09, uniform: 0.000 0.016 0.508 0.984 1.000
unit 1e-09, normal: -5.199 -5.199 -5.199 -5.199 -5.199
EXPECTED
