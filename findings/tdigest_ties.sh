#!/usr/bin/env bash
# tdigest 0.1.3 (npm): nine times of 1 ms and one of 100 ms have a median of 10.9 ms.
#
# Guess: 1, since a digest of ten points keeps all of them.
# Seen:  equal values become one centroid, and percentiles between two centroids are interpolated from one to the other:
#        p50 is 10.9, p75 is 60.4. Of 999 times of 1 and one of 100, p75 is 50.6. `p_rank(1)` says that 45 % are not
#        larger; it is 90 %. Ten different numbers are right.
# Who:   latencies in whole cycles or milliseconds, of which many are equal: summaries of metrics and benchmarks.
#        `new TDigest(false)`, the discrete mode, is right.
# Why right to expect: a centroid whose points are all equal has no width. (The same was reported for another
#        implementation, in Haskell, as issue 48 of phadej/tdigest.)
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
npm_packages tdigest@0.1.3

seen=$(node --input-type=module - <<'JS'
import { TDigest } from "tdigest";
const digest = (numbers, mode) => {
    const made = new TDigest(mode);
    numbers.forEach((number) => made.push(number));
    made.compress();
    return made;
};
const times = [1, 1, 1, 1, 1, 1, 1, 1, 1, 100];
const shown = (made, shares) => shares.map((share) => `p${100 * share} ${made.percentile(share)}`).join(", ");
console.log("nine of 1, one of 100:", shown(digest(times), [0.25, 0.5, 0.75, 0.9]));
console.log("share up to 1:", digest(times).p_rank(1));
console.log("999 of 1, one of 100:", shown(digest([...Array(999).fill(1), 100]), [0.5, 0.75, 0.9]));
console.log("1 to 10:", shown(digest([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]), [0.25, 0.5, 0.9]));
console.log("discrete:", shown(digest(times, false), [0.25, 0.5, 0.75, 0.9]));
JS
)
same "$seen" <<'EXPECTED'
nine of 1, one of 100: p25 1, p50 10.9, p75 60.4, p90 90.1
share up to 1: 0.45
999 of 1, one of 100: p50 1.099, p75 50.599, p90 80.299
1 to 10: p25 3, p50 5.5, p90 9.5
discrete: p25 1, p50 1, p75 1, p90 1
EXPECTED
