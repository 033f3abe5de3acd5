#!/usr/bin/env bash
# gretl 2022c: an infinite latency in a CSV file is a missing one: the mean of 1, 2 and inf is 1.5, the largest 2.
#
# Guess: inf is a number, so that mean and largest are infinite, or it is refused; nan is missing.
# Seen:  inf and -inf are missing values, as nan, -999 and -9999 are (the guide names -999), and statistics leave them
#        out without a word. -998 is a number.
# Who:   tables of designs whose latency is infinite beyond saturation, as pimdse's csv has them: the mean of a service
#        gets better with each design that cannot serve.
# Why right to expect: infinity is an ordered number, and the guide's list of what counts as missing in a file does not
#        have it. R, Octave and NumPy give an infinite mean.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
debian gretl=2022c-1 gretl-common=2022c-1 libgretl1=2022c-1 libfftw3-double3=3.3.10-1
LD_LIBRARY_PATH+=:$work/unpacked/usr/lib
export GRETL_HOME=$work/unpacked/usr/share/gretl/ HOME=$work

printf '%s\n' slack,latency,other -999,1,-998 5,inf,-9999 -inf,2,3 9,nan,4 >designs.csv
cat >designs.inp <<'GRETL'
set verbose off
open designs.csv --quiet
printf "slack: mean %g, smallest %g, of %d\n", mean(slack), min(slack), nobs(slack)
printf "latency: mean %g, largest %g, of %d\n", mean(latency), max(latency), nobs(latency)
printf "other: mean %g, smallest %g, of %d\n", mean(other), min(other), nobs(other)
GRETL
same "$(gretlcli -b designs.inp 2>gretl.txt | grep -E '^(slack|latency|other):')" <<'EXPECTED'
slack: mean 7, smallest 5, of 2
latency: mean 1.5, largest 2, of 2
other: mean -330.333, smallest -998, of 3
EXPECTED
