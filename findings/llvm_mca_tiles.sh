#!/usr/bin/env bash
# llvm-mca of LLVM 16.0.6: a Sapphire Rapids starts four AMX tile products a cycle; the machine starts one in 16.
#
# Guess: a product of tiles occupies its unit for 16 cycles, and takes 52; or the tool says that it does not know.
# Seen:  latency 100 and a quarter of a cycle on any of four ports, for products and tile loads, without a remark: these
#        are the numbers of an instruction whose cost is not known, since the processor is modelled as a Skylake server.
#        Six independent products have a reciprocal throughput of 1.5 cycles (96).
# Who:   rooflines of CPUs from llvm-mca: 4 x 8,192 multiplications of bfloat16 a cycle, 64 times the peak.
# Why right to expect: Intel's optimisation manual: 16 cycles of throughput and 52 of latency for TDP instructions.
#        An unknown processor is reported, an instruction of unknown cost is not (issue 53242 of the project is about
#        another one).
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
debian llvm-16=1:16.0.6-15~deb12u1 libllvm16=1:16.0.6-15~deb12u1

cat >one.s <<'S'
tdpbf16ps %tmm2, %tmm1, %tmm0
tdpbssd %tmm2, %tmm1, %tmm0
tileloadd (%rax,%rbx), %tmm0
S
cat >six.s <<'S'
tdpbf16ps %tmm7, %tmm6, %tmm0
tdpbf16ps %tmm7, %tmm6, %tmm1
tdpbf16ps %tmm7, %tmm6, %tmm2
tdpbf16ps %tmm7, %tmm6, %tmm3
tdpbf16ps %tmm7, %tmm6, %tmm4
tdpbf16ps %tmm7, %tmm6, %tmm5
S
mca() { llvm-mca-16 -mtriple=x86_64 -mcpu=sapphirerapids "$@" 2>&1; }
seen=$(
    for instruction in tdpbf16ps tdpbssd tileloadd; do
        mca one.s | awk -v name="$instruction" '$1 == 1 && $0 ~ name { print name ": latency", $2 ", cycles", $3 }'
    done
    echo "six independent products: $(mca six.s | grep Block)"
)
same "$seen" <<'EXPECTED'
tdpbf16ps: latency 100, cycles 0.25
tdpbssd: latency 100, cycles 0.25
tileloadd: latency 100, cycles 0.25
six independent products: Block RThroughput: 1.5
EXPECTED
