#!/usr/bin/env bash
# Verilator 5.006: of 1,000 numbers of $random(seed) modulo 8, 473 are 0, 439 are 7 and 88 are 4 or 6.
#
# Guess: the numbers that IEEE 1364 prescribes for a seed, as from Icarus Verilog 11.0, or others that look random.
# Seen:  ff7fffff, 01ffffff, 03ffffff, 07ffffff: each is the one before, shifted by a bit, and what comes in from the
#        right is the same for a long time. The last three bits are never 1, 2, 3 or 5. $dist_uniform(seed, 0, 99) is
#        that of the standard.
# Who:   addresses, banks and choices of experts drawn as $random(seed) % 8 in a testbench: half of the banks get
#        nothing. $dist_uniform with a seed is right.
# Why right to expect: IEEE 1364 gives the algorithm in C, so that a seed means the same numbers in every simulator.
#        (Since issue 3238 of the project the seed is written back, as the standard says.)
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs g++ make
debian iverilog=11.0-1.1+b1 verilator=5.006-3
library=$work/unpacked/usr/lib/x86_64-linux-gnu/ivl
export VERILATOR_ROOT=$work/unpacked/usr/share/verilator

cat >banks.v <<'VERILOG'
module banks;
    integer seed, i, number, count[0:7];
    initial begin
        seed = 1;
        for (i = 0; i < 6; i = i + 1) begin
            number = $random(seed);
            $write("%h ", number);
        end
        $display("");
        for (i = 0; i < 8; i = i + 1) count[i] = 0;
        seed = 1;
        for (i = 0; i < 1000; i = i + 1) begin
            number = $random(seed);
            count[number & 7] = count[number & 7] + 1;
        end
        for (i = 0; i < 8; i = i + 1) $write("%0d ", count[i]);
        $display("requests at eight banks");
        seed = 1;
        for (i = 0; i < 6; i = i + 1) begin
            number = $dist_uniform(seed, 0, 99);
            $write("%0d ", number);
        end
        $display("from $dist_uniform");
        $finish;
    end
endmodule
VERILOG
iverilog -B "$library" -o banks.vvp banks.v
verilator_bin --binary -Wno-fatal -j 1 --Mdir banks banks.v >verilator.txt 2>&1
seen=$(
    echo "Icarus Verilog"
    vvp -M "$library" banks.vvp | grep -v finish
    echo "Verilator"
    banks/Vbanks | grep -v finish
)
same "$seen" <<'EXPECTED'
Icarus Verilog
80010e00 9c598438 43593986 ae130c5c 672307ce 63cc97c7 
126 127 126 116 125 123 128 129 requests at eight banks
0 11 76 17 90 88 from $dist_uniform
Verilator
ff7fffff 01ffffff 03ffffff 07ffffff 0fffffff 1fffffff 
473 0 0 0 44 0 44 439 requests at eight banks
0 11 76 17 90 88 from $dist_uniform
EXPECTED
