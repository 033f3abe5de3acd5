#!/usr/bin/env bash
# @dsnp/parquetjs 1.8.8: 1.5 in an integer column is stored as 1; UINT_32 and UINT_64 refuse their upper halves.
#
# Guess: 1.5 is refused, as 300 is in UINT_8; 3e9 fits UINT_32 and 2^63 + 5 UINT_64.
# Seen:  the fraction is cut without a word. The unsigned types are written as signed numbers, so 3e9 and 2^63 + 5 are
#        "out of range"; a time in microseconds comes back in milliseconds.
# Who:   tables of results and traces with seeds, hashes and times that a script in Node writes for others to read.
# Why right to expect: Parquet's logical types: UINT_32 and UINT_64 hold 0 to 2^32 - 1 and 2^64 - 1.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
npm_packages @dsnp/parquetjs@1.8.8

seen=$(node --input-type=module - <<'JS'
import parquet from "@dsnp/parquetjs";
const show = (value) => value instanceof Date ? value.toISOString() : String(value);
for (const [type, value] of [["INT32", 1.5], ["UINT_8", 300], ["UINT_32", 3e9], ["UINT_64", 2n ** 63n + 5n],
                             ["INT64", 2n ** 53n + 1n], ["TIMESTAMP_MICROS", 1700000000123456]]) {
    try {
        const schema = new parquet.ParquetSchema({ x: { type } });
        const writer = await parquet.ParquetWriter.openFile(schema, "file.parquet");
        await writer.appendRow({ x: value });
        await writer.close();
        const reader = await parquet.ParquetReader.openFile("file.parquet");
        console.log(type, String(value), "->", show((await reader.getCursor().next()).x));
        await reader.close();
    } catch (error) {
        console.log(type, String(value), "refused");
    }
}
JS
)
same "$seen" <<'EXPECTED'
INT32 1.5 -> 1
UINT_8 300 refused
UINT_32 3000000000 refused
UINT_64 9223372036854775813 refused
INT64 9007199254740993 -> 9007199254740993
TIMESTAMP_MICROS 1700000000123456 -> 2023-11-14T22:13:20.123Z
EXPECTED
