#!/usr/bin/env bash
# Icarus Verilog 11.0 and Verilator 5.006: $dist_poisson with a mean of 1,000 has a mean of 745.7.
#
# Guess: 1,000, or an error.
# Seen:  right up to 700; from 745 on every mean gives 745.7: the generator multiplies numbers below 1 until they are
#        below exp(-mean), which is 0 there, so it counts how many factors a double takes to become 0.
# Who:   requests, arrivals and queue lengths of a testbench that come a thousand at a time: the load is too small,
#        without a sign of it.
# Why right to expect: IEEE 1364 describes the mean as an integer without a limit. Its C code of the generator, which
#        both follow, does this, so it is the standard's own.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs g++ make
debian iverilog=11.0-1.1+b1 verilator=5.006-3
library=$work/unpacked/usr/lib/x86_64-linux-gnu/ivl
export VERILATOR_ROOT=$work/unpacked/usr/share/verilator

cat >arrivals.v <<'VERILOG'
module arrivals;
    integer seed, mean, i, one;
    real sum;
    initial begin
        for (mean = 7; mean <= 70000; mean = mean * 10) begin
            seed = 1;
            sum = 0;
            for (i = 0; i < 2000; i = i + 1) begin
                one = $dist_poisson(seed, mean);
                sum = sum + one;
            end
            $display("mean %0d: %.1f", mean, sum / 2000);
        end
        $finish;
    end
endmodule
VERILOG
iverilog -B "$library" -o arrivals.vvp arrivals.v
verilator_bin --binary -Wno-fatal -j 1 --Mdir arrivals arrivals.v >verilator.txt 2>&1
seen=$(
    echo "Icarus Verilog"
    vvp -M "$library" arrivals.vvp | grep mean
    echo "Verilator"
    arrivals/Varrivals | grep mean
)
same "$seen" <<'EXPECTED'
Icarus Verilog
mean 7: 6.9
mean 70: 70.0
mean 700: 700.4
mean 7000: 745.7
mean 70000: 745.7
Verilator
mean 7: 6.9
mean 70: 70.0
mean 700: 700.4
mean 7000: 745.7
mean 70000: 745.7
EXPECTED
