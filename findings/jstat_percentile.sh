#!/usr/bin/env bash
# jStat 1.9.6: the 99th percentile of two numbers is the smaller one, of 1 to 10 it is 9; `quantiles` says 10.
#
# Guess: 9.91, as spreadsheets interpolate, from both.
# Seen:  `percentile` interpolates but in the last interval, where it takes the number below. Of 100 times p99.5 is the
#        99th, whatever the 100th is.
# Who:   tails of latencies on a page: the largest of a short run is never part of its p99.
# Why right to expect: its source calls it the inclusive percentile of a range, which spreadsheets and NumPy compute at
#        rank k (n - 1), with interpolation up to the largest.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3-numpy
npm_packages jstat@1.9.6

seen=$(node --input-type=module - <<'JS'
import { createRequire } from "node:module";
const { jStat } = createRequire(process.cwd() + "/")("jstat");
const ten = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
const times = [...Array(99).fill(1), 1000];
console.log("jStat: p50", jStat.percentile(ten, 0.5), "p99", jStat.percentile(ten, 0.99), "of two",
            jStat.percentile([1, 2], 0.99), "of 100, p99.5", jStat.percentile(times, 0.995), "quantiles",
            ...jStat.quantiles(ten, [0.99]));
JS
/usr/bin/python3 -B -c '
import numpy as np
ten, times = range(1, 11), [1] * 99 + [1000]
print("NumPy: p50", np.percentile(ten, 50), "p99", np.percentile(ten, 99), "of two", np.percentile([1, 2], 99),
      "of 100, p99.5", round(np.percentile(times, 99.5), 3))')
same "$seen" <<'EXPECTED'
jStat: p50 5.5 p99 9 of two 1 of 100, p99.5 1 quantiles 10
NumPy: p50 5.5 p99 9.91 of two 1.99 of 100, p99.5 505.495
EXPECTED
