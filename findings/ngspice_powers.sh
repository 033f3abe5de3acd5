#!/usr/bin/env bash
# ngspice 39.3: (-2)^3 is 8 in a source and a parameter and -8 in a control script; 2^3^2 is 64 there and 512 here.
#
# Guess: the three languages of one file for expressions, .param, sources of type B and `let`, agree.
# Seen:  in the netlist a power is that of the absolute value, so that a cubic term is even, and powers are taken from
#        the left. In control scripts the sign counts, and they are taken from the right. -2^2 is -4 in all three.
# Who:   polynomials of voltages and currents in models of cells and sense amplifiers, which a script fits or checks
#        with the same expression.
# Why right to expect: one simulator, one file, one expression, and -2^2, 1 / 3 * 3 and 5 - 3 - 1 are alike.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
debian ngspice=39.3+ds-1

seen=$(
    for power in "-2^2" "(-2)^2" "(-2)^3" "2^3^2" "5 - 3 - 1"; do
        cat >powers.cir <<SPICE
one expression in three places
.param number = {$power}
V1 parameter 0 {number}
B1 source 0 v = $power
.control
op
let script = $power
print v(parameter) v(source) script
.endc
.end
SPICE
        echo "$power:" $(ngspice -b powers.cir 2>/dev/null | grep -E '^(v.*|script) = ')
    done
)
same "$seen" <<'EXPECTED'
-2^2: v(parameter) = -4.00000e+00 v(source) = -4.00000e+00 script = -4.00000e+00
(-2)^2: v(parameter) = 4.000000e+00 v(source) = 4.000000e+00 script = 4.000000e+00
(-2)^3: v(parameter) = 8.000000e+00 v(source) = 8.000000e+00 script = -8.00000e+00
2^3^2: v(parameter) = 6.400000e+01 v(source) = 6.400000e+01 script = 5.120000e+02
5 - 3 - 1: v(parameter) = 1.000000e+00 v(source) = 1.000000e+00 script = 1.000000e+00
EXPECTED
