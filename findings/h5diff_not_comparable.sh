#!/usr/bin/env bash
# h5diff of HDF5 1.10.8: files whose columns differ in length or type are "no differences", exit code 0.
#
# Guess: 1, as for a value that differs, or 2.
# Seen:  0 for another length, a scalar for a list of one, integers for numbers, signed for unsigned, and text of a
#        fixed length for text; one line that some objects are not comparable, and nothing with -q. A data set that
#        only one file has is a difference (1).
# Who:   a job that compares two result files of a search by the exit code: a run that lost rows passes.
# Why right to expect: its usage text says "0 if no differences, 1 if differences found, 2 if error", and the
#        reference says that rank, dimensions and types are compared.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3-h5py
debian hdf5-tools=1.10.8+repack1-1 libhdf5-103-1=1.10.8+repack1-1

seen=$(
    /usr/bin/python3 -B - <<'PY'
import subprocess
import h5py
import numpy as np

PAIRS = {
    "the same": ([1.5, 2.5], [1.5, 2.5]),
    "another value": ([1.5, 2.5], [1.5, 3.5]),
    "one row less": ([1.5, 2.5], [1.5]),
    "a scalar": ([1.5], 2.5),
    "integer and number": ([1, 2], [1.5, 2.5]),
    "signed and unsigned": (np.array([-1]), np.array([7], "u8")),
    "fixed and variable text": (np.array([b"ok"]), ["bad"]),
}
for what, sides in PAIRS.items():
    for name, value in zip("ab", sides):
        with h5py.File(name, "w") as file:
            file["latency"] = value
    print(what, subprocess.run(["h5diff", "-q", "a", "b"]).returncode)
with h5py.File("b", "a") as file:
    file["energy"] = [1.0]
print("one more column", subprocess.run(["h5diff", "-q", "a", "b"]).returncode)
PY
)
same "$seen" <<'EXPECTED'
the same 0
another value 1
one row less 0
a scalar 0
integer and number 0
signed and unsigned 0
fixed and variable text 0
one more column 1
EXPECTED
