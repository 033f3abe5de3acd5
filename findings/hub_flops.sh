#!/usr/bin/env bash
# @huggingface/tasks 0.21.54: in its table of devices a T4 computes faster than a V100 and six times as fast as an A30.
#
# Guess: its teraflops are the dense half-precision rates of the vendors' data sheets.
# Seen:  some are. The T4's 65.13 and the MI250's 362.1 are rates of matrix units; the A100's 77.97 (312) and the V100's
#        28.26 (125) are those of vectors in half precision, the H100's 267.6 (990) is neither, and the A30's 10.32
#        (165) is that of vectors in single precision. In brackets what the vendor states for dense products.
# Who:   rooflines, and lists of devices ordered by this column: ratios between two devices are off by up to 16.
# Why right to expect: one column of one table, whose comment says half precision where possible. It also says that
#        values are approximate, but not that they are of different units of a device.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
npm_packages @huggingface/tasks@0.21.54

seen=$(node --input-type=module - <<'JS'
import { SKUS } from "@huggingface/tasks";
for (const [vendor, names] of [["NVIDIA", ["V100", "T4", "A100", "A30", "H100", "B200", "B300"]], ["AMD", ["MI250"]]])
    for (const name of names) console.log(`${vendor} ${name}: ${SKUS.GPU[vendor][name].tflops}`);
const { T4: old, V100: larger, A30: newer } = SKUS.GPU.NVIDIA;
const [times, more] = [larger, newer].map(({ tflops }) => (old.tflops / tflops).toFixed(2));
console.log(`a T4 is ${times} V100 or ${more} A30`);
JS
)
same "$seen" <<'EXPECTED'
NVIDIA V100: 28.26
NVIDIA T4: 65.13
NVIDIA A100: 77.97
NVIDIA A30: 10.32
NVIDIA H100: 267.6
NVIDIA B200: 496.6
NVIDIA B300: 1232
AMD MI250: 362.1
a T4 is 2.30 V100 or 6.31 A30
EXPECTED
