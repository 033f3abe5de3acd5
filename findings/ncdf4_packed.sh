#!/usr/bin/env bash
# ncdf4 1.21 (R): a packed column that is read and written back unchanged is another column.
#
# Guess: ncvar_put packs what ncvar_get unpacks: 10, 10.5, 11 and 11.5 stay what they are.
# Seen:  ncvar_get applies scale_factor and add_offset, ncvar_put does not: 10, 10.5, 11 and 11.5 are stored as the
#        codes 10, 10, 11 and 11 and read back as 15, 15, 15.5 and 15.5. There is no message.
# Who:   activations, codes of converters and counters stored as 16-bit integers with a scale: one corrected value, put
#        back with the column, changes all others.
# Why right to expect: what one function undoes the other should do, as in netCDF4 of Python, which packs on writing.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3-numpy python3-scipy
unpack_r r-cran-ncdf4=1.21-1 libnetcdf19=1:4.9.0-3+b1

/usr/bin/python3 -B -W ignore - <<'PY'
import scipy.io

with scipy.io.netcdf_file("codes.nc", "w") as file:
    file.createDimension("cell", 4)
    column = file.createVariable("charge", "i2", ("cell",))
    column.scale_factor, column.add_offset = 0.5, 10.0
    column[:] = [0, 1, 2, 3]
PY
seen=$(r_script <<'R'
file <- ncdf4::nc_open("codes.nc", write = TRUE)
charge <- ncdf4::ncvar_get(file, "charge")
cat("read:", charge, "\n")
ncdf4::ncvar_put(file, "charge", charge)
ncdf4::nc_close(file)
file <- ncdf4::nc_open("codes.nc")
cat("read again:", ncdf4::ncvar_get(file, "charge"), "\n")
R
)
same "$seen" <<'EXPECTED'
read: 10 10.5 11 11.5 
read again: 15 15 15.5 15.5 
EXPECTED
