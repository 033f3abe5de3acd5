#!/usr/bin/env bash
# onnxruntime-web 1.23.2: Cast makes the text "1e3" the integer 1, "5000000000" 705032704, and 9007199254740992.0 a text
# of eight digits.
#
# Guess: 1000 or an error, an error, and all digits.
# Seen:  an integer ends at the first character that is no digit, and is cut to its bits; "64GB" is 64, for float, too;
#        "0x10" is 16 for float, 0 for int32. Doubles as texts have eight digits, those of float, and integers all.
# Who:   models of tables (gradient boosted trees, encoders of categories) whose inputs are texts: sizes and ids in
#        scientific form are other categories, two ids are one.
# Why right to expect: "1e3" is 1000 for float, and integers keep their digits as texts.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3-numpy
debian python3-onnx=1.12.0-2+b4 libonnx1=1.12.0-2+b4 python3-protobuf=3.21.12-3+deb12u1 \
    libprotobuf32=3.21.12-3+deb12u1 python3-typing-extensions=4.4.0-1
npm_packages onnxruntime-web@1.23.2

/usr/bin/python3 -B - <<'PY'
import onnx
from onnx import TensorProto, helper

for source, target in ("STRING", "INT32"), ("STRING", "FLOAT"), ("DOUBLE", "STRING"), ("INT64", "STRING"):
    kinds = [getattr(TensorProto, kind) for kind in (source, target)]
    graph = helper.make_graph(
        [helper.make_node("Cast", ["x"], ["y"], to=kinds[1])], "cast",
        *[[helper.make_tensor_value_info(name, kind, ["n"])] for name, kind in zip("xy", kinds)])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(made)
    onnx.save(made, f"{source}_{target}.onnx")
PY
cat >run.mjs <<'JS'
import fs from "fs";
import * as ort from "onnxruntime-web";

ort.env.wasm.numThreads = 1;
async function cast(name, kind, values) {
    const session = await ort.InferenceSession.create(fs.readFileSync(`${name}.onnx`), { logSeverityLevel: 3 });
    const { y } = await session.run({ x: new ort.Tensor(kind, values, [values.length]) });
    console.log(name, [...values].map((value, at) => `${value}: ${y.data[at]}`).join(", "));
}
const texts = ["1e3", "5000000000", "64GB", "0x10", "1.9"];
await cast("STRING_INT32", "string", texts);
await cast("STRING_FLOAT", "string", texts);
await cast("DOUBLE_STRING", "float64", Float64Array.from([9007199254740992, 123456789.125, 1e-12]));
await cast("INT64_STRING", "int64", BigInt64Array.from([9007199254740993n]));
JS
same "$(node run.mjs)" <<'EXPECTED'
STRING_INT32 1e3: 1, 5000000000: 705032704, 64GB: 64, 0x10: 0, 1.9: 1
STRING_FLOAT 1e3: 1000, 5000000000: 5000000000, 64GB: 64, 0x10: 16, 1.9: 1.899999976158142
DOUBLE_STRING 9007199254740992: 9.0071993e+15, 123456789.125: 1.2345679e+08, 1e-12: 1e-12
INT64_STRING 9007199254740993: 9007199254740993
EXPECTED
