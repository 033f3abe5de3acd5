#!/usr/bin/env bash
# @datadog/sketches-js 2.1.1 (DDSketch): a latency that is NaN counts as 0 ms: the median of 5, 6, 7 and three NaN.
#
# Guess: NaN is refused or left out.
# Seen:  it is counted among the zeros, where every number goes that is neither above nor below 0; only the sum is NaN.
#        Smallest and largest are right, since no comparison with NaN is true.
# Who:   latencies that are 0/0 for requests without tokens: the percentiles of a service become better with each.
# Why right to expect: a sketch promises a relative error of each quantile of the numbers that it was given; the count
#        says six.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
npm_packages @datadog/sketches-js@2.1.1

seen=$(node --input-type=module - <<'JS'
import { DDSketch } from "@datadog/sketches-js";
for (const times of [[5, 6, 7], [5, 6, 7, NaN, NaN, NaN]]) {
    const sketch = new DDSketch({ relativeAccuracy: 0.01 });
    times.forEach((time) => sketch.accept(time));
    const quantiles = [0.25, 0.5, 0.9].map((share) => sketch.getValueAtQuantile(share).toPrecision(3));
    console.log(`${times}: count ${sketch.count}, p25, p50, p90 ${quantiles}, ${sketch.min} to ${sketch.max}`);
}
JS
)
same "$seen" <<'EXPECTED'
5,6,7: count 3, p25, p50, p90 5.00,5.99,5.99, 5 to 7
5,6,7,NaN,NaN,NaN: count 6, p25, p50, p90 0.00,0.00,5.99, 5 to 7
EXPECTED
