#!/usr/bin/env bash
# hdr-histogram-js 3.0.1: times of 0.9 ms have percentiles and a mean of 0; the limit of the range is not one.
#
# Guess: a fraction is rounded or refused, and a value above `highestTrackableValue` is refused, as the options say.
# Seen:  fractions are cut off: the mean of 1.9 and 2.9 is 1.5, p99 is 2; only the maximum is kept as it was. With a
#        range to 1000 the values 2000 and 5000 are recorded.
# Who:   times between tokens in milliseconds, of which a fast machine has fractions: record microseconds.
# Why right to expect: HdrHistogram counts integers, and its Java original takes only those (long); recordValue of this
#        package takes any number.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
npm_packages hdr-histogram-js@3.0.1

seen=$(node --input-type=module - <<'JS'
import { build } from "hdr-histogram-js";
const show = (times) => {
    const histogram = build(
        { lowestDiscernibleValue: 1, highestTrackableValue: 1000, numberOfSignificantValueDigits: 3 });
    for (const time of times) histogram.recordValue(time);
    const at = (share) => histogram.getValueAtPercentile(share);
    console.log(times.join(" "), "-> p50", at(50), "p99", at(99), "mean", +histogram.mean.toFixed(3), "max",
                histogram.maxValue);
};
show([0.9, 0.9, 0.9]);
show([1.9, 2.9]);
show([1, 2000, 5000]);
JS
)
same "$seen" <<'EXPECTED'
0.9 0.9 0.9 -> p50 0 p99 0 mean 0 max 0.9
1.9 2.9 -> p50 1 p99 2 mean 1.5 max 2.9
1 2000 5000 -> p50 2000 p99 5003 mean 2334.333 max 5000
EXPECTED
