#!/usr/bin/env bash
# jsfive 0.4.2: bfloat16 columns read as IEEE halves: 3.140625 is 2.142578125, and 1e30 is 10832.
#
# Guess: the numbers, or a refusal.
# Seen:  every float of two bytes is taken for IEEE's, whatever the file says of its exponent and its bias.
# Who:   weights and activations in bfloat16, which h5py can only store as a float type with 8 bits of exponent.
# Why right to expect: the file format specification (datatype message, class 1) states position and size of sign,
#        exponent and mantissa and the bias with every float type; h5py 3.7 and h5dump convert it.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3-h5py
npm_packages jsfive@0.4.2

/usr/bin/python3 -B - <<'PY' >h5py
import h5py
import numpy as np

with h5py.File("file.h5", "w") as file:
    kind = h5py.h5t.IEEE_F32LE.copy()
    kind.set_fields(15, 7, 8, 0, 7)  # sign, exponent and its bits, mantissa and its bits
    kind.set_size(2)
    kind.set_ebias(127)
    column = h5py.h5d.create(file.id, b"weights", kind, h5py.h5s.create_simple((4,)))
    column.write(h5py.h5s.ALL, h5py.h5s.ALL, np.array([1, -2, 3.140625, 1e30], "f4"))
    print("h5py:", *file["weights"][:])
PY
seen=$(cat h5py; node --input-type=module - <<'JS'
import { readFileSync } from "node:fs";
import { File } from "jsfive";
const bytes = readFileSync("file.h5");
const file = new File(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
console.log("jsfive:", ...file.get("weights").value);
JS
)
same "$seen" <<'EXPECTED'
h5py: 1.0 -2.0 3.140625 1.00025555e+30
jsfive: 1.875 -2 2.142578125 10832
EXPECTED
