#!/usr/bin/env bash
# NCO 5.1.4: the sum of the bytes 200, 255 and 250 is 193; a mean of three equal ids is another id.
#
# Guess: 705, in a wider type or refused; 9007199254740993 (2^53 + 1).
# Seen:  ncwa adds up in a wider type and stores the result in that of the column: 705 is 193 in a byte, 98,300 is
#        32,764 in a short. The mean of the integers 1, 2, 2 is 2, and the mean goes through a double, so the id loses
#        its last digit. ncap2 computes count * 2000000000 in 32 bits. Nothing is reported.
# Who:   totals of counters, queue lengths and codes of converters that are kept in one or two bytes.
# Why right to expect: the right sum was known before it was stored, and a variable in the new file may have any type.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
debian nco=5.1.4-1+deb12u1 libnetcdf19=1:4.9.0-3+b1 netcdf-bin=1:4.9.0-3+b1 libudunits2-0=2.2.28-5 \
    libgsl27=2.7.1+dfsg-5+deb12u1 libgslcblas0=2.7.1+dfsg-5+deb12u1
export LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$work/unpacked/usr/lib:$work/unpacked/usr/lib/nco

cat >run.cdl <<'CDL'
netcdf run {
dimensions: row = 3;
variables: ubyte queue(row); short code(row); int count(row); int64 id(row);
data:
    queue = 200, 255, 250;
    code = 32767, 32767, 32766;
    count = 1, 2, 2;
    id = 9007199254740993, 9007199254740993, 9007199254740993;
}
CDL
ncgen -4 -o run.nc run.cdl
data() { ncdump "$1" | sed -n '/^data/,$p' | grep ' = ' | tr -d '\n'; echo; }
seen=$(
    ncwa -y ttl -v queue,code -a row run.nc sums.nc
    echo "sums:$(data sums.nc)"
    ncwa -v count,id -a row run.nc means.nc
    echo "means:$(data means.nc)"
    ncap2 -v -s 'bytes = count * 2000000000' run.nc new.nc
    echo "ncap2:$(data new.nc)"
)
same "$seen" <<'EXPECTED'
sums: queue = 193 ; code = 32764 ;
means: count = 2 ; id = 9007199254740992 ;
ncap2: bytes = 2000000000, -294967296, -294967296 ;
EXPECTED
