#!/usr/bin/env bash
# h5py 3.7.0: the list [300, -1] stored in a column of 8 bits is 44, -1; the same numbers as an array are 127, -1.
#
# Guess: a number that does not fit becomes the same one whichever way it is stored, as with NumPy's astype.
# Seen:  lists and single numbers go through NumPy, which wraps: 300 is 44, and -1 without a sign the largest number.
#        Arrays, also those given to create_dataset(dtype=...), go through HDF5, which takes the nearest number that
#        fits: 127, and 0. Reading does it likewise: data.astype("i1")[:] takes the nearest, data[:].astype("i1") wraps.
# Who:   counters and ids in columns that were made narrow to save room: which wrong number is in the file depends on
#        whether a program appends rows one by one or in blocks, and neither is reported.
# Why right to expect: the manual says that dtypes and assignment are those of NumPy.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3-numpy
debian python3-h5py=3.7.0-8 python3-h5py-serial=3.7.0-8 libhdf5-103-1=1.10.8+repack1-1

seen=$(/usr/bin/python3 -B -W ignore - <<'PY'
import h5py
import numpy

numbers = [300, -1, 2**40]
with h5py.File("counts.h5", "w") as file:
    for kind in "i1", "u1", "i4":
        columns = [file.create_dataset(f"{kind} {way}", 3, kind) for way in ("list", "array", "one by one")]
        columns[0][:] = numbers
        columns[1][:] = numpy.array(numbers)
        for row, number in enumerate(numbers):
            columns[2][row] = number
        columns.append(file.create_dataset(f"{kind} made of array", data=numpy.array(numbers), dtype=kind))
        for column in columns:
            print(column.name[1:], column[:].tolist())
    wide = file.create_dataset("wide", data=numbers)
    print('data.astype("i1")[:]', wide.astype("i1")[:].tolist(), 'data[:].astype("i1")', wide[:].astype("i1").tolist())
PY
)
same "$seen" <<'EXPECTED'
i1 list [44, -1, 0]
i1 array [127, -1, 127]
i1 one by one [44, -1, 0]
i1 made of array [127, -1, 127]
u1 list [44, 255, 0]
u1 array [255, 0, 255]
u1 one by one [44, 255, 0]
u1 made of array [255, 0, 255]
i4 list [300, -1, 0]
i4 array [300, -1, 2147483647]
i4 one by one [300, -1, 0]
i4 made of array [300, -1, 2147483647]
data.astype("i1")[:] [127, -1, 127] data[:].astype("i1") [44, -1, 0]
EXPECTED
