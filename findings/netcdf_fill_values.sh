#!/usr/bin/env bash
# netCDF4 1.6.2, ncdump 4.9.0 and xarray 2023.1.0 on one file: a counter at 65535 is missing, missing, and 65535.
#
# Guess: 65535 in all three: the file states no fill value and no missing value.
# Seen:  netCDF4 takes each type's default fill value for missing although every row was written: 65535, 255, -32767,
#        2^32 - 1, 2^64 - 2. ncdump prints _ for them but for the one byte. xarray keeps all. So the mean of 1, 65535
#        and 65534 is 32767.5 or 43690.
# Who:   saturating counters and codes of converters, whose largest value is one that occurs.
#        `file.set_auto_mask(False)` turns it off.
# Why right to expect: readers of one file should agree. NetCDF's guide names the default fill values as those of data
#        that were not written, and excepts bytes: all of their values are valid.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3-numpy python3-pandas
debian python3-netcdf4=1.6.2-1+b1 python3-cftime=1.6.2-3+b1 python3-xarray=2023.01.0-1.1 libnetcdf19=1:4.9.0-3+b1 \
    netcdf-bin=1:4.9.0-3+b1

/usr/bin/python3 -B -W ignore - >python.txt <<'PY'
import netCDF4
import xarray

columns = {"u1": (1, 255, 254), "u2": (1, 65535, 65534), "i2": (1, -32767, -32768), "u4": (1, 2**32 - 1, 2**32 - 2),
           "u8": (1, 2**64 - 2, 2**64 - 1)}
with netCDF4.Dataset("counters.nc", "w") as file:
    file.createDimension("step", 3)
    for kind, values in columns.items():
        file.createVariable(kind, kind, ("step",))[:] = values
with netCDF4.Dataset("counters.nc") as file, xarray.open_dataset("counters.nc") as data:
    for kind in columns:
        print(f"{kind}: netCDF4", *file[kind][:], "xarray", *data[kind].values)
    print("mean of u2: netCDF4", file["u2"][:].mean(), "xarray", data["u2"].mean().item())
PY
same "$(cat python.txt; ncdump counters.nc | grep ' = .*,' | sed 's/^/ncdump:/')" <<'EXPECTED'
u1: netCDF4 1 -- 254 xarray 1 255 254
u2: netCDF4 1 -- 65534 xarray 1 65535 65534
i2: netCDF4 1 -- -32768 xarray 1 -32767 -32768
u4: netCDF4 1 -- 4294967294 xarray 1 4294967295 4294967294
u8: netCDF4 1 -- 18446744073709551615 xarray 1 18446744073709551614 18446744073709551615
mean of u2: netCDF4 32767.5 xarray 43690.0
ncdump: u1 = 1, 255, 254 ;
ncdump: u2 = 1, _, 65534 ;
ncdump: i2 = 1, _, -32768 ;
ncdump: u4 = 1, _, 4294967294 ;
ncdump: u8 = 1, _, 18446744073709551615 ;
EXPECTED
