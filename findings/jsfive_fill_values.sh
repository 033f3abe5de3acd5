#!/usr/bin/env bash
# jsfive 0.4.2: rows that were never written are no fill values: holes, or a column without rows.
#
# Guess: the fill value, -1 here.
# Seen:  where a chunk is missing the array has holes (undefined); a column without any chunk is [], though its shape
#        is [6]; a column in one piece is an array of holes.
# Who:   tables that a run fills as it goes, with NaN or -1 for "not yet": sums and axes become NaN, or rows shift
#        against those of other columns.
# Why right to expect: the fill value message of the format is the value of all elements that were not written;
#        h5py, h5dump and h5wasm return it.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3-h5py
npm_packages jsfive@0.4.2

/usr/bin/python3 -B - <<'PY'
import h5py

with h5py.File("file.h5", "w") as file:
    for name in ("partly", "never"):
        file.create_dataset(name, (6,), "f8", chunks=(2,), fillvalue=-1)
    file.create_dataset("in_one_piece", (6,), "f8", fillvalue=-1)
    file["partly"][2:4] = 7
PY
seen=$(node --input-type=module - <<'JS'
import { readFileSync } from "node:fs";
import { File } from "jsfive";
const bytes = readFileSync("file.h5");
const file = new File(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
for (const name of ["partly", "never", "in_one_piece"]) {
    const column = file.get(name);
    console.log(`${name}: shape ${column.shape}, values`, ...column.value);
}
JS
)
same "$seen" <<'EXPECTED'
partly: shape 6, values undefined undefined 7 7 undefined undefined
never: shape 6, values
in_one_piece: shape 6, values undefined undefined undefined undefined undefined undefined
EXPECTED
