#!/usr/bin/env bash
# ministat 20150715: the median of two times of 10 ms and two of 50 ms is 50 ms.
#
# Guess: the mean of the middle two where their number is even: 30, as in R, NumPy and datamash.
# Seen:  it is the upper one of the middle two. Of 1, 2, 3 and 100 it is 3. With an odd number it is right; least,
#        largest, mean and deviation are always.
# Who:   a few runs of a simulator before and after a change, which ministat compares: with four runs each, of which two
#        are slow, the column of medians says that all are slow.
# Why right to expect: the median of an even number of values is the mean of the middle two in every statistical text;
#        the manual does not define it otherwise.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
debian ministat=20150715-1+b1

seen=$(
    for times in "10 10 50 50" "1 2 3 100" "1 2 3 4 5"; do
        printf '%s\n' $times >times.txt
        echo "of $times: $(ministat -n times.txt | awk '$1 == "x" && NF == 7 { print $5 ", mean " $6 }')"
    done
)
same "$seen" <<'EXPECTED'
of 10 10 50 50: 50, mean 30
of 1 2 3 100: 3, mean 26.5
of 1 2 3 4 5: 3, mean 3
EXPECTED
