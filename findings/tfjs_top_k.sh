#!/usr/bin/env bash
# @tensorflow/tfjs 4.22.0 (cpu): the two largest of 1, NaN, 3, 2, 5 are 5 and NaN; those of 3, NaN, 1, 2, 5 not.
#
# Guess: NaN has one place, first or last, whatever the order is; argMax and max agree.
# Seen:  topk compares with <, so NaN stays where it was met: it is among the largest in some orders and not in others,
#        and pushes out a number that is. argMax passes over NaN unless it comes first, and is then it; max is NaN in
#        every order.
# Who:   routers of mixtures of experts and samplers: with one NaN score the chosen experts depend on the order of the
#        others, and 3, which is the second best, is not chosen.
# Why right to expect: "the k largest" needs an order that does not depend on places. NumPy sorts NaN last, and its max
#        and argmax are NaN and the place of it in every order.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
npm_packages @tensorflow/tfjs-core@4.22.0 @tensorflow/tfjs-backend-cpu@4.22.0

seen=$(node --input-type=module - 2>/dev/null <<'JS' | grep ^top
import { createRequire } from "node:module";
const require = createRequire(`${process.cwd()}/`);
const tf = require("@tensorflow/tfjs-core");
require("@tensorflow/tfjs-backend-cpu");
await tf.setBackend("cpu");
for (const scores of [[1, NaN, 3, 2, 5], [3, NaN, 1, 2, 5], [5, 3, 2, NaN, 1], [NaN, 1, 3, 2, 5]]) {
    const t = tf.tensor1d(scores);
    const at = tf.argMax(t).dataSync()[0];
    console.log(`top two of ${scores.join(" ")}: ${[...tf.topk(t, 2).values.dataSync()].join(" ")}; ` +
                `argMax ${scores[at]}, max ${tf.max(t).dataSync()[0]}`);
}
JS
)
same "$seen" <<'EXPECTED'
top two of 1 NaN 3 2 5: 5 NaN; argMax 5, max NaN
top two of 3 NaN 1 2 5: 5 3; argMax 5, max NaN
top two of 5 3 2 NaN 1: NaN 5; argMax 5, max NaN
top two of NaN 1 3 2 5: 5 NaN; argMax NaN, max NaN
EXPECTED
