#!/usr/bin/env bash
# @harmoniclabs/cbor 2.0.1, @dfinity/cbor 0.2.3: the 1.1 of a CBOR file is read as -1.5e-180, or written as 1.
#
# Guess: the examples in appendix A of RFC 8949 are read as they stand there, and numbers are written as such.
# Seen:  one library swaps the bytes of numbers of 32 and 64 bits and not those of 16, so that halves are right and the
#        same numbers in more bits are others; what it writes comes back through itself only. The other
#        writes the part before the point, without an error: 1e-12 is 0.
# Who:   energies and latencies that pass between programs in CBOR, which is shorter than JSON and has half precision:
#        a column of halves is right and the one beside it is not.
# Why right to expect: the RFC gives the bytes and the number; both libraries give all integers of 64 bits exactly.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
npm_packages @harmoniclabs/cbor@2.0.1 @dfinity/cbor@0.2.3 cbor@10.0.12

cat >read.mjs <<'JS'
import cbor from "cbor";
import * as dfinity from "@dfinity/cbor";
import { Cbor, CborSimple } from "@harmoniclabs/cbor";

console.log("RFC 8949, appendix A, read by cbor and by @harmoniclabs/cbor");
for (const hex of ["f93e00", "f90001", "fa47c35000", "fa7f7fffff", "fb3ff199999999999a", "1bffffffffffffffff"]) {
    const read = Cbor.parse(Buffer.from(hex, "hex"));
    console.log(hex, String(cbor.decodeFirstSync(hex)), String(read.simple ?? read.num));
}
const written = Buffer.from(Cbor.encode(new CborSimple(1.1, "float")));
console.log("1.1 by @harmoniclabs/cbor", written.toString("hex"), String(cbor.decodeFirstSync(written)));
for (const value of [1.1, 5e-12, -2.5, 2 ** 53, 3e9])
    console.log(value, "by @dfinity/cbor", String(cbor.decodeFirstSync(Buffer.from(dfinity.encode(value)))));
JS
same "$(node read.mjs)" <<'EXPECTED'
RFC 8949, appendix A, read by cbor and by @harmoniclabs/cbor
f93e00 1.5 1.5
f90001 5.960464477539063e-8 5.960464477539063e-8
fa47c35000 100000 7.416892004169359e-39
fa7f7fffff 3.4028234663852886e+38 NaN
fb3ff199999999999a 1.1 -1.5423487136706484e-180
1bffffffffffffffff 18446744073709551615 18446744073709551615
1.1 by @harmoniclabs/cbor fb9a9999999999f13f -1.5423487136706484e-180
1.1 by @dfinity/cbor 1
5e-12 by @dfinity/cbor 0
-2.5 by @dfinity/cbor -2
9007199254740992 by @dfinity/cbor 9007199254740992
3000000000 by @dfinity/cbor 3000000000
EXPECTED
