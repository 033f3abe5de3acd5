#!/usr/bin/env bash
# HiGHS 1.15.3: of an LP text, 1 <= 2 x <= 4 allows x = 4, x + 2 x is 2 x, and the 5 of x + 5 >= 8 is nothing.
#
# Guess: each is what it says, or is refused.
# Seen:  the factor of a row with two bounds is dropped. Of one that is twice in the objective the last factor counts,
#        while in a row they are added. A constant in a row is dropped, that in the objective is not. GLPK 5.0 refuses
#        all but plain terms; CBC 2.10.8 reads rows with two bounds right and refuses the rest.
# Who:   models of mappings, placements and schedules that a script prints term by term: an optimum is reported, but of
#        another model.
# Why right to expect: the LP format defines both bounds as bounds of the expression between them. Terms of one variable
#        add up in rows of the same file.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
npm_packages highs@1.15.3
unpack_cbc
debian glpk-utils=5.0-1 libglpk40=5.0-1

cat >solve.mjs <<'JS'
import { readFileSync } from "node:fs";
import load from "highs";
try {
    const { Status: status, ObjectiveValue: value } = (await load()).solve(readFileSync("model.lp", "utf8"));
    console.log(status, value);
} catch {
    console.log("refused");
}
JS
solve() {
    printf '%s\n obj: %s\nSubject To\n c: %s\n%s\nEnd\n' "$1" "$2" "$3" "${4-}" >model.lp
    rm -f seen.txt
    glpsol --lp model.lp -o seen.txt >/dev/null || true
    local glpk=refused cbc
    [ ! -e seen.txt ] || glpk=$(sed -n 's/^Objective: *obj = \([^ ]*\).*/\1/p' seen.txt)
    cbc=$(cbc model.lp solve 2>/dev/null | sed -n 's/^Optimal objective \([^ ]*\).*/\1/p')
    echo "$1 $2 with $3: HiGHS $(node solve.mjs 2>/dev/null | tail -1), GLPK $glpk, CBC ${cbc:-refused}"
}
seen=$(
    solve Maximize x "x <= 4"
    solve Maximize x "1 <= 2 x <= 4"
    solve Maximize x "1 <= 2 x + y <= 4"
    solve Maximize "x + 2 x" "x <= 4"
    solve Maximize x "x + 2 x <= 4"
    solve Minimize x "x + 5 >= 8"
    solve Minimize "x + 5" "x >= 8"
)
same "$seen" <<'EXPECTED'
Maximize x with x <= 4: HiGHS Optimal 4, GLPK 4, CBC 4
Maximize x with 1 <= 2 x <= 4: HiGHS Optimal 4, GLPK refused, CBC 2
Maximize x with 1 <= 2 x + y <= 4: HiGHS Optimal 4, GLPK refused, CBC 2
Maximize x + 2 x with x <= 4: HiGHS Optimal 8, GLPK refused, CBC refused
Maximize x with x + 2 x <= 4: HiGHS Optimal 1.3333333333333333, GLPK refused, CBC refused
Minimize x with x + 5 >= 8: HiGHS Optimal 8, GLPK refused, CBC refused
Minimize x + 5 with x >= 8: HiGHS Optimal 13, GLPK refused, CBC 8
EXPECTED
