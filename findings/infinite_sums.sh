#!/usr/bin/env bash
# pandas 1.5.3 by group, Boost 1.74, simple-statistics 7.12.1: the sum of 1, infinity and 2 is NaN.
#
# Guess: infinity, as in the arithmetic of doubles.
# Seen:  sums that carry a correction for rounding (Kahan's) subtract infinity from infinity. In pandas it is the sum
#        and mean of groups, not of a column; in Boost sum_kahan, once a number follows the infinity; in
#        simple-statistics sum and mean.
# Who:   tables in which an infeasible design has infinite latency: in totals by model it is NaN, and a pivot table
#        drops the column.
# Why right to expect: pandas' own sum of the column is infinity; none of the three has infinities among what its text
#        excludes.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs g++ python3-dateutil python3-tz
debian python3-numpy=1:1.24.2-1+deb12u1 python3-pandas=1.5.3+dfsg-2 python3-pandas-lib=1.5.3+dfsg-2 \
    libboost1.74-dev=1.74.0+ds1-21
npm_packages simple-statistics@7.12.1

cat >sums.cpp <<'CPP'
#include <boost/accumulators/accumulators.hpp>
#include <boost/accumulators/statistics.hpp>
#include <cmath>
#include <iostream>
#include <limits>
#include <vector>
using namespace boost::accumulators;
int main() {
    const double infinity = std::numeric_limits<double>::infinity();
    for (const std::vector<double>& times : {std::vector<double>{1, infinity}, {1, infinity, 2}}) {
        accumulator_set<double, stats<tag::sum_kahan>> corrected;
        accumulator_set<double, stats<tag::sum>> plain;
        for (const double time : times) {
            corrected(time);
            plain(time);
        }
        const double sum = sum_kahan(corrected);
        std::cout << "Boost, " << times.size() << " numbers: sum_kahan " << (std::isnan(sum) ? "NaN" : "inf")
                  << ", sum " << boost::accumulators::sum(plain) << '\n';
    }
}
CPP
g++ -std=c++17 -O1 -w -Iunpacked/usr/include sums.cpp -o sums
seen=$(
    /usr/bin/python3 -B -W ignore - <<'PY'
import numpy, pandas
runs = pandas.DataFrame({"model": list("aaabb"), "seconds": [1, numpy.inf, 2, 3, 4]})
print("pandas, column:", runs.seconds.sum(), runs.seconds.mean())
for name in ("sum", "mean", "max", "median"):
    print(f"pandas, {name} by model:", *getattr(runs.groupby("model").seconds, name)())
one = runs[runs.model == "a"].pivot_table(index="model", values="seconds")
print("pandas, columns of a pivot table of model a:", list(one.columns))
PY
    ./sums
    node --input-type=module - <<'JS'
import { max, mean, median, sum } from "simple-statistics";
const seconds = [1, Infinity, 2];
console.log("simple-statistics:", sum(seconds), mean(seconds), "largest", max(seconds), "median", median(seconds));
JS
)
same "$seen" <<'EXPECTED'
pandas, column: inf inf
pandas, sum by model: nan 7.0
pandas, mean by model: nan 3.5
pandas, max by model: inf 4.0
pandas, median by model: 2.0 3.5
pandas, columns of a pivot table of model a: []
Boost, 2 numbers: sum_kahan inf, sum inf
Boost, 3 numbers: sum_kahan NaN, sum inf
simple-statistics: NaN NaN largest Infinity median 2
EXPECTED
