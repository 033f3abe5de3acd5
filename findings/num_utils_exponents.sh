#!/usr/bin/env bash
# num-utils 0.5: the sum of three energies of 5e-12 J is 15, and 3 is the largest of 1e-12, 3e-9 and 2e-10.
#
# Guess: 1.5e-11 and 3e-9, or an error about a number that is not understood.
# Seen:  the programs take the digits, sign and point at the front of a number and drop the exponent: numsum, numaverage
#        and numbound alike, and 2.5E6 is 2.5. Nothing is reported. 0.25 and -1.5 are right.
# Who:   columns of energies and latencies in SI units, added up or compared in a shell.
# Why right to expect: the manual says that positive and negative numbers and decimals are handled; what is not should
#        be refused, and awk, datamash, sort -g and bc's users know 5e-12.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs perl
debian num-utils=0.5-15

seen=$(
    echo "sum of three 5e-12: $(printf '%s\n' 5e-12 5e-12 5e-12 | numsum)"
    echo "sum of 2.5E6: $(echo 2.5E6 | numsum)"
    echo "mean of 1e3 and 2e3: $(printf '%s\n' 1e3 2e3 | numaverage)"
    echo "largest of 1e-12, 3e-9 and 2e-10: $(printf '%s\n' 1e-12 3e-9 2e-10 | numbound)"
    echo "sum of -1.5 and 0.25: $(printf '%s\n' -1.5 0.25 | numsum)"
)
same "$seen" <<'EXPECTED'
sum of three 5e-12: 15
sum of 2.5E6: 2.5
mean of 1e3 and 2e3: 1.5
largest of 1e-12, 3e-9 and 2e-10: 3
sum of -1.5 and 0.25: -1.25
EXPECTED
