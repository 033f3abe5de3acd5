#!/usr/bin/env bash
# netcdfjs 4.0.0: the padding of a record is read as data: three shorts a step are four, one byte a step is four.
#
# Guess: padding is skipped; at most the exception, a file with one record variable, which has none, is missed.
# Seen:  each step of a variable of three shorts ends with -32767, and a flag of one byte comes as a list of four. A
#        file with one record variable of shorts is not read (beyond the end). Variables of 4 and 8 bytes are right.
# Who:   counters, flags and codes of converters in one or two bytes along time, on a page or in Node.
# Why right to expect: the file format specification of NetCDF classic: the data of a record are padded to a multiple of
#        4 bytes, and vsize counts this padding; ncdump reads the same files right.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs libhdf5-dev libcurl3-gnutls
debian netcdf-bin=1:4.9.0-3+b1 libnetcdf19=1:4.9.0-3+b1
npm_packages netcdfjs@4.0.0

cat >two.cdl <<'CDL'
netcdf two {
dimensions: step = UNLIMITED ; lane = 3 ;
variables: short code(step, lane) ; byte done(step) ; double joules(step) ;
data: code = 1, 2, 3, 4, 5, 6 ; done = 1, 2 ; joules = 0.5, 1.5 ;
}
CDL
cat >one.cdl <<'CDL'
netcdf one {
dimensions: step = UNLIMITED ; lane = 3 ;
variables: short code(step, lane) ;
data: code = 1, 2, 3, 4, 5, 6 ;
}
CDL
for name in one two; do ncgen -3 -o "$name.nc" "$name.cdl"; done
seen=$(node --input-type=module - <<'JS'
import { readFileSync } from "node:fs";
import { NetCDFReader } from "netcdfjs";
for (const name of ["two", "one"]) {
    const file = new NetCDFReader(readFileSync(`${name}.nc`));
    for (const { name: variable } of file.variables) {
        try {
            console.log(name, variable, JSON.stringify(file.getDataVariable(variable)));
        } catch (error) {
            console.log(name, variable, error.name);
        }
    }
}
JS
ncdump one.nc | sed -n 's/^  /ncdump: /p')
same "$seen" <<'EXPECTED'
two code [[1,2,3,-32767],[4,5,6,-32767]]
two done [[1,129,129,129],[2,129,129,129]]
two joules [0.5,1.5]
one code RangeError
ncdump: 1, 2, 3,
ncdump: 4, 5, 6 ;
EXPECTED
