#!/usr/bin/env bash
# onnx 1.12.0 (Python): the weight 300 in a tensor of INT8 is read back as 44, -1 in UINT8 as 255.
#
# Guess: make_tensor refuses what its type cannot hold, or the checker does; 70,000 in FLOAT16 is infinite.
# Seen:  both are accepted: integers of 8 and 16 bits are stored in fields of 32, and only reading them as an array
#        wraps them. check_tensor and check_model find nothing. 1.7 is refused, and FLOAT16 rounds as it should.
# Who:   quantised weights, scales of groups and zero points written by a script whose rounding exceeds the range by one
#        (128 for a symmetric scale): the largest weight changes its sign.
# Why right to expect: in onnx.proto the field of 32 bits stands for values of the stated type; 300 is none.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3-numpy
debian python3-onnx=1.12.0-2+b4 libonnx1=1.12.0-2+b4 python3-protobuf=3.21.12-3+deb12u1 \
    libprotobuf32=3.21.12-3+deb12u1 python3-typing-extensions=4.4.0-1

seen=$(
    /usr/bin/python3 -B -W ignore - <<'PY'
from onnx import TensorProto, checker, helper, numpy_helper

for name, numbers in (("INT8", [127, 128, 300, -129]), ("UINT8", [255, 256, -1]), ("INT16", [32768]),
                      ("FLOAT16", [65504.0, 70000.0]), ("INT8", [1.7])):
    try:
        tensor = helper.make_tensor("weights", getattr(TensorProto, name), [len(numbers)], numbers)
    except TypeError:
        print(f"{name} {numbers}: refused")
        continue
    checker.check_tensor(tensor)
    checker.check_model(helper.make_model(helper.make_graph([], "graph", [], [], [tensor])))
    print(f"{name} {numbers}: {numpy_helper.to_array(tensor).tolist()}")
PY
)
same "$seen" <<'EXPECTED'
INT8 [127, 128, 300, -129]: [127, -128, 44, 127]
UINT8 [255, 256, -1]: [255, 0, 255]
INT16 [32768]: [-32768]
FLOAT16 [65504.0, 70000.0]: [65504.0, inf]
INT8 [1.7]: refused
EXPECTED
