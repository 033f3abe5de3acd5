#!/usr/bin/env bash
# unyt 2.9.3: 64 GB/s is read as 64 gigabels a second, which are 7.37e10 nepers a second.
#
# Guess: 6.4e10 bytes a second, or an error because unyt knows no bytes.
# Seen:  B is the bel and takes prefixes, so GB and PB are read without a word; KB, GiB, bit and Gb are refused. Sums
#        and ratios of such numbers are right, and a conversion to nepers is not refused.
# Who:   whoever keeps capacities and bandwidths in arrays of unyt (yt's library of units).
# Why right to expect: a library without bytes refuses `byte`, `bit` and `GiB`; the same should hold for GB.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3-numpy python3-sympy
debian python3-unyt=2.9.3-2

seen=$(
    /usr/bin/python3 -B -W ignore - <<'PY'
from unyt import unyt_quantity
for text in ("64 GB/s", "5 PB", "64 GiB", "64 Gbit/s", "8 byte"):
    try:
        print(f"{text}: {unyt_quantity.from_string(text).in_base()}")
    except Exception as error:
        print(f"{text}: {type(error).__name__}")
PY
)
same "$seen" <<'EXPECTED'
64 GB/s: 73682722975.80945 Np/s
5 PB: 5756462732485114.0 Np
64 GiB: UnitParseError
64 Gbit/s: UnitParseError
8 byte: UnitParseError
EXPECTED
