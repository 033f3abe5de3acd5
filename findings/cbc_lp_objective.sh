#!/usr/bin/env bash
# CBC 2.10.8: of the objective x + 10 in an LP text the 10 is dropped, and of x + [ x^2 ] / 2 the square.
#
# Guess: both count, or are refused.
# Seen:  the optimum of x + 10 with x >= 2 is 2, without a warning, and so it is with the square. HiGHS 1.15.3 says 12
#        and 4. A model that HiGHS or another solver wrote so is therefore another one for CBC.
# Who:   energies and costs with a part that no choice changes, as leakage or idle power: options that are compared by
#        the optimum lack it, and two solvers differ.
# Why right to expect: CBC's reader takes the text without a word, while it ends with an error for a variable that
#        occurs twice.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
npm_packages highs@1.15.3
unpack_cbc

cat >solve.mjs <<'JS'
import { readFileSync } from "node:fs";
import load from "highs";
const { Status: status, ObjectiveValue: value } = (await load()).solve(readFileSync("model.lp", "utf8"));
console.log(`HiGHS ${status} ${value}`);
JS
seen=$(
    for objective in "x" "x + 10" "10 + x" "x + [ x^2 ] / 2"; do
        printf 'Minimize\n obj: %s\nSubject To\n c: x + y >= 3\n d: y <= 1\nEnd\n' "$objective" >model.lp
        cbc model.lp solve >seen.txt 2>&1
        value=$(sed -n 's/^Optimal objective \([^ ]*\).*/\1/p' seen.txt)
        warnings=$(grep -ciE 'warn|error' seen.txt || true)
        echo "$objective: $(node solve.mjs 2>/dev/null | tail -1); CBC $value, $warnings warnings"
    done
)
same "$seen" <<'EXPECTED'
x: HiGHS Optimal 2; CBC 2, 0 warnings
x + 10: HiGHS Optimal 12; CBC 2, 0 warnings
10 + x: HiGHS Optimal 12; CBC 2, 0 warnings
x + [ x^2 ] / 2: HiGHS Optimal 4; CBC 2, 0 warnings
EXPECTED
