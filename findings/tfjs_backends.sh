#!/usr/bin/env bash
# @tensorflow/tfjs 4.22.0: 2147483647 squared in int32 is 0 by its cpu backend and 1 by wasm; a clipped NaN is NaN or 0.
#
# Guess: both give the same: integers wrap at 32 bits, so 1, and NaN stays NaN.
# Seen:  cpu multiplies doubles and wraps what is left of the product, so that the low bits of products above 2^53 are
#        zeros; wasm computes powers as doubles and does not wrap: 3^21 is the least integer. NaN between 0 and 10 is
#        NaN or 0, maximum(1, NaN) NaN or 1, by the backend and the side. Of 2^24 and four ones cpu has the sum 2^24 +
#        4, wasm 2^24.
# Who:   hashes, addresses and random numbers in int32 tensors, and quantised weights clipped before they are rounded:
#        results change with the backend that a browser picks.
# Why right to expect: one API has several backends, which are meant to differ in speed; and both propagate NaN in most
#        operations.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
npm_packages @tensorflow/tfjs-core@4.22.0 @tensorflow/tfjs-backend-cpu@4.22.0 @tensorflow/tfjs-backend-wasm@4.22.0

seen=$(node --input-type=module - 2>/dev/null <<'JS' | grep -E '^(cpu|wasm):'
import { createRequire } from "node:module";
const require = createRequire(`${process.cwd()}/`);
const tf = require("@tensorflow/tfjs-core");
for (const backend of ["cpu", "wasm"]) {
    require(`@tensorflow/tfjs-backend-${backend}`);
    await tf.setBackend(backend);
    const integer = (x) => tf.scalar(x, "int32");
    const show = (name, tensor) => console.log(`${backend}: ${name} ${[...tensor.dataSync()].join(" ")}`);
    show("2147483647 squared:", tf.mul(integer(2147483647), integer(2147483647)));
    show("3^21:", tf.pow(integer(3), integer(21)));
    show("NaN and 1000 clipped to 0..10:", tf.clipByValue(tf.tensor1d([NaN, 1000]), 0, 10));
    show("maximum of (NaN, 1) and (1, NaN):", tf.maximum(tf.tensor1d([NaN, 1]), tf.tensor1d([1, NaN])));
    show("2^24 + 1 + 1 + 1 + 1:", tf.sum(tf.tensor1d([16777216, 1, 1, 1, 1])));
}
JS
)
same "$seen" <<'EXPECTED'
cpu: 2147483647 squared: 0
cpu: 3^21: 1870418611
cpu: NaN and 1000 clipped to 0..10: NaN 10
cpu: maximum of (NaN, 1) and (1, NaN): NaN NaN
cpu: 2^24 + 1 + 1 + 1 + 1: 16777220
wasm: 2147483647 squared: 1
wasm: 3^21: -2147483648
wasm: NaN and 1000 clipped to 0..10: 0 10
wasm: maximum of (NaN, 1) and (1, NaN): NaN 1
wasm: 2^24 + 1 + 1 + 1 + 1: 16777216
EXPECTED
