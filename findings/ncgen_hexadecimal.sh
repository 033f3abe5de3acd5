#!/usr/bin/env bash
# ncgen of NetCDF 4.9.0: the address 0x100000040 is 67108880, 0x10000 is 16, and 0x7ff is 61567.
#
# Guess: hexadecimal constants are those of C, and what does not fit the type of its variable is refused.
# Seen:  one with more than two digits has its bytes or half bytes out of order, with LL behind it only its last 32
#        bits; 0xFF and 0x40 are right. A decimal number beyond its variable's type wraps: 3000000000 in an int is
#        -1294967296, 300 in a byte is 44. 010 is 8, also in a double. Beyond 64 bits there is an error, "integer
#        constant out of range".
# Who:   addresses, masks and counts of bytes in small test files that are written as text (CDL).
# Why right to expect: the manual page has 0x7ff and 0x7ffs as examples of hexadecimal constants.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
debian netcdf-bin=1:4.9.0-3+b1 libnetcdf19=1:4.9.0-3+b1

seen=$(
    while read -r type text; do
        echo "netcdf one { variables: $type value ; data: value = $text ; }" >one.cdl
        ncgen -4 -o one.nc one.cdl
        echo "$type $text: $(ncdump one.nc | sed -n 's/^ value = \(.*\) ;/\1/p')"
    done <<'CONSTANTS'
int 0x40
int 0xFF
int 0x7ff
int 0x10000
int64 0x100000040
int64 0x100000040LL
double 0x80000000
int 3000000000
int64 3000000000
byte 300
double 010
CONSTANTS
)
same "$seen" <<'EXPECTED'
int 0x40: 64
int 0xFF: 255
int 0x7ff: 61567
int 0x10000: 16
int64 0x100000040: 67108880
int64 0x100000040LL: 64
double 0x80000000: 6.32404026676796e-322
int 3000000000: -1294967296
int64 3000000000: 3000000000
byte 300: 44
double 010: 8
EXPECTED
