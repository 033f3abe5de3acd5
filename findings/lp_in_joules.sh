#!/usr/bin/env bash
# javascript-lp-solver 1.0.3 and yalps 0.6.4: a budget of 100 pJ in joules is no limit: "unbounded".
#
# Guess: 20 operations of 5 pJ fit in 100 pJ, in joules as in picojoules.
# Seen:  numbers below 1e-8 count as 0, so the budget vanishes and both say unbounded (the first: feasible, without a
#        result). As an objective the same joules give 0 for 22 pJ and 2e-8 for 2.2e-8 J: results are rounded to eight
#        decimals. In picojoules both are right, and HiGHS 1.15.3 finds 22 pJ in joules.
# Who:   plans of layers on banks and memories with energies in joules and times in seconds, as pimdse writes them.
#        Divide by the unit first. (yalps has an option `precision`, which it describes; the other describes none.)
# Why right to expect: a linear program keeps its answer if a constraint or the objective is multiplied by a number.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
npm_packages javascript-lp-solver@1.0.3 yalps@0.6.4 highs@1.15.3

seen=$(node --input-type=module - <<'JS'
import loadHighs from "highs";
import solver from "javascript-lp-solver";
import { solve } from "yalps";

// As many operations of 5 pJ as 100 pJ allow; then ten operations, at most four of 1 pJ and the others of 3 pJ.
for (const [unit, size] of [["pJ", 1], ["J", 1e-12]]) {
    const budget = { constraints: { energy: { max: 100 * size } },
                     variables: { operations: { number: 1, energy: 5 * size } } };
    const first = solver.Solve({ optimize: "number", opType: "max", ...budget });
    const second = solve({ objective: "number", direction: "maximize", ...budget });
    console.log(`budget in ${unit}: ${first.bounded ? first.result : "unbounded"}, ${second.status} ${second.result}`);
}
for (const [unit, size] of [["pJ", 1], ["nJ", 1e-9], ["J", 1e-12]]) {
    const ten = { constraints: { number: { min: 10 }, banks: { max: 4 } },
                  variables: { near: { energy: size, number: 1, banks: 1 }, far: { energy: 3 * size, number: 1 } } };
    const first = solver.Solve({ optimize: "energy", opType: "min", ...ten });
    const second = solve({ objective: "energy", direction: "minimize", ...ten });
    console.log(`energy of ten, unit ${size}: ${first.result}, ${second.result}`);
}
const text = "Minimize\n e: 1e-12 near + 3e-12 far\nSubject To\n n: near + far >= 10\n b: near <= 4\nEnd\n";
console.log("HiGHS:", (await loadHighs()).solve(text, { output_flag: false }).ObjectiveValue);
JS
)
same "$seen" <<'EXPECTED'
budget in pJ: 20, optimal 20
budget in J: unbounded, unbounded Infinity
energy of ten, unit 1: 22, 22
energy of ten, unit 1e-9: 2e-8, 2e-8
energy of ten, unit 1e-12: 0, 0
HiGHS: 2.2e-11
EXPECTED
