#!/usr/bin/env bash
# h5diff -p of HDF5 1.10.8: a relative tolerance is one of the first file's value, so an infinity there equals anything.
#
# Guess: infinity and 1 differ (1) with -p as without, and the tolerance is relative to the second file, as documented.
# Seen:  1 and 2 differ by more than 0.6, 2 and 1 do not: the quotient is |(a-b)/a|. If a is infinite, it is not a
#        number, and the files are "equal" (0), infinity and minus infinity too. Without -p, and with -d, they differ.
# Who:   bounds and results without a limit are stored as infinity. A comparison of a new file with a reference, in
#        this order, does not see that a number stands there now.
# Why right to expect: the usage text defines -p by |(a-b)/b| > R, with b of the second file; by it 1 and 2 are within
#        0.6, and infinity differs from 1. NaN is handled separately, and differs from a number in both orders.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3-h5py
debian hdf5-tools=1.10.8+repack1-1 libhdf5-103-1=1.10.8+repack1-1

seen=$(
    /usr/bin/python3 -B - <<'PY'
import subprocess
import h5py

for one, other in ((1, 2), (2, 1), ("inf", 1), (1, "inf"), ("inf", "-inf"), ("nan", 1), (1, "nan")):
    for name, value in zip("ab", (one, other)):
        with h5py.File(name, "w") as file:
            file["upper_bound"] = [float(value)]
    codes = [subprocess.run(["h5diff", "-q", *flags, "a", "b"]).returncode
             for flags in ((), ("-d", "0.6"), ("-p", "0.6"))]
    print(f"{one} and {other}: {codes[0]}, with -d {codes[1]}, with -p {codes[2]}")
PY
)
same "$seen" <<'EXPECTED'
1 and 2: 1, with -d 1, with -p 1
2 and 1: 1, with -d 1, with -p 0
inf and 1: 1, with -d 1, with -p 0
1 and inf: 1, with -d 1, with -p 1
inf and -inf: 1, with -d 1, with -p 0
nan and 1: 1, with -d 1, with -p 1
1 and nan: 1, with -d 1, with -p 1
EXPECTED
