#!/usr/bin/env bash
# fityk 1.3.2: the line through 1, 2 and 6 ns has the slope 2 ns; in seconds it is 2.5e-9 s, in picoseconds 2,000 ps.
#
# Guess: the line of least squares, slope 2.5, in any unit.
# Seen:  each point weighs one over its value, as counts of particles would, but values below 1 weigh the same. So
#        numbers above 1 give another line than those below, and a row that crosses 1 a third one.
# Who:   fits of measured times, powers and counts of bytes over sizes, of which nobody says that they are counts: the
#        constant and the slope of a kernel are 20 % off, by the unit of the file. `@0: S = 1` before `fit` gives all
#        points one weight.
# Why right to expect: the manual says so of the standard deviations where it explains data, but `fit` names no weights.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
debian fityk=1.3.2-2+b2 libxy3v5=1.6-2+b2 liblua5.2-0=5.2.4-3 libwxbase3.2-1=3.2.2+dfsg-2

seen=$(
    for unit in ns s ps; do
        case $unit in ns) factor=1 ;; s) factor=1e-9 ;; ps) factor=1e3 ;; esac
        awk -v unit="$factor" 'BEGIN { print 1, unit; print 2, 2 * unit; print 3, 6 * unit }' >times.dat
        for weights in "" "@0: S = 1"; do
            printf '%s\n' '@0 < times.dat' "$weights" 'guess Linear' fit 'info formula' >fit.fit
            echo "$unit, ${weights:-usual weights}: $(cfityk -I fit.fit 2>&1 | grep -A1 'info formula' | tail -1)"
        done
    done
)
same "$seen" <<'EXPECTED'
ns, usual weights: -1.2 + 2 * x
ns, @0: S = 1: -2 + 2.5 * x
s, usual weights: -2e-09 + 2.5e-09 * x
s, @0: S = 1: -2e-09 + 2.5e-09 * x
ps, usual weights: -1200 + 2000 * x
ps, @0: S = 1: -2000 + 2500 * x
EXPECTED
