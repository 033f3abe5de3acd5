#!/usr/bin/env bash
# simple-statistics 7.12.1: the geometric mean of 40 times of 5 ns, in seconds, is 0; of 40 rates of 5e9 it is Infinity.
#
# Guess: about 5e-9 and 5e9: the mean of logarithms, as elsewhere.
# Seen:  it is the root of the product, which leaves the range of doubles: 30 such times are right, 40 are 0. No error
#        is raised. `logAverage` of the package, jStat, Perl's Statistics::Descriptive and Python give 5e-9 and 5e9.
# Who:   means of speedups, latencies or joules of a table of kernels: whether they are 0 depends on the unit and on how
#        many rows there are.
# Why right to expect: a mean lies between the smallest and the largest value.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3
npm_packages simple-statistics@7.12.1 jstat@1.9.6
debian libstatistics-descriptive-perl=3.0800-1 liblist-moreutils-perl=0.430-2 libexporter-tiny-perl=1.006000-1
export PERL5LIB=$work/unpacked/usr/share/perl5

seen=$(node --input-type=module - <<'JS'
import { createRequire } from "node:module";
const load = createRequire(process.cwd() + "/");
const simple = load("simple-statistics"), { jStat } = load("jstat");
for (const [count, value] of [[30, 5e-9], [40, 5e-9], [40, 5e9]]) {
    const all = Array(count).fill(value);
    console.log(`${count} of ${value}: geometricMean`, simple.geometricMean(all).toPrecision(4), "logAverage",
                simple.logAverage(all).toPrecision(4), "jStat", jStat.geomean(all).toPrecision(4));
}
JS
perl - <<'PL'
use Statistics::Descriptive;
for my $value (5e-9, 5e9) {
    my $all = Statistics::Descriptive::Full->new;
    $all->add_data(($value) x 40);
    printf "Statistics::Descriptive: %.4g\n", $all->geometric_mean;
}
PL
python3 -B -c '
from statistics import geometric_mean
print("Python:", *(f"{geometric_mean([value] * 40):.4g}" for value in (5e-9, 5e9)))')
same "$seen" <<'EXPECTED'
30 of 5e-9: geometricMean 5.000e-9 logAverage 5.000e-9 jStat 5.000e-9
40 of 5e-9: geometricMean 0.000 logAverage 5.000e-9 jStat 5.000e-9
40 of 5000000000: geometricMean Infinity logAverage 5.000e+9 jStat 5.000e+9
Statistics::Descriptive: 5e-09
Statistics::Descriptive: 5e+09
Python: 5e-09 5e+09
EXPECTED
