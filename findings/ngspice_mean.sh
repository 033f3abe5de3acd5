#!/usr/bin/env bash
# ngspice 39: mean() of a power over 1 us is 2.69 uW; over the same 1 us, meas avg says 8.78 nW.
#
# Guess: both are the mean over time.
# Seen:  mean() adds up the points that the simulator chose and divides by their number. They lie close together where
#        something changes, here around one edge, so the power of the edge counts 306 times. The steps are the
#        simulator's, so another tolerance gives another mean. meas avg and integ weigh each point with its time.
# Who:   power and energy of a cell, a bitline or a link, taken as mean() times the length of the run.
# Why right to expect: the manual calls it the mean of a vector; a transient is a function of time, and meas avg of the
#        same program treats it as one.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
debian ngspice=39.3+ds-1

cat >cell.cir <<'SPICE'
a cell that is charged once
V1 in 0 PULSE(0 1 1n 10p 10p 1u 2u)
R1 in cell 1k
C1 cell 0 10f
.tran 1n 1u
.control
run
let power = -v(in)*i(v1)
meas tran over_time avg power
print mean(power)
let energy = integ(power)
print energy[length(energy)-1]
.endc
.end
SPICE
same "$(ngspice -b cell.cir 2>/dev/null | grep -E '^(over_time|mean|energy)' | sed 's/  */ /g')" <<'EXPECTED'
over_time = 8.783233e-09 from= 0.000000e+00 to= 1.000000e-06
mean(power) = 2.690894e-06
energy[length(energy)-1] = 8.783233e-15
EXPECTED
