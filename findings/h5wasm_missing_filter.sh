#!/usr/bin/env bash
# h5wasm 0.10.3 (HDF5 2.0.0): a column whose filter is missing reads as numbers that are not in the file.
#
# Guess: `value` throws, as the HDF5 library fails to read and jsfive refuses the filter by its number.
# Seen:  HDF5 prints its errors on standard error, and `value` is an array of the right type and length with whatever
#        the memory held. Only `activate_throwing_error_handler()`, which the README does not mention, makes it throw.
# Who:   pages and scripts that plot result files: columns that h5py compressed with `compression="lzf"` are nonsense.
# Why right to expect: HDF5 refuses a chunk whose mandatory filter is not there (H5Pset_filter: a filter that is not
#        optional must be available), and LZF is among the filters that h5py always has.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/lib.sh"
needs python3-h5py
npm_packages h5wasm@0.10.3

/usr/bin/python3 -B - <<'PY'
import h5py
with h5py.File("file.h5", "w") as file:
    file.create_dataset("gzip", data=[7.5] * 1000, chunks=(1000,), compression="gzip")
    file.create_dataset("lzf", data=[7.5] * 1000, chunks=(1000,), compression="lzf")
PY
cat >read.mjs <<'JS'
import h5wasm from "h5wasm/node";
const { activate_throwing_error_handler } = await h5wasm.ready;
const [name, told] = process.argv.slice(2);
if (told) activate_throwing_error_handler();
try {
    const column = new h5wasm.File("file.h5", "r").get(name).value;
    const right = column.every((value) => value === 7.5);
    console.log(`${name}: ${column.constructor.name} of ${column.length}, ${right ? "right" : "other numbers"}`);
} catch (error) {
    console.log(`${name}${told ? ", told to throw" : ""}: throws`);
}
JS
seen=$(
    node read.mjs gzip
    node read.mjs lzf 2>errors
    echo "messages on standard error: $(grep -c "required filter 'lzf' is not registered" errors)"
    node read.mjs lzf throw
)
same "$seen" <<'EXPECTED'
gzip: Float64Array of 1000, right
lzf: Float64Array of 1000, other numbers
messages on standard error: 1
lzf, told to throw: throws
EXPECTED
