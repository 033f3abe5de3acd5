#!/usr/bin/env bash
# ncgen of NetCDF 4.9.0: in the format CDF-5 a column of int64 becomes one of int: 1099511627776 is 0.
#
# Guess: CDF-5, whose purpose are 64-bit data, has the same integers as netCDF-4.
# Seen:  int64 is int in the file, its numbers without their upper 32 bits, with exit code 0 and no word; uint64 is
#        kept. The same text with -k nc4 gives int64 and the right numbers; -k nc3 refuses it.
# Who:   addresses, bytes and cycles in files for PnetCDF, which reads CDF-5 and not netCDF-4: 2^40 is 0, 2^53 + 1 is 1.
# Why right to expect: the manual lists int64 among the types of CDF-5, and the tool refuses them in the older format.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
debian netcdf-bin=1:4.9.0-3+b1 libnetcdf19=1:4.9.0-3+b1 libhdf5-103-1=1.10.8+repack1-1 \
    libhdf5-hl-100=1.10.8+repack1-1

cat >trace.cdl <<'CDL'
netcdf trace {
dimensions: n = 3;
variables: int64 bytes(n); uint64 hashes(n);
data: bytes = 1099511627776, 9007199254740993, -5; hashes = 1099511627776, 9007199254740993, 5;
}
CDL
seen=$(
    for format in nc4 cdf5 nc3; do
        rm -f trace.nc
        ncgen -k $format -o trace.nc trace.cdl 2>/dev/null || { echo "$format refused"; continue; }
        ncdump -k trace.nc
        ncdump trace.nc | grep -E 'int|=.*,' | tr -s '\t ' ' '
    done
)
same "$seen" <<'EXPECTED'
netCDF-4
 int64 bytes(n) ;
 uint64 hashes(n) ;
 bytes = 1099511627776, 9007199254740993, -5 ;
 hashes = 1099511627776, 9007199254740993, 5 ;
cdf5
 int bytes(n) ;
 uint64 hashes(n) ;
 bytes = 0, 1, -5 ;
 hashes = 1099511627776, 9007199254740993, 5 ;
nc3 refused
EXPECTED
