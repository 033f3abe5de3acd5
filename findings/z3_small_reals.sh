#!/usr/bin/env bash
# Z3 4.8.12 for Python: RealVal(5e-12) is 1/0, and RealVal(1e22) is 0.
#
# Guess: a rational number next to the float, as RealVal(0.1) is 1/10, and the text "5e-12" is the same number.
# Seen:  every float that Python writes with an exponent is lost: those below 1e-4 are 1/0, those from 1e16 on are 0,
#        also in x <= 1e22, which then holds for no positive x. The text 5e-12 is 1/0, too. No exception is raised.
# Who:   constraints on energies in joules, times in seconds or operations a second in a search for designs with Z3.
# Why right to expect: RealVal takes any number of Python, as its help says, and a real of Z3 has no smallest value.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3
debian python3-z3=4.8.12-3.1 libz3-4=4.8.12-3.1

seen=$(/usr/bin/python3 -B - <<'PY'
import z3

for number in (0.1, 0.0001, 1e-5, 1.5e-7, 5e-12, "5e-12", 1e15, 1e16, 1e22):
    print(repr(number), "is", z3.RealVal(number))
x = z3.Real("x")
for limit in (1e15, 1e22):
    solver = z3.Solver()
    solver.add(x > 0, x <= limit)
    print("0 < x <=", limit, solver.check())
PY
)
same "$seen" <<'EXPECTED'
0.1 is 1/10
0.0001 is 1/10000
1e-05 is 1/0
1.5e-07 is 1/0
5e-12 is 1/0
'5e-12' is 1/0
1000000000000000.0 is 1000000000000000
1e+16 is 0
1e+22 is 0
0 < x <= 1000000000000000.0 sat
0 < x <= 1e+22 unsat
EXPECTED
