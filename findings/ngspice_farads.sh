#!/usr/bin/env bash
# ngspice 39: a capacitor of 1e-12F has 1e-27 farad, and 1F has 1e-15.
#
# Guess: 1e-12F is 1e-12 farad: after an exponent F can only be the unit.
# Seen:  F is the scale factor femto wherever it stands first after the digits, also behind an exponent and in a
#        parameter. 1pF, 10fF and 1e-12 are right, since letters after the first scale factor are dropped.
# Who:   bitlines, wires and storage cells of a memory, whose capacitances a script prints as 1e-12F or 2.5e-14F: the
#        circuit runs, and every delay and energy is 10^15 times too small.
# Why right to expect: the manual lists f = 1e-15 among the scale factors and 1e-12 as a number of its own; a number in
#        scientific notation with a unit (1e-9s, 1e3Hz, 1e-12H) is read as one.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
debian ngspice=39.3+ds-1

cat >cells.cir <<'SPICE'
capacitors
.param cell=2.5e-14F
V1 1 0 1
C1 1 0 1e-12
C2 1 0 1e-12F
C3 1 0 1pF
C4 1 0 10fF
C5 1 0 1F
C6 1 0 {cell}
L1 1 2 1e-9H
R1 2 0 1e3Ohm
.op
.control
print @c1[capacitance] @c2[capacitance] @c3[capacitance] @c4[capacitance] @c5[capacitance] @c6[capacitance]
print @l1[inductance] @r1[resistance]
.endc
.end
SPICE
same "$(ngspice -b cells.cir 2>/dev/null | grep '^@')" <<'EXPECTED'
@c1[capacitance] = 1.000000e-12
@c2[capacitance] = 1.000000e-27
@c3[capacitance] = 1.000000e-12
@c4[capacitance] = 1.000000e-14
@c5[capacitance] = 1.000000e-15
@c6[capacitance] = 2.500000e-29
@l1[inductance] = 1.000000e-09
@r1[resistance] = 1.000000e+03
EXPECTED
