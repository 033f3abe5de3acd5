#!/usr/bin/env bash
# ONNX Runtime Web 1.23.2: the mean of 2000000000 and 2000000000 is -147483648, and a masked block has the sum NaN.
#
# Guess: ReduceMean of int32 is 2000000000; ReduceLogSumExp of a block that is all minus infinity is minus infinity.
# Seen:  the mean adds up in the type of the elements, also in 64 bits, and divides what has wrapped. ReduceLogSumExp
#        subtracts the maximum, which is minus infinity from minus infinity. Minus infinity beside a number is fine.
# Who:   means of byte counts and addresses in a graph; attention over blocks of keys, whose partial sums are merged by
#        their log-sum-exp: a block that a causal or padding mask closes makes the merged row NaN.
# Why right to expect: the mean lies between its elements; log(exp(-inf) + exp(-inf)) is log(0), which the operator Log
#        of the same library gives as minus infinity.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3-numpy
debian python3-onnx=1.12.0-2+b4 libonnx1=1.12.0-2+b4 python3-protobuf=3.21.12-3+deb12u1 \
    libprotobuf32=3.21.12-3+deb12u1 python3-typing-extensions=4.4.0-1
npm_packages onnxruntime-web@1.23.2

/usr/bin/python3 -B - <<'PY'
import onnx
from onnx import TensorProto, helper

for name, kind in (("ReduceMean", "INT32"), ("ReduceMean", "INT64"), ("ReduceLogSumExp", "FLOAT"), ("Log", "FLOAT")):
    one = getattr(TensorProto, kind)
    options = {} if name == "Log" else {"axes": [0], "keepdims": 0}
    graph = helper.make_graph([helper.make_node(name, ["x"], ["y"], **options)], name,
                              [helper.make_tensor_value_info("x", one, ["n"])],
                              [helper.make_tensor_value_info("y", one, ["n"] if name == "Log" else [])])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(made)
    onnx.save(made, f"{name}_{kind}.onnx")
PY
cat >run.mjs <<'JS'
import fs from "fs";
import * as ort from "onnxruntime-web";

ort.env.wasm.numThreads = 1;
const arrays = { INT32: Int32Array, INT64: BigInt64Array, FLOAT: Float32Array };
const types = { INT32: "int32", INT64: "int64", FLOAT: "float32" };
async function run(name, kind, values) {
    const session = await ort.InferenceSession.create(fs.readFileSync(`${name}_${kind}.onnx`), { logSeverityLevel: 3 });
    const x = new ort.Tensor(types[kind], arrays[kind].from(values), [values.length]);
    const { y } = await session.run({ x });
    console.log(`${name} of ${values} in ${types[kind]}:`, [...y.data].join(" "));
}
await run("ReduceMean", "INT32", [2000000000, 2000000000]);
await run("ReduceMean", "INT32", [1000000000, 1000000000]);
await run("ReduceMean", "INT64", [2n ** 62n, 2n ** 62n]);
await run("ReduceLogSumExp", "FLOAT", [1000, 1000]);
await run("ReduceLogSumExp", "FLOAT", [-Infinity, 1]);
await run("ReduceLogSumExp", "FLOAT", [-Infinity, -Infinity]);
await run("Log", "FLOAT", [0]);
JS
same "$(node run.mjs)" <<'EXPECTED'
ReduceMean of 2000000000,2000000000 in int32: -147483648
ReduceMean of 1000000000,1000000000 in int32: 1000000000
ReduceMean of 4611686018427387904,4611686018427387904 in int64: -4611686018427387904
ReduceLogSumExp of 1000,1000 in float32: 1000.6931762695312
ReduceLogSumExp of -Infinity,1 in float32: 1
ReduceLogSumExp of -Infinity,-Infinity in float32: NaN
Log of 0 in float32: -Infinity
EXPECTED
