#!/usr/bin/env bash
# HDF5 2.0.0 (in h5wasm 0.10.3): integers of 12 bits in 4 bytes, written by HDF5 1.10, are "possibly corrupted".
#
# Guess: a newer library reads the files of an older one.
# Seen:  a data set whose type uses less than half of its bits cannot be opened, if the file is of the earliest format,
#        h5py's default. 12 bits in 2 bytes are read, and 12 bits in 4 bytes in a file of the format of 1.8 and later.
# Who:   old files of codes of converters (10 or 12 bits in an int32, with the n-bit filter or without).
# Why right to expect: H5Tset_precision allows any precision up to the size, and HDF5 1.10.8 reads the file. The library
#        has H5Pset_relax_file_integrity_checks for it, which programs in the middle do not pass on.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3-h5py
npm_packages h5wasm@0.10.3

/usr/bin/python3 -B - <<'PY' >h5py
import h5py
import numpy as np

for library in ("earliest", "v108"):
    for size, whole in ((2, h5py.h5t.STD_I16LE), (4, h5py.h5t.STD_I32LE)):
        name = f"{library}_12_bits_in_{size}_bytes"
        kind = whole.copy()
        kind.set_precision(12)
        with h5py.File(name, "w", libver=(library, "latest")) as file:
            column = h5py.h5d.create(file.id, b"codes", kind, h5py.h5s.create_simple((2,)))
            column.write(h5py.h5s.ALL, h5py.h5s.ALL, np.array([7, 2047]))
        with h5py.File(name) as file:
            print("h5py:", name, *file["codes"][:])
PY
seen=$(cat h5py; node --input-type=module - 2>errors <<'JS'
import { readdirSync } from "node:fs";
import h5wasm from "h5wasm/node";
await h5wasm.ready;
for (const name of readdirSync(".").filter((one) => one.includes("_bits_")).sort()) {
    try {
        console.log("h5wasm:", name, ...new h5wasm.File(name, "r").get("codes").value);
    } catch (error) {
        console.log("h5wasm:", name, error.message);
    }
}
JS
grep -o 'unusually large .*possibly corrupted file' errors | sort -u)
same "$seen" <<'EXPECTED'
h5py: earliest_12_bits_in_2_bytes 7 2047
h5py: earliest_12_bits_in_4_bytes 7 2047
h5py: v108_12_bits_in_2_bytes 7 2047
h5py: v108_12_bits_in_4_bytes 7 2047
h5wasm: earliest_12_bits_in_2_bytes 7 2047
h5wasm: earliest_12_bits_in_4_bytes error - name not defined!
h5wasm: v108_12_bits_in_2_bytes 7 2047
h5wasm: v108_12_bits_in_4_bytes 7 2047
unusually large # of unused bits (prec = 12 bits, size = 4 bytes), possibly corrupted file
EXPECTED
