#!/usr/bin/env bash
# Octave 7.3.0: save -hdf5 of the six numbers 0:5 stores three numbers, 0, 5 and 1.
#
# Guess: a column of six numbers, as [0 1 2 3 4 5] is stored.
# Seen:  what was written with colons is stored as base, limit and increment, in a compound. Nothing but the text
#        double_range beside it tells that they are no numbers of the column; the limit need not be the last number (2
#        ns of 0:1e-9:2.5e-9). What was computed from a range, or (0:5)', is stored as numbers.
# Who:   axes of sweeps (batch sizes, times of samples) that a script of Octave stores beside results for h5py or
#        h5dump: a column has 3 entries beside results of 1,001.
# Why right to expect: Octave itself says that 0:5 is a matrix of 1 x 6, and its text formats store all numbers or say
#        range. optimize_range(false), or [0:5]', stores numbers.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3-h5py python3-numpy
unpack_octave

cat >store.m <<'M'
batch = 0:5;
times = 0:1e-9:2.5e-9;
shifted = batch + 0.5;
list = [0 1 2 3 4 5];
column = (0:5)';
printf("%s %s\n", mat2str(size(batch)), class(batch));
save("-hdf5", "axes.h5", "batch", "times", "shifted", "list", "column");
M
seen=$(
    octave store.m
    /usr/bin/python3 -B - <<'PY'
import h5py
with h5py.File("axes.h5") as file:
    for name in ("batch", "times", "shifted", "list", "column"):
        value = file[name]["value"]
        print(name, value.dtype.names or value.dtype, value.shape, value[()].tolist())
PY
)
same "$seen" <<'EXPECTED'
[1 6] double
batch ('base', 'limit', 'increment') () (0.0, 5.0, 1.0)
times ('base', 'limit', 'increment') () (0.0, 2.5e-09, 1e-09)
shifted float64 (6, 1) [[0.5], [1.5], [2.5], [3.5], [4.5], [5.5]]
list float64 (6, 1) [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]
column float64 (1, 6) [[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]]
EXPECTED
