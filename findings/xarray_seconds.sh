#!/usr/bin/env bash
# xarray 2023.1.0: a latency of 0.4e-9 with the attribute units = "seconds" is read as 0, and 2.5e-9 as 2 ns.
#
# Guess: floating-point numbers stay what they are; only "seconds since ..." are times.
# Seen:  a variable whose unit is seconds, milliseconds, microseconds, nanoseconds, minutes, hours or days in full
#        becomes a timedelta64 in whole nanoseconds, cut off. With "s" or "ms" as the unit nothing happens. There is no
#        warning.
# Who:   results with latencies and cycle times: the same column is a number or a whole time by the spelling of its
#        unit. `open_dataset(file, decode_timedelta=False)` keeps the numbers. (Issue 1621 of the project; versions of
#        2026 no longer do it.)
# Why right to expect: CF's conventions give a variable of time "units since" a date; a duration is a number with a
#        unit.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3-numpy python3-pandas python3-scipy
debian python3-xarray=2023.01.0-1.1

seen=$(/usr/bin/python3 -B -W ignore - <<'PY'
import numpy
import scipy.io
import xarray

with scipy.io.netcdf_file("times.nc", "w") as file:
    file.createDimension("design", 3)
    for name, unit in (("a", "seconds"), ("b", "s"), ("c", "microseconds"), ("d", "us"), ("e", "cycles")):
        column = file.createVariable(name, "f8", ("design",))
        column.units = unit
        column[:] = [0.4e-9, 2.5e-9, 1.5]
for decode in (None, False):
    with xarray.open_dataset("times.nc", engine="scipy", decode_timedelta=decode) as data:
        for name in data:
            unit = data[name].encoding.get("units") or data[name].attrs["units"]
            print(f"decode_timedelta={decode}: {unit}: {data[name].dtype}", *data[name].values.astype("O"))
PY
)
same "$seen" <<'EXPECTED'
decode_timedelta=None: seconds: timedelta64[ns] 0 2 1500000000
decode_timedelta=None: s: float64 4e-10 2.5e-09 1.5
decode_timedelta=None: microseconds: timedelta64[ns] 0 0 1500
decode_timedelta=None: us: float64 4e-10 2.5e-09 1.5
decode_timedelta=None: cycles: float64 4e-10 2.5e-09 1.5
decode_timedelta=False: seconds: float64 4e-10 2.5e-09 1.5
decode_timedelta=False: s: float64 4e-10 2.5e-09 1.5
decode_timedelta=False: microseconds: float64 4e-10 2.5e-09 1.5
decode_timedelta=False: us: float64 4e-10 2.5e-09 1.5
decode_timedelta=False: cycles: float64 4e-10 2.5e-09 1.5
EXPECTED
