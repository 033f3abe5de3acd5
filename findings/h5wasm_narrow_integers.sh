#!/usr/bin/env bash
# h5wasm 0.10.3: signed integers that are narrower than their bytes lose their sign: -2 in 4 bits reads as 14.
#
# Guess: -2, as h5py and h5dump read it.
# Seen:  the bits are handed out as they lie in the file, with `signed: true` in the metadata: -2 is 14 in 4 bits and
#        1022 in 10, the lowest value is its negative. With the n-bit filter and without.
# Who:   4-bit weights and codes of converters with 5 to 12 bits, which the n-bit filter packs.
# Why right to expect: the format keeps precision, offset and sign of integers apart from their size (H5Tset_precision,
#        H5Pset_nbit), and the library converts them to the type that a reader asks for.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3-h5py
npm_packages h5wasm@0.10.3

/usr/bin/python3 -B - <<'PY' >h5py
import h5py
import numpy as np

with h5py.File("file.h5", "w") as file:
    for name, whole, bits, packed in (("plain4", h5py.h5t.STD_I8LE, 4, False), ("packed4", h5py.h5t.STD_I8LE, 4, True),
                                      ("packed10", h5py.h5t.STD_I16LE, 10, True)):
        kind = whole.copy()
        kind.set_precision(bits)
        how = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        how.set_chunk((4,))
        if packed:
            how.set_filter(h5py.h5z.FILTER_NBIT)
        column = h5py.h5d.create(file.id, name.encode(), kind, h5py.h5s.create_simple((4,)), how)
        top = 2 ** (bits - 1)
        column.write(h5py.h5s.ALL, h5py.h5s.ALL, np.array([1, -2, top - 1, -top]))
    for name in ("plain4", "packed4", "packed10"):
        print(f"h5py {name}:", *file[name][:])
PY
seen=$(cat h5py; node --input-type=module - <<'JS'
import h5wasm from "h5wasm/node";
await h5wasm.ready;
const file = new h5wasm.File("file.h5", "r");
for (const name of ["plain4", "packed4", "packed10"]) {
    const column = file.get(name);
    console.log(`h5wasm ${name}:`, ...column.value, column.metadata.signed ? "(signed)" : "");
}
JS
)
same "$seen" <<'EXPECTED'
h5py plain4: 1 -2 7 -8
h5py packed4: 1 -2 7 -8
h5py packed10: 1 -2 511 -512
h5wasm plain4: 1 14 7 8 (signed)
h5wasm packed4: 1 14 7 8 (signed)
h5wasm packed10: 1 1022 511 512 (signed)
EXPECTED
