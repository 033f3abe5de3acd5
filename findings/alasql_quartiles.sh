#!/usr/bin/env bash
# alasql 4.19.1: of 1, 2, 3 and 4 the MEDIAN is 2.5 and the second quartile 3; the mean of 3, 10 and NaN is 4.33.
#
# Guess: QUART2 is the median, and NaN makes the mean NaN or is left out, as null is.
# Seen:  QUART, QUART2 and QUART3 are single values, with an even number of rows those of the upper half: 2, 3 and 4 of
#        four, the largest as the third one; of 1 and 2 there is no third. NaN is left out of SUM, MIN and MAX, but
#        counted: AVG divides by three. MEDIAN takes the place in a list in which NaN is sorted by chance.
# Who:   latencies summed up in a page: p50 by one name is another one than by the other, and a design without a result
#        (NaN) makes the mean of its group smaller, as if it took no time.
# Why right to expect: the second quartile is the median, and AVG is SUM divided by the rows that it sums.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
npm_packages --omit=optional alasql@4.19.1

cat >ask.mjs <<'JS'
import alasql from "alasql";

const ask = (columns, values) => console.log(JSON.stringify(values), JSON.stringify(
    alasql(`SELECT ${columns} FROM ?`, [values.map((x) => ({ x }))])[0]));
for (const values of [[1, 2, 3, 4], [1, 2, 3, 4, 5, 6, 7, 8], [1, 2]])
    ask("MEDIAN(x) AS median, QUART(x) AS first, QUART2(x) AS second, QUART3(x) AS third", values);
for (const values of [[3, 10, NaN], [3, 10, null]])
    ask("AVG(x) AS mean, SUM(x) AS added, COUNT(x) AS counted, MAX(x) AS largest, MEDIAN(x) AS median", values);
JS
same "$(node ask.mjs)" <<'EXPECTED'
[1,2,3,4] {"median":2.5,"first":2,"second":3,"third":4}
[1,2,3,4,5,6,7,8] {"median":4.5,"first":3,"second":5,"third":7}
[1,2] {"median":1.5,"first":1,"second":2}
[3,10,null] {"mean":4.333333333333333,"added":13,"counted":3,"largest":10,"median":10}
[3,10,null] {"mean":6.5,"added":13,"counted":2,"largest":10,"median":6.5}
EXPECTED
