#!/usr/bin/env bash
# HDF5 1.10.8 (h5py 3.7.0): 1e-7 stored in half precision is 6e-8, though 1.2e-7 is nearer; 2049 is 2050.
#
# Guess: the nearest half, of two equally near ones the even one, as NumPy's astype gives and IEEE 754 says.
# Seen:  between 2^-24 and 2^-14 many numbers go to the half below, up to twice as far away as the other one; of two
#        equally near ones the larger is taken; 65520 and all numbers up to 65536 are 65504 instead of infinity. Into
#        single precision, which a processor's instruction converts, all is right.
# Who:   weights, scales and errors stored as halves: small ones lose up to half of their value, and a file has other
#        numbers if a column is filled by `column[:] = doubles` than by `column[:] = doubles.astype("f2")`.
# Why right to expect: the type is that of IEEE 754, and the manual names no other rounding.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3-numpy
debian python3-h5py=3.7.0-8 python3-h5py-serial=3.7.0-8 libhdf5-103-1=1.10.8+repack1-1

seen=$(/usr/bin/python3 -B -W ignore - <<'PY'
import h5py
import numpy

with h5py.File("halves.h5", "w") as file:
    def stored(numbers, kind):
        data = file.create_dataset(str(len(file)), numbers.shape, kind)
        data[:] = numbers
        return data[:]

    some = numpy.array([2049.0, 65519.0, 65520.0, 65535.0, 65536.0, 1e-7, 3e-7, 1e-5])
    for one, by_hdf5, by_numpy in zip(some, stored(some, "f2"), some.astype("f2")):
        print(f"{one:g}: {float(by_hdf5):.6g}, by astype {float(by_numpy):.6g}")
    small = numpy.arange(1, 2**16) * 2.0**-30
    print("of 65,535 numbers below 2^-14 differ", (stored(small, "f2") != small.astype("f2")).sum())
    print("in single precision", (stored(small / 3, "f4") != (small / 3).astype("f4")).sum())
PY
)
same "$seen" <<'EXPECTED'
2049: 2050, by astype 2048
65519: 65504, by astype 65504
65520: 65504, by astype inf
65535: 65504, by astype inf
65536: inf, by astype inf
1e-07: 5.96046e-08, by astype 1.19209e-07
3e-07: 2.98023e-07, by astype 2.98023e-07
1e-05: 1.00136e-05, by astype 1.00136e-05
of 65,535 numbers below 2^-14 differ 832
in single precision 0
EXPECTED
