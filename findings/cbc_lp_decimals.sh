#!/usr/bin/env bash
# CBC 2.10.8: a plan read from MPS and written as an LP file has lost its energies: 4e-6 is 0.00000.
#
# Guess: the written file is the same model: its optimum is that of the first.
# Seen:  `-export plan.lp` writes each coefficient with five decimals. Objectives in joules and seconds become zeros, so
#        that any plan is best, and another one is found. 0.33333 instead of 1/3 makes a full memory fit or not. Rows
#        and columns have other names. Numbers near 1 hide all of it.
# Who:   mappings and partitions as integer programs, handed on as LP files because they can be read.
# Why right to expect: the model was read with all digits, and solved with them; GLPK 5.0 writes 15 digits of each.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
unpack_cbc

cat >plan.mps <<'MPS'
NAME          PLAN
ROWS
 N  ENERGY
 G  WORK
 L  SPACE
COLUMNS
    NEAR      ENERGY      4e-6    WORK         1.0
    NEAR      SPACE       0.3333333333333333
    FAR       ENERGY      3e-6    WORK         1.0
    FAR       SPACE        0.1
RHS
    RHS       WORK         4.0   SPACE        1.2
ENDATA
MPS
solve() {
    cbc "$1" solve solution found.txt >/dev/null
    awk '/objective/ { print $NF } NF == 4 { print $2, $3 }' found.txt
}
seen=$(
    echo "MPS:" $(solve plan.mps)
    cbc plan.mps -export plan.lp >/dev/null
    grep -v -e '^$' -e '^.Problem' plan.lp
    echo "LP:" $(solve plan.lp)
)
same "$seen" <<'EXPECTED'
MPS: 0.00001200 NEAR 0 FAR 4
Minimize
obj: 0.00000 x0 + 0.00000 x1
Subject To
cons0:  x0 + x1 >= 4
cons1:  0.33333 x0 + 0.10000 x1 <= 1.20000
Bounds
End
LP: 0.00000000 x0 3.4286204 x1 0.57137959
EXPECTED
