#!/usr/bin/env bash
# ncmpidiff of PnetCDF 1.12.3: bytes are never compared; with a tolerance, 0 and 3,000,000,000 are no difference.
#
# Guess: two files whose numbers differ are reported, variable by variable, with or without a tolerance.
# Seen:  variables of the type byte are left out, whatever is in them; cdfdiff of the same package reports them. With
#        -t 1,0.5 the differences of 32 bits wrap: 0 and 3,000,000,000 and 2,000,000,000 and -2,000,000,000 pass in
#        both tools, while 30,000 and -30,000 in 16 bits are reported. Exit code 0 is "the same".
# Who:   checks that two runs gave the same results: weights in int8 may all differ, and so may counters.
# Why right to expect: the page says that the contents are compared; these differences are beyond both tolerances.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs_open_mpi
debian pnetcdf-bin=1.12.3-1 libpnetcdf0d=1.12.3-1 netcdf-bin=1:4.9.0-3+b1 libnetcdf19=1:4.9.0-3+b1 \
    libhdf5-103-1=1.10.8+repack1-1 libhdf5-hl-100=1.10.8+repack1-1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# name, type, numbers
file() { echo "netcdf f { dimensions: n = 3; variables: $2 v(n); data: v = $3; }" | ncgen -k cdf5 -o "$1.nc"; }
# type, numbers, other numbers, options
compared() {
    local tool said
    file one "$1" "$2"
    file two "$1" "$3"
    for tool in ncmpidiff cdfdiff; do
        said=equal
        $tool "${@:4}" one.nc two.nc >said.txt 2>&1 || said=different
        grep -q Number.of.differences said.txt || said=equal
        echo "$1 $2 and $3 by $tool ${*:4}: $said"
    done
}
same "$(
    compared byte 1,2,3 9,-8,7
    compared ubyte 1,2,3 9,8,7
    compared short 30000,1,1 -30000,1,1 -t 1,0.5
    compared int 2000000000,1,1 -2000000000,1,1 -t 1,0.5
    compared uint 0,1,1 3000000000,1,1 -t 1,0.5
    compared uint 0,1,1 3000000000,1,1
)" <<'EXPECTED'
byte 1,2,3 and 9,-8,7 by ncmpidiff : equal
byte 1,2,3 and 9,-8,7 by cdfdiff : different
ubyte 1,2,3 and 9,8,7 by ncmpidiff : different
ubyte 1,2,3 and 9,8,7 by cdfdiff : different
short 30000,1,1 and -30000,1,1 by ncmpidiff -t 1,0.5: different
short 30000,1,1 and -30000,1,1 by cdfdiff -t 1,0.5: different
int 2000000000,1,1 and -2000000000,1,1 by ncmpidiff -t 1,0.5: equal
int 2000000000,1,1 and -2000000000,1,1 by cdfdiff -t 1,0.5: equal
uint 0,1,1 and 3000000000,1,1 by ncmpidiff -t 1,0.5: equal
uint 0,1,1 and 3000000000,1,1 by cdfdiff -t 1,0.5: equal
uint 0,1,1 and 3000000000,1,1 by ncmpidiff : different
uint 0,1,1 and 3000000000,1,1 by cdfdiff : different
EXPECTED
