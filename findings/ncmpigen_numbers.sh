#!/usr/bin/env bash
# ncmpigen of PnetCDF 1.12.3: NaN is stored as 9.97e36, 2^64 - 1 as 0, 2^53 + 1 as 2^53.
#
# Guess: the numbers of the text are stored, as ncgen of NetCDF stores them, or refused.
# Seen:  NaN and Infinity become the fill value, which readers take for missing, and -Infinity is minus the fill value,
#        which is a number to all of them. Integers go through double precision: 2^53 + 1 loses its 1, 2^63 - 1 has the
#        other sign, 2^64 - 1 is 0. Exit code 0.
# Who:   results kept as text beside the code and made into files for a parallel run: an infinite latency, as "does not
#        fit", is no number any more, or -9.97e36.
# Why right to expect: the page offers to print a file, edit the text and make it a file again, and NetCDF's ncgen,
#        whose language it is, reads NaN and Infinity.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs_open_mpi
debian pnetcdf-bin=1.12.3-1 libpnetcdf0d=1.12.3-1 netcdf-bin=1:4.9.0-3+b1 libnetcdf19=1:4.9.0-3+b1 \
    libhdf5-103-1=1.10.8+repack1-1 libhdf5-hl-100=1.10.8+repack1-1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

cat >results.cdl <<'CDL'
netcdf results {
dimensions: n = 4;
variables: float f(n); double d(n); int64 i(n); uint64 u(n);
data: f = NaN, 2, Infinity, -Infinity; d = NaN, 5e-12, Infinity, -Infinity;
    i = 9007199254740993, 9223372036854775807, -9007199254740993, 3; u = 18446744073709551615, 9007199254740993, 2, 3;
}
CDL
numbers() { ncdump "$1" | grep '=.*,'; }
same "$(
    ncmpigen -v 5 -o results.nc results.cdl
    echo ncmpigen
    numbers results.nc
    ncgen -k cdf5 -o other.nc results.cdl
    echo ncgen, floating-point columns
    numbers other.nc | head -2
)" <<'EXPECTED'
ncmpigen
 f = _, 2, _, -9.96921e+36 ;
 d = _, 5e-12, _, -9.96920996838687e+36 ;
 i = 9007199254740992, -9223372036854775808, -9007199254740992, 3 ;
 u = 0, 9007199254740992, 2, 3 ;
ncgen, floating-point columns
 f = NaNf, 2, Infinityf, -Infinityf ;
 d = NaN, 5e-12, Infinity, -Infinity ;
EXPECTED
