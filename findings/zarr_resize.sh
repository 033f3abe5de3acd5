#!/usr/bin/env bash
# Zarr 2.13.6: a column of 1 to 6, cut to 2 rows and made 6 long again, is 1 2 3 4 -1 -1; -1 is its fill value.
#
# Guess: rows that were cut off are gone, so 1 2 -1 -1 -1 -1, as HDF5 has it.
# Seen:  only chunks that lie outside as a whole are removed. What is left of the last chunk comes back with the next
#        resize, and behind the rows that an append writes: 1 2 9 4.
# Who:   results of a run that is repeated into the same store: rows of the old run stand behind those of the new one
#        where "not yet" is to be expected.
# Why right to expect: the fill value is, in the specification, the value of elements that were not written, and in the
#        longer column these were not; the documentation speaks of chunks outside the new shape, which are deleted.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3-h5py
debian python3-numpy=1:1.24.2-1+deb12u1 python3-zarr=2.13.6+ds-1 python3-numcodecs=0.11.0+ds-4+b1 \
    libblosc1=1.21.3+ds-1 libsnappy1v5=1.1.9-3 python3-asciitree=0.3.3-3 python3-fasteners=0.17.3-2 \
    python3-entrypoints=0.4-2 python3-typing-extensions=4.4.0-1

seen=$(/usr/bin/python3 -B - <<'PY'
import h5py, numpy, zarr


def column():
    cycles = zarr.full(6, -1, chunks=4, dtype="i8")
    cycles[:] = numpy.arange(1, 7)
    return cycles


cycles = column()
cycles.resize(2)
cycles.resize(6)
print("Zarr, resized:", *cycles[:])
cycles = column()
cycles.resize(2)
cycles.append(numpy.array([9]))
cycles.resize(6)
print("Zarr, appended to and resized:", *cycles[:])
with h5py.File("column.h5", "w") as file:
    cycles = file.create_dataset("cycles", (6,), "i8", maxshape=(None,), chunks=(4,), fillvalue=-1)
    cycles[:] = numpy.arange(1, 7)
    cycles.resize((2,))
    cycles.resize((6,))
    print("HDF5, resized:", *cycles[:])
PY
)
same "$seen" <<'EXPECTED'
Zarr, resized: 1 2 3 4 -1 -1
Zarr, appended to and resized: 1 2 9 4 -1 -1
HDF5, resized: 1 2 -1 -1 -1 -1
EXPECTED
