#!/usr/bin/env bash
# statsmodels 0.13.5: a median regression of 5 to 98 ns, given in seconds, is the one by least squares.
#
# Guess: coefficients in another unit are the same coefficients.
# Seen:  QuantReg ends once a step is below 1e-6, so with nanoseconds it returns its start, least squares, without a
#        warning; in microseconds it ends early. GLM, with its normal distribution, fails at 1e-12 with "Perfect
#        separation detected", though nothing fits perfectly. OLS and RLM are right for all.
# Who:   trends of medians and tails (p99) over measured latencies or energies: outliers count as in a mean. Give it
#        nanoseconds and picojoules, or set p_tol.
# Why right to expect: a quantile of numbers in another unit is the same quantile; p_tol is documented as a tolerance,
#        not as one of the coefficients' unit.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3-scipy python3-pandas
debian python3-numpy=1:1.24.2-1+deb12u1 python3-statsmodels=0.13.5+dfsg-7 python3-statsmodels-lib=0.13.5+dfsg-7 \
    python3-patsy=0.5.3-1

seen=$(/usr/bin/python3 -B -W ignore - <<'PY'
import numpy, statsmodels.api
from statsmodels.tools.sm_exceptions import PerfectSeparationError
banks = numpy.arange(1.0, 13.0)
latency = numpy.array([5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 95, 97.5])
inputs = statsmodels.api.add_constant(banks)
for unit in (1, 1e-6, 1e-9, 1e-12):
    for name in ("QuantReg", "RLM", "OLS", "GLM"):
        try:
            offset, slope = getattr(statsmodels.api, name)(latency * unit, inputs).fit().params / unit
            print(f"unit {unit:g}, {name}: {offset:.2f} + {slope:.2f} banks")
        except PerfectSeparationError as error:
            print(f"unit {unit:g}, {name}: {error}")
PY
)
same "$seen" <<'EXPECTED'
unit 1, QuantReg: 3.00 + 2.00 banks
unit 1, RLM: 2.95 + 2.01 banks
unit 1, OLS: -17.23 + 6.91 banks
unit 1, GLM: -17.23 + 6.91 banks
unit 1e-06, QuantReg: 1.88 + 2.30 banks
unit 1e-06, RLM: 2.95 + 2.01 banks
unit 1e-06, OLS: -17.23 + 6.91 banks
unit 1e-06, GLM: -17.23 + 6.91 banks
unit 1e-09, QuantReg: -17.23 + 6.91 banks
unit 1e-09, RLM: 2.95 + 2.01 banks
unit 1e-09, OLS: -17.23 + 6.91 banks
unit 1e-09, GLM: -17.23 + 6.91 banks
unit 1e-12, QuantReg: -17.23 + 6.91 banks
unit 1e-12, RLM: 2.95 + 2.01 banks
unit 1e-12, OLS: -17.23 + 6.91 banks
unit 1e-12, GLM: Perfect separation detected, results not available
EXPECTED
