#!/usr/bin/env bash
# onnxruntime-web 1.23.2: the largest of 1, NaN and 3 is NaN for Max, 3 for ReduceMax; the two largest of 3, NaN, 1, 5
# are 3 and NaN.
#
# Guess: NaN passes through, as the operator Max says and NumPy does; TopK has it first or last.
# Seen:  ReduceMax and ReduceMin are NaN only if it is the first number. TopK leaves 5 out behind a NaN, and the NaN
#        itself out where it is last. Unique of NaN, 1, NaN and 2 is one NaN: the numbers are gone.
# Who:   layers that choose experts or tokens by TopK, and scales of quantization by ReduceMax: one NaN in a row chooses
#        others by its place or goes unnoticed.
# Why right to expect: Max of the same library passes NaN on, and the standard's own implementation of ReduceMax is
#        NumPy's maximum.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3-numpy
debian python3-onnx=1.12.0-2+b4 libonnx1=1.12.0-2+b4 python3-protobuf=3.21.12-3+deb12u1 \
    libprotobuf32=3.21.12-3+deb12u1 python3-typing-extensions=4.4.0-1
npm_packages onnxruntime-web@1.23.2

/usr/bin/python3 -B - <<'PY'
import onnx
from onnx import TensorProto, helper

def model(name, inputs, outputs, **attributes):
    value = {"x": (TensorProto.FLOAT, ["n"]), "z": (TensorProto.FLOAT, ["n"]), "k": (TensorProto.INT64, [1])}
    graph = helper.make_graph(
        [helper.make_node(name, inputs, outputs, **attributes)], name,
        [helper.make_tensor_value_info(one, *value[one]) for one in inputs],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["m"])])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(made)
    onnx.save(made, f"{name}.onnx")

for name in "ReduceMax", "ReduceMin":
    model(name, ["x"], ["y"], axes=[0])
model("Max", ["x", "z"], ["y"])
model("TopK", ["x", "k"], ["y", "places"])
model("Unique", ["x"], ["y"])
PY
cat >run.mjs <<'JS'
import fs from "fs";
import * as ort from "onnxruntime-web";

ort.env.wasm.numThreads = 1;
async function run(name, values, more = {}) {
    const session = await ort.InferenceSession.create(fs.readFileSync(`${name}.onnx`), { logSeverityLevel: 3 });
    const x = new ort.Tensor("float32", Float32Array.from(values), [values.length]);
    const { y } = await session.run({ x, ...more });
    console.log(`${name} of ${values}:`, [...y.data].join(" "));
}
for (const values of [[1, NaN, 3], [NaN, 1, 3]]) {
    await run("ReduceMax", values);
    await run("ReduceMin", values);
}
await run("Max", [1, NaN, 3], { z: new ort.Tensor("float32", new Float32Array(3), [3]) });
const two = new ort.Tensor("int64", BigInt64Array.from([2n]), [1]);
for (const values of [[3, NaN, 1, 5], [NaN, 3, 1, 5], [3, 1, 5, NaN]]) await run("TopK", values, { k: two });
for (const values of [[NaN, 1, NaN, 2], [2, 1, NaN, 2]]) await run("Unique", values);
JS
same "$(node run.mjs)" <<'EXPECTED'
ReduceMax of 1,NaN,3: 3
ReduceMin of 1,NaN,3: 1
ReduceMax of NaN,1,3: NaN
ReduceMin of NaN,1,3: NaN
Max of 1,NaN,3: 1 NaN 3
TopK of 3,NaN,1,5: 3 NaN
TopK of NaN,3,1,5: NaN 5
TopK of 3,1,5,NaN: 5 3
Unique of NaN,1,NaN,2: NaN
Unique of 2,1,NaN,2: 1 2
EXPECTED
