#!/usr/bin/env bash
# mann-whitney-utest 1.0.5: two runs against two others differ significantly, and of 30 against 30 never any do.
#
# Guess: significant() is right about the two-sided test at 5 percent, but for ties perhaps.
# Seen:  the statistic U is right, also with ties. significant() compares it, which grows with the samples, with the
#        standard score of itself: whether U < z. Of 2 and 2 runs the least p is 1/3, and it says yes; for 30 and 30
#        whose p is 2e-5 and 1e-10 it says no.
# Who:   times of two designs or builds that a script in continuous integration compares: every change of a short series
#        is one, and no change of a long series.
# Why right to expect: the README has significant() for "whether the result is significant", and z by its side.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
npm_packages mann-whitney-utest@1.0.5
debian python3-numpy=1:1.24.2-1+deb12u1 python3-scipy=1.10.1-2

cat >series.json <<'JSON'
[[2, 2], [30, 12], [30, 25]]
JSON
seen=$(
    node - <<'JS'
const { test, significant, criticalValue } = require("mann-whitney-utest");
for (const [runs, slower] of require("./series.json")) {
    const before = Array.from({ length: runs }, (_, run) => 100 + run);
    const both = [before, before.map((time) => time + slower)];
    const u = test(both);
    console.log(`${runs} and ${runs} runs: U ${Math.min(...u)}, z ${criticalValue(u, both).toFixed(3)},`,
        significant(u, both) ? "significant" : "not significant");
}
JS
    /usr/bin/python3 -B - <<'PY'
import json
from scipy.stats import mannwhitneyu
for runs, slower in json.load(open("series.json")):
    before = range(100, 100 + runs)
    u, p = mannwhitneyu(list(before), [time + slower for time in before], alternative="two-sided")
    print(f"SciPy, {runs} and {runs} runs: U {u:g}, p {p:.1e}")
PY
)
same "$seen" <<'EXPECTED'
2 and 2 runs: U 0, z 1.549, significant
30 and 30 runs: U 162, z 4.259, not significant
30 and 30 runs: U 12.5, z 6.469, not significant
SciPy, 2 and 2 runs: U 0, p 3.3e-01
SciPy, 30 and 30 runs: U 162, p 2.1e-05
SciPy, 30 and 30 runs: U 12.5, p 1.0e-10
EXPECTED
