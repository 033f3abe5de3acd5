#!/usr/bin/env bash
# pandas 1.5.3: the skewness and kurtosis of 1, 2, 4 and 9 pJ are 1.33 and 1.5, and 0 if they are given in joules.
#
# Guess: shapes of a distribution have no unit.
# Seen:  sums of powers below 1e-14 count as 0, so both are 0 from numbers of 1e-6 down. In a rolling window both are
#        NaN from 1e-9 down. Neither warns.
# Who:   columns of seconds and joules in a summary: a tail that is there looks like none.
# Why right to expect: SciPy's skew and kurtosis are the same in every unit; the documentation names no limit.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
debian python3-numpy=1:1.24.2-1+deb12u1 python3-pandas=1.5.3+dfsg-2 python3-pandas-lib=1.5.3+dfsg-2
needs python3-scipy python3-dateutil python3-tz

seen=$(/usr/bin/python3 -B - <<'PY'
import pandas, scipy.stats
for unit in (1, 1e-3, 1e-6, 1e-9, 1e-12):
    column = pandas.Series([1.0, 2.0, 4.0, 9.0]) * unit
    skew = scipy.stats.skew(column, bias=False)
    print(f"unit {unit:g}: skewness {column.skew():.2f}, kurtosis {column.kurt():.2f}, rolling skewness "
          f"{column.rolling(4).skew().iloc[-1]:.2f}, rolling kurtosis {column.rolling(4).kurt().iloc[-1]:.2f}, "
          f"of SciPy {skew:.2f} and {scipy.stats.kurtosis(column, bias=False):.2f}")
PY
)
same "$seen" <<'EXPECTED'
unit 1: skewness 1.33, kurtosis 1.50, rolling skewness 1.33, rolling kurtosis 1.50, of SciPy 1.33 and 1.50
unit 0.001: skewness 1.33, kurtosis 1.50, rolling skewness 1.33, rolling kurtosis 1.50, of SciPy 1.33 and 1.50
unit 1e-06: skewness 0.00, kurtosis 0.00, rolling skewness 1.33, rolling kurtosis 1.50, of SciPy 1.33 and 1.50
unit 1e-09: skewness 0.00, kurtosis 0.00, rolling skewness nan, rolling kurtosis nan, of SciPy 1.33 and 1.50
unit 1e-12: skewness 0.00, kurtosis 0.00, rolling skewness nan, rolling kurtosis nan, of SciPy 1.33 and 1.50
EXPECTED
