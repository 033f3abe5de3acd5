#!/usr/bin/env bash
# jsfive 0.4.2: files with version 1 of the superblock are refused, though versions 0, 2 and 3 are read.
#
# Guess: version 1 is read, since it differs from version 0 by one number.
# Seen:  a file whose chunk index has another node size than usual (H5Pset_istore_k), which is what version 1 is for,
#        cannot be opened at all. What is thrown is a text, not an Error. `h5repack` writes it anew with version 0.
# Who:   readers of files from programs that make small or huge chunk indexes; result files of this project are some.
# Why right to expect: the file format specification defines version 1 as version 0 with the field "Indexed Storage
#        Internal Node K". HDF5 writes it by itself, in its earliest format, whenever that number is not 32.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3-h5py h5repack
npm_packages jsfive@0.4.2

/usr/bin/python3 -B - <<'PY'
from ctypes import CDLL, c_int64, c_uint

import h5py
import numpy as np

set_istore_k = CDLL("libhdf5_serial.so.103").H5Pset_istore_k  # h5py has no name for it
set_istore_k.argtypes = [c_int64, c_uint]
for name, places in (("version_0", None), ("version_1", 4), ("version_3", None)):
    creation = h5py.h5p.create(h5py.h5p.FILE_CREATE)
    access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    if places:
        set_istore_k(creation.id, places)
    if name == "version_3":
        access.set_libver_bounds(h5py.h5f.LIBVER_LATEST, h5py.h5f.LIBVER_LATEST)
    with h5py.File(h5py.h5f.create(name.encode(), h5py.h5f.ACC_TRUNC, creation, access)) as file:
        file["latency"] = np.array([1.5, 2.5])
PY
h5repack version_1 repacked
seen=$(node --input-type=module - <<'JS'
import { readFileSync } from "node:fs";
import { File } from "jsfive";
for (const name of ["version_0", "version_1", "version_3", "repacked"]) {
    const bytes = readFileSync(name);
    try {
        const file = new File(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
        console.log(`${name}: superblock ${bytes[8]}, latency`, ...file.get("latency").value);
    } catch (error) {
        console.log(`${name}: superblock ${bytes[8]}, throws a ${typeof error}: ${error}`);
    }
}
JS
)
same "$seen" <<'EXPECTED'
version_0: superblock 0, latency 1.5 2.5
version_1: superblock 1, throws a string: unsupported superblock version: 1
version_3: superblock 3, latency 1.5 2.5
repacked: superblock 0, latency 1.5 2.5
EXPECTED
