#!/usr/bin/env bash
# toml 0.10.2 (Python): a number of NumPy is written as a text, a missing value not at all.
#
# Guess: numpy.float64, which is a float of Python, is written as a number; the others are refused.
# Seen:  0.1 becomes "0.1", 3 becomes "3", True becomes "True", all in quotes and without a word.
#        `toml.TomlNumpyEncoder` writes the numbers, and still quotes numpy.bool_. None is left out.
# Who:   whoever writes the best design of a table of pandas or NumPy back into a file: the reader sees texts.
# Why right to expect: isinstance(numpy.float64(0.1), float) is true, and a float is written as a number.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3-numpy
debian python3-toml=0.10.2-1

seen=$(
    /usr/bin/python3 -B - <<'PY'
import numpy, toml
for value in (numpy.float64(0.1), numpy.int64(3), numpy.bool_(True), None):
    plain = toml.dumps({"x": value}).strip()
    try:
        encoded = toml.dumps({"x": value}, encoder=toml.TomlNumpyEncoder()).strip()
    except Exception as error:
        encoded = type(error).__name__
    print(f"{type(value).__name__}: {plain or 'nothing'}; TomlNumpyEncoder: {encoded or 'nothing'}")
PY
)
same "$seen" <<'EXPECTED'
float64: x = "0.1"; TomlNumpyEncoder: x = 0.1
int64: x = "3"; TomlNumpyEncoder: x = 3
bool_: x = "True"; TomlNumpyEncoder: x = "True"
NoneType: nothing; TomlNumpyEncoder: nothing
EXPECTED
