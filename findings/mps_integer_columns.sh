#!/usr/bin/env bash
# One MPS file, minimised: 9 by GLPK 5.0, -11 by CBC 2.10.8 and HiGHS 1.15.3, 2 by lp_solve 5.5.2.5.
#
# Guess: as many channels as the one constraint allows, 8, from each; the sign of the objective's constant may differ.
# Seen:  an integer column without bounds is at most 1 for GLPK, CBC and HiGHS and unlimited for lp_solve, if it is
#        marked by INTORG. The right-hand side 10 of the objective is added by GLPK and lp_solve and subtracted by CBC
#        and HiGHS. No one warns; GLPK's log counts a binary variable. With an upper bound of 8 all find 8.
# Who:   mappings and partitions as integer programs that are written by one tool and solved by another: numbers of
#        channels, banks and replicas without a bound become yes or no.
# Why right to expect: a column without bounds is not negative and otherwise unlimited; that integer ones are different
#        is a custom of the first solvers, which writers do not state in the file.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
npm_packages highs@1.15.3
debian glpk-utils=5.0-1 libglpk40=5.0-1 lp-solve=5.5.2.5-2
unpack_cbc
export LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$work/unpacked/usr/lib/lp_solve

model() {
    cat <<MPS
NAME          TEST
ROWS
 N  COST
 L  LIMIT
COLUMNS
    MARK0000  'MARKER'                 'INTORG'
    CHANNELS  COST         -1.0   LIMIT         1.0
    MARK0001  'MARKER'                 'INTEND'
RHS
    RHS       LIMIT         8.0   COST         10.0
BOUNDS
$1ENDATA
MPS
}
highs() {
    node --input-type=module - <<'JS'
import { readFileSync } from "node:fs";
import load from "highs";
const model = (await load()).createModel();
model.options.set("output_flag", false);
model.readModel({ format: "mps", data: readFileSync("model.mps") });
model.run();
console.log(`HiGHS: ${model.getObjectiveValue()}, channels ${model.getSolution().colValue[0]}`);
model.dispose();
JS
}
seen=$(
    for bound in "" $' UP BND       CHANNELS      8.0\n'; do
        model "$bound" >model.mps
        if [ "$bound" ]; then echo "with a bound of 8"; else echo "without a bound"; fi
        glpsol --freemps model.mps -o glpk.txt >/dev/null
        awk '/^Objective/ { value = $4 } /CHANNELS/ { print "GLPK: " value ", channels " $4 }' glpk.txt
        cbc model.mps solve solution cbc.txt >/dev/null
        awk '/objective/ { value = $NF + 0 } /CHANNELS/ { print "CBC: " value ", channels " $3 }' cbc.txt
        highs
        lp_solve -fmps model.mps |
            awk '/^Value/ { value = $NF + 0 } /^CHANNELS/ { print "lp_solve: " value ", channels " $2 }'
    done
)
same "$seen" <<'EXPECTED'
without a bound
GLPK: 9, channels 1
CBC: -11, channels 1
HiGHS: -11, channels 1
lp_solve: 2, channels 8
with a bound of 8
GLPK: 2, channels 8
CBC: -18, channels 8
HiGHS: -18, channels 8
lp_solve: 2, channels 8
EXPECTED
