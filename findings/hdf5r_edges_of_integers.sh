#!/usr/bin/env bash
# hdf5r 1.3.8 (R): the smallest 32-bit integer is read as missing, and unsigned numbers from 2^63 on are all one number.
#
# Guess: R has no such integers, so they come as doubles or 64-bit integers; 2^63 + 5 is rounded or refused.
# Seen:  -2147483648 is NA, because R marks missing integers by it; a column with it is still read as integers. Of
#        unsigned 64-bit numbers 2^63 + 5 and 2^64 - 1 become 9223372036854775807 both, without a warning, so two
#        different seeds or ids are equal.
# Who:   whoever reads seeds, hashes or sentinels (-2^31) of a result file in R.
# Why right to expect: unsigned 32-bit numbers above 2^31 are read as doubles, each right.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3-h5py
unpack_r r-cran-hdf5r=1.3.8+dfsg-1 r-cran-bit64=4.0.5-1 r-cran-bit=4.0.5-1 r-cran-r6=2.5.1-1

/usr/bin/python3 -B - <<'PY'
import h5py, numpy
with h5py.File("edges.h5", "w") as file:
    file["int32"] = numpy.array([-2**31, 7], "i4")
    file["uint32"] = numpy.array([2**32 - 1, 7], "u4")
    file["uint64"] = numpy.array([2**63 + 5, 2**64 - 1], "u8")
PY
seen=$(
    r_script <<'R'
suppressMessages(library(hdf5r))
file <- H5File$new("edges.h5", "r")
for (name in names(file)) {
    column <- file[[name]][]
    cat(name, class(column)[1], paste(as.character(column), collapse = " "), "\n")
}
cat("equal:", file[["uint64"]][1] == file[["uint64"]][2], "\n")
R
)
same "$seen" <<'EXPECTED'
int32 integer NA 7 
uint32 numeric 4294967295 7 
uint64 integer64 9223372036854775807 9223372036854775807 
equal: TRUE 
EXPECTED
