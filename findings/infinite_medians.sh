#!/usr/bin/env bash
# d3-array 3.2.5 and Vega 6.4.0: the median of the latencies 1, infinity and 2 is NaN, and so is Vega's mean.
#
# Guess: the median is 2 and the mean infinite.
# Seen:  a quantile is interpolated from the number below, also where its weight is 1: the difference to infinity times
#        0 is NaN. Vega's mean adds the difference to the mean before, so it is infinite if infinity comes last and NaN
#        otherwise. Sum, smallest and largest are right; so are quartiles with a finite number above them.
# Who:   box plots and means over designs of which some have no bound on latency (infinite), or over loads beyond
#        saturation: one of them removes the mark of all.
# Why right to expect: a median of an odd number of values is one of them; that of 1, 2, 3, 4 and infinity is 3.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
npm_packages vega@6.4.0 d3-array@3.2.5

seen=$(node --input-type=module - <<'JS'
import * as vega from "vega";
import { mean, median } from "d3-array";
const operations = ["sum", "mean", "median", "q1", "q3", "min", "max"];
for (const times of [[1, 4, 2], [1, Infinity, 2], [1, 2, Infinity], [1, 2, 3, 4, Infinity]]) {
    const specification = { data: [
        { name: "times", values: times.map((time) => ({ time })) },
        { name: "summary", source: "times", transform: [{ type: "aggregate", ops: operations, as: operations,
            fields: operations.map(() => "time") }] }] };
    const view = new vega.View(vega.parse(specification), { renderer: "none" });
    await view.runAsync();
    const [summary] = view.data("summary");
    console.log(`${times}: ${operations.map((name) => `${name} ${summary[name]}`).join(", ")}`);
    console.log(`  d3-array: mean ${mean(times)}, median ${median(times)}`);
}
JS
)
same "$seen" <<'EXPECTED'
1,4,2: sum 7, mean 2.3333333333333335, median 2, q1 1.5, q3 3, min 1, max 4
  d3-array: mean 2.3333333333333335, median 2
1,Infinity,2: sum Infinity, mean NaN, median NaN, q1 1.5, q3 Infinity, min 1, max Infinity
  d3-array: mean Infinity, median NaN
1,2,Infinity: sum Infinity, mean Infinity, median NaN, q1 1.5, q3 Infinity, min 1, max Infinity
  d3-array: mean Infinity, median NaN
1,2,3,4,Infinity: sum Infinity, mean Infinity, median 3, q1 2, q3 NaN, min 1, max Infinity
  d3-array: mean Infinity, median 3
EXPECTED
