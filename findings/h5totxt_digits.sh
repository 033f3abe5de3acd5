#!/usr/bin/env bash
# h5totxt of h5utils 1.13.2: the id 9007199254740993 is printed as 9007199254740992, a seed as 1.844674407370955e+19.
#
# Guess: integers are printed with all their digits, as h5dump prints them.
# Seen:  every number goes through a double, of which 16 digits are printed: 2^53 + 1 becomes another id, and the seeds
#        2^64 - 1 and 2^64 - 2 are one number. A double loses its 17th digit: 0.30000000000000004 is 0.3.
# Who:   shell scripts that take ids, seeds and hashes out of result files, or compare two runs digit by digit.
# Why right to expect: its manual page says that it writes the data set as text. h5dump of HDF5 1.10.8 keeps integers.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3-h5py
debian h5utils=1.13.2-1 hdf5-tools=1.10.8+repack1-1 libhdf5-103-1=1.10.8+repack1-1

/usr/bin/python3 -B - <<'PY'
import h5py, numpy
with h5py.File("run.h5", "w") as file:
    file["id"] = numpy.array([2**53 + 1, 7], "i8")
    file["seed"] = numpy.array([2**64 - 1, 2**64 - 2], "u8")
    file["sum"] = numpy.array([0.1 + 0.2, 0.3])
PY
seen=$(
    for name in id seed sum; do
        echo "$name: $(h5totxt -d "$name" run.h5 | tr '\n' ' ')| $(h5dump -y -m %.17g -w 99 -d "$name" run.h5 |
            sed -n '/DATA {/{n;s/^ *//;p}')"
    done
)
same "$seen" <<'EXPECTED'
id: 9007199254740992 7 | 9007199254740993, 7
seed: 1.844674407370955e+19 1.844674407370955e+19 | 18446744073709551615, 18446744073709551614
sum: 0.3 0.3 | 0.30000000000000004, 0.29999999999999999
EXPECTED
