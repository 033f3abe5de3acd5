#!/usr/bin/env bash
# apache-arrow 21.2.0: tableFromJSON makes a number that a row does not have NaN, and drops fields of nested rows.
#
# Guess: what a row lacks is null, what only later rows have is there, and a text among numbers is an error or a text.
# Seen:  a missing number is NaN and counts as there (nullCount 0), while null stays null; a text among numbers, NaN.
#        The type of a nested row is that of the first one: what only the second has is gone.
#        An integer that needs 64 bits without a sign is stored with one: 2^63 is -2^63.
# Who:   JSON lines of results in which infeasible designs lack their metrics, and nested ones of requests: the missing
#        latency is NaN for every reader of the file, so it is neither counted as missing nor left out of means.
# Why right to expect: Arrow marks missing values, and the columns of later rows are found.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
npm_packages apache-arrow@21.2.0

seen=$(node --input-type=module - <<'JS'
import { tableFromJSON, tableFromIPC, tableToIPC } from "apache-arrow";

for (const rows of [[{ id: 1, ns: 7.5 }, { id: 2 }], [{ id: 1 }, { id: 2, ns: 7.5 }], [{ ns: 7.5 }, { ns: null }],
    [{ ns: 7.5 }, { ns: "x" }], [{ kv: { hits: 1 } }, { kv: { hits: 2, misses: 3 } }],
    [{ seed: 1n }, { seed: 2n ** 63n }]]) {
    const table = tableFromIPC(tableToIPC(tableFromJSON(rows)));
    const column = table.getChildAt(table.numCols - 1);
    console.log(String(table).replace(/\s+/g, " "), String(column.type), "nulls:", column.nullCount);
}
JS
)
same "$seen" <<'EXPECTED'
[ {"id": 1, "ns": 7.5}, {"id": 2, "ns": NaN} ] Float64 nulls: 0
[ {"id": 1, "ns": NaN}, {"id": 2, "ns": 7.5} ] Float64 nulls: 0
[ {"ns": 7.5}, {"ns": null} ] Float64 nulls: 1
[ {"ns": 7.5}, {"ns": NaN} ] Float64 nulls: 0
[ {"kv": {"hits":1}}, {"kv": {"hits":2}} ] Struct<{hits:Float64}> nulls: 0
[ {"seed": 1}, {"seed": -9223372036854775808} ] Int64 nulls: 0
EXPECTED
