#!/usr/bin/env bash
# avsc 5.7.9: Type.forValue makes 5000000001 a float of 32 bits, so that it comes back as 5000000000, and 0.1 inexact.
#
# Guess: a type that can hold the value: long and double.
# Seen:  numbers that are no 32-bit integers are `float` up to 2^53, whole or not: 2^40 + 1 is 2^40, 1e-12 is
#        9.999999960041972e-13. Only larger numbers are `double`. Rows of a table get the same types.
# Who:   rows of results or of requests written as Avro with the type that the library infers: bytes, cycles and
#        addresses beyond 31 bits are other numbers, times since 1970 are minutes off, and nothing is reported.
# Why right to expect: the API page says that the function infers a type from a value, which it then should store.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
npm_packages avsc@5.7.9

seen=$(node --input-type=module - <<'JS'
import avro from "avsc";

for (const value of [5, 5000000001, 2 ** 40 + 1, 0.1, 1e-12, 1790000000123, 1e300]) {
    const type = avro.Type.forValue(value);
    console.log(value, "->", type.toString(), type.fromBuffer(type.toBuffer(value)));
}
const row = { bytes: 5000000001, joules: 1e-12 };
const type = avro.Type.forValue(row);
console.log(JSON.stringify(type.fromBuffer(type.toBuffer(row))));
JS
)
same "$seen" <<'EXPECTED'
5 -> "int" 5
5000000001 -> "float" 5000000000
1099511627777 -> "float" 1099511627776
0.1 -> "float" 0.10000000149011612
1e-12 -> "float" 9.999999960041972e-13
1790000000123 -> "float" 1789999972352
1e+300 -> "double" 1e+300
{"bytes":5000000000,"joules":9.999999960041972e-13}
EXPECTED
