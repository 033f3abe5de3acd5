#!/usr/bin/env bash
# MLIR 19.1.7: the larger of NaN and 1 by arith.maxnumf is 1 when it is computed, and NaN when it is folded.
#
# Guess: a constant is folded to the number that the compiled operation gives.
# Seen:  the larger of the constants NaN and 1 is replaced by NaN; a function that gets them as arguments returns 1.
#        arith.minnumf, its twin, is folded to 1. maxnumf of x and minus infinity is replaced by x, also where x is NaN
#        and the operation would give minus infinity.
# Who:   compilers of models that lower to MLIR: a kernel with a missing value gives another result as soon as inlining
#        makes its operand a constant, so that an optimized build differs from the one that is debugged.
# Why right to expect: the page of the dialect says that maxnumf gives the other operand if one is NaN.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
debian mlir-19-tools=1:19.1.7-3~deb12u1 libmlir-19=1:19.1.7-3~deb12u1 libllvm19=1:19.1.7-3~deb12u1
tools=$work/unpacked/usr/lib/llvm-19

cat >operations.mlir <<'MLIR'
func.func private @larger(%a : f32, %b : f32) -> f32 attributes { no_inline } {
  %r = arith.maxnumf %a, %b : f32
  return %r : f32
}
func.func private @smaller(%a : f32, %b : f32) -> f32 attributes { no_inline } {
  %r = arith.minnumf %a, %b : f32
  return %r : f32
}
func.func @main() {
  %nan = arith.constant 0x7FC00000 : f32
  %one = arith.constant 1.0 : f32
  %a = call @larger(%nan, %one) : (f32, f32) -> f32
  vector.print %a : f32
  %b = call @smaller(%nan, %one) : (f32, f32) -> f32
  vector.print %b : f32
  return
}
MLIR
run() {
    "$tools/bin/mlir-opt" "$@" --convert-vector-to-llvm --convert-arith-to-llvm --convert-func-to-llvm \
        --reconcile-unrealized-casts operations.mlir |
        "$tools/bin/mlir-cpu-runner" -e main --entry-point-result=void \
            --shared-libs="$(echo "$tools"/lib/libmlir_c_runner_utils.so*)" | xargs
}
seen=$(
    echo "larger and smaller of NaN and 1, computed: $(run)"
    sed -i 's/ attributes { no_inline }//' operations.mlir
    echo "the same, inlined and folded: $(run --inline --canonicalize)"
    "$tools/bin/mlir-opt" --canonicalize - <<'MLIR' | grep -E 'return|constant'
func.func @folded(%x : f32) -> (f32, f32) {
  %infinity = arith.constant 0xFF800000 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %a = arith.maxnumf %x, %infinity : f32
  %b = arith.maxnumf %nan, %infinity : f32
  return %a, %b : f32, f32
}
MLIR
)
same "$seen" <<'EXPECTED'
larger and smaller of NaN and 1, computed: 1 1
the same, inlined and folded: nan 1
    %cst = arith.constant 0x7FC00000 : f32
    return %arg0, %cst : f32, f32
EXPECTED
