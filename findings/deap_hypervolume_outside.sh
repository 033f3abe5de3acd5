#!/usr/bin/env bash
# DEAP 1.3.1: its two hypervolume modules disagree on points beyond the reference; the one in Python goes negative.
#
# Guess: a point that is worse than the reference in an objective contributes nothing, in both modules.
# Seen:  the module in C says 9, 9, 0 and 0. The one in Python, which is taken where the other cannot be imported, says
#        9, 8.5, 1 and -3: it multiplies differences to the reference whatever their signs, so a point that is worse
#        in both objectives counts as if it were better in both.
# Who:   the progress of a search towards a front, measured by hypervolume with a fixed reference. Whether a package was
#        built with a C compiler decides what it is.
# Why right to expect: hypervolume is the volume dominated by the points and bounded by the reference (Zitzler and
#        Thiele, 1999). The algorithm's authors first drop points that do not dominate the reference (Fonseca, Paquete
#        and Lopez-Ibanez, 2006); in pyhv.py that is a comment.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3-numpy
debian python3-deap=1.3.1-4

seen=$(
    /usr/bin/python3 -B -W ignore - <<'PY'
import numpy as np
from deap.tools._hypervolume import hv, pyhv

for points in ([[1, 1]], [[1, 1], [5, 0.5]], [[5, 5]], [[5, 1]]):
    volumes = [module.hypervolume(np.array(points, "f8"), np.array([4.0, 4.0])) for module in (hv, pyhv)]
    print(f"{points} up to [4, 4]: C {volumes[0]:g}, Python {volumes[1]:g}")
PY
)
same "$seen" <<'EXPECTED'
[[1, 1]] up to [4, 4]: C 9, Python 9
[[1, 1], [5, 0.5]] up to [4, 4]: C 9, Python 8.5
[[5, 5]] up to [4, 4]: C 0, Python 1
[[5, 1]] up to [4, 4]: C 0, Python -3
EXPECTED
