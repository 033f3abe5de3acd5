#!/usr/bin/env bash
# apache-arrow 21.2.0 (npm): a half-precision column turns 1,000,000 into 3.8, 1e-8 into minus infinity, 1e-9 into 4e-5.
#
# Guess: what is too large becomes infinity and what is too small 0, as IEEE 754 rounds.
# Seen:  right from 65504 down to 2e-8, and for 65520, which becomes infinity. From 65536 on the numbers begin again at
#        2; below 2e-8 come minus infinity, 4e-5 and NaN. Nothing is thrown. NumPy 1.24 rounds all of them as IEEE does.
# Who:   scores, weights and joules per byte that a page or script keeps in 16 bits. A column of Float32 is right.
# Why right to expect: Arrow's format defines the type as IEEE 754 binary16, and the package converts numbers itself.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3-numpy
npm_packages apache-arrow@21.2.0

seen=$(node --input-type=module - <<'JS'
import { Float16, vectorFromArray } from "apache-arrow";
const numbers = [0.1, 65504, 65520, 65536, 1e5, 1e6, -1e6, 6e-8, 1e-8, -1e-8, 1e-9, 1e-20];
for (const number of vectorFromArray(numbers, new Float16())) console.log("arrow:", number);
JS
/usr/bin/python3 -B -W ignore -c '
import numpy as np
numbers = [0.1, 65504, 65520, 65536, 1e5, 1e6, -1e6, 6e-8, 1e-8, -1e-8, 1e-9, 1e-20]
print("numpy:", *(f"{number:.4g}" for number in np.array(numbers).astype("f2")))')
same "$seen" <<'EXPECTED'
arrow: 0.0999755859375
arrow: 65504
arrow: Infinity
arrow: 2
arrow: 3.05078125
arrow: 3.814453125
arrow: -3.814453125
arrow: 5.960464477539063e-8
arrow: -Infinity
arrow: -Infinity
arrow: 0.000041961669921875
arrow: 0.00001919269561767578
numpy: 0.09998 6.55e+04 inf inf inf inf -inf 5.96e-08 0 -0 0 0
EXPECTED
