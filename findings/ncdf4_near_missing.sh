#!/usr/bin/env bash
# ncdf4 1.21 (R): with the missing value 1000 the numbers 999.996 and 1000.005 are missing too.
#
# Guess: only 1000 is missing, as for RNetCDF and netCDF4 of Python.
# Seen:  floating-point numbers that are within 1e-5 of the missing value, relative to it, become NA; integers are
#        compared exactly. There is no message.
# Who:   columns with a round number for "no value" (1000 ms, 1e6 cycles, -1) in which real values come near it, such as
#        a time limit that is also the marker.
# Why right to expect: the conventions say that missing_value is a value; ncvar_get's text speaks of values that match
#        it.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3-numpy python3-scipy
unpack_r r-cran-ncdf4=1.21-1 libnetcdf19=1:4.9.0-3+b1

/usr/bin/python3 -B -W ignore - <<'PY'
import numpy
import scipy.io

with scipy.io.netcdf_file("times.nc", "w") as file:
    file.createDimension("run", 4)
    for name, kind, factor in (("time", "f8", 1), ("time_single", "f4", 1), ("cycles", "i4", 1000)):
        column = file.createVariable(name, kind, ("run",))
        column.missing_value = numpy.array(1000 * factor, kind)
        column[:] = numpy.array([999.996, 1000.005, 1000.02, 7]) * factor
PY
seen=$(r_script <<'R'
file <- ncdf4::nc_open("times.nc")
for (name in names(file$var)) cat(name, format(ncdf4::ncvar_get(file, name), digits = 8), "\n")
R
)
same "$seen" <<'EXPECTED'
time      NA      NA 1000.02    7.00 
time_single      NA      NA 1000.02    7.00 
cycles  999996 1000005 1000020    7000 
EXPECTED
