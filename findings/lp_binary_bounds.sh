#!/usr/bin/env bash
# HiGHS 1.15.3 and GLPK 5.0: a variable of the LP section Binary may be 5, if the section Bounds gives it 5 before.
#
# Guess: a binary variable is 0 or 1, as without the bound, or the model is refused.
# Seen:  so it is in CBC 2.10.8. In the other two the section makes it an integer and keeps the bound; without a bound
#        it is 0 or 1 in all three.
# Who:   models that list all bounds first and then what is binary, as scripts that print them do: a unit is placed five
#        times, and another solver places it once.
# Why right to expect: the section is for variables that are 0 or 1; a variable that may be 5 has the section General.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
npm_packages highs@1.15.3
unpack_cbc
debian glpk-utils=5.0-1 libglpk40=5.0-1

cat >solve.mjs <<'JS'
import { readFileSync } from "node:fs";
import load from "highs";
const solver = await load();
for (const name of ["plain", "bounded"])
    console.log(`${name}: HiGHS`, solver.solve(readFileSync(`${name}.lp`, "utf8")).ObjectiveValue);
JS
model() { printf 'Maximize\n obj: x\nSubject To\n c: x + y <= 9\nBounds\n%s y <= 9\nBinary\n x\nEnd\n' "$1"; }
model "" >plain.lp
model " x <= 5
" >bounded.lp
seen=$(
    node solve.mjs 2>/dev/null
    for name in plain bounded; do
        glpsol --lp $name.lp -o seen.txt >/dev/null
        echo "$name: GLPK $(sed -n 's/^Objective: *obj = \([^ ]*\).*/\1/p' seen.txt)"
        cbc $name.lp solve solution seen.txt >/dev/null 2>&1
        echo "$name: CBC $(sed -n '1s/.*objective value *//p' seen.txt)"
    done
)
same "$seen" <<'EXPECTED'
plain: HiGHS 1
bounded: HiGHS 5
plain: GLPK 1
plain: CBC 1.00000000
bounded: GLPK 5
bounded: CBC 1.00000000
EXPECTED
