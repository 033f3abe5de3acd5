#!/usr/bin/env bash
# regression 2.0.1 and ml-levenberg-marquardt 5.1.0 (npm): fits to joules and seconds are 0, or the first guess.
#
# Guess: a line through (1, 5e-12), (2, 10e-12), (3, 15e-12) has the slope 5e-12 from both.
# Seen:  `regression` rounds slope, intercept and its predictions to two decimals, so that the line is "y = 0x"; 4 ms
#        per 1e9 bytes are "y = 0x + 0.01". Levenberg-Marquardt ends before its first step if the sum of squares is
#        below 1e-7, and returns the numbers that it began with as the fit. In picojoules both are right.
# Who:   constants of energy and time fitted to measured rows in SI units, on a page or in a script. Give the first
#        the option `precision: 20`, the second `errorTolerance: 0`.
# Why right to expect: a fit of y in other units is the same fit. The first's README says that `precision` is a number
#        of significant figures, of which 5e-12 needs one; the second's says 10e-3 of its tolerance.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
npm_packages regression@2.0.1 ml-levenberg-marquardt@5.1.0

seen=$(node --input-type=module - <<'JS'
import { levenbergMarquardt } from "ml-levenberg-marquardt";
import regression from "regression";

for (const [unit, size] of [["pJ", 1], ["J", 1e-12]]) {
    const points = [1, 2, 3].map((x) => [x, 5 * x * size]);
    const { string, r2 } = regression.linear(points);
    console.log(`regression, ${unit}: ${string}, r2 ${r2}`);
    const { parameterValues: [slope, offset], iterations } = levenbergMarquardt(
        { x: [1, 2, 3], y: points.map((point) => point[1]) }, ([a, b]) => (x) => a * x + b,
        { initialValues: [size, size] });
    const shown = (number) => (number / size).toFixed(2);
    console.log(`Levenberg-Marquardt, ${unit}: ${shown(slope)}x + ${shown(offset)}, ${iterations} steps`);
}
console.log("regression, s and B:", regression.linear([1, 2, 3].map((x) => [x * 1e9, x * 0.004])).string);
JS
)
same "$seen" <<'EXPECTED'
regression, pJ: y = 5x, r2 1
Levenberg-Marquardt, pJ: 5.00x + 0.00, 2 steps
regression, J: y = 0x, r2 -6
Levenberg-Marquardt, J: 1.00x + 1.00, 0 steps
regression, s and B: y = 0x + 0.01
EXPECTED
