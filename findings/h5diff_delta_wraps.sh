#!/usr/bin/env bash
# h5diff -d of HDF5 1.10.8: differences of integers wrap, so the farthest numbers agree within 10.
#
# Guess: 2147483647 and -2147483648 differ by far more than 10 (1).
# Seen:  equal (0), in 32 bits and, for 2^62 and -2^62, in 64. Unsigned columns are right.
# Who:   counters, and signed codes of converters at both ends of their range, compared with a tolerance.
# Why right to expect: the usage text defines -d by |a-b| > D and names no limit of the difference.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3-h5py
debian hdf5-tools=1.10.8+repack1-1 libhdf5-103-1=1.10.8+repack1-1

seen=$(
    /usr/bin/python3 -B - <<'PY'
import subprocess
import h5py
import numpy as np

for kind, one, other in (("i4", 2**31 - 1, -2**31), ("i8", 2**62, -2**62), ("i8", 2**40, -2**40),
                         ("u8", 2**64 - 1, 0)):
    for name, value in zip("ab", (one, other)):
        with h5py.File(name, "w") as file:
            file["code"] = np.array([value], kind)
    print(f"{kind}: {one} and {other}: {subprocess.run(['h5diff', '-q', '-d', '10', 'a', 'b']).returncode}")
PY
)
same "$seen" <<'EXPECTED'
i4: 2147483647 and -2147483648: 0
i8: 4611686018427387904 and -4611686018427387904: 0
i8: 1099511627776 and -1099511627776: 1
u8: 18446744073709551615 and 0: 1
EXPECTED
