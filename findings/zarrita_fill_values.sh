#!/usr/bin/env bash
# zarrita 0.7.5: rows that were never written: the largest int64 has the other sign, the largest uint64 is 0.
#
# Guess: the fill value of the metadata, to the last digit; NaN for a float whose fill value is written as bits.
# Seen:  2^63 - 1 is read as -2^63, 2^64 - 1 as 0 and 2^53 + 1 as 2^53: the number goes through a double first.
#        "0x7fc00000", NaN as the specification of Zarr 3 lets it be written, is the number 2143289344; "NaN" is NaN.
# Who:   tables that a run fills as it goes, with the largest integer or NaN for "not yet", and ids and seeds as fill
#        values, looked at on a page.
# Why right to expect: the specification of Zarr 3 allows any JSON integer in the range of the type, and for floats a
#        hexadecimal text of their bytes.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
npm_packages zarrita@0.7.5

seen=$(node --input-type=module - <<'JS'
import * as zarr from "zarrita";

const read = async (data_type, fill_value) => {
    const meta = `{"zarr_format": 3, "node_type": "array", "shape": [2], "data_type": "${data_type}",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": ${fill_value}, "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]}`;
    const store = new Map([["/zarr.json", new TextEncoder().encode(meta)]]);
    const { data } = await zarr.get(await zarr.open(store, { kind: "array" }));
    console.log(`${data_type} ${fill_value}:`, String(data[0]));
};
await read("int32", "2147483647");
await read("int64", "9007199254740993");
await read("int64", "9223372036854775807");
await read("uint64", "18446744073709551615");
await read("float32", '"NaN"');
await read("float32", '"0x7fc00000"');
JS
)
same "$seen" <<'EXPECTED'
int32 2147483647: 2147483647
int64 9007199254740993: 9007199254740992
int64 9223372036854775807: -9223372036854775808
uint64 18446744073709551615: 0
float32 "NaN": NaN
float32 "0x7fc00000": 2143289344
EXPECTED
