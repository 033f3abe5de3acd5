#!/usr/bin/env bash
# Miller 6.6.0 (Debian 12): the mean of the latencies 3, Inf and 1 is 2, and their largest is a text.
#
# Guess: Inf and NaN are numbers: the mean is infinite, or not a number.
# Seen:  Inf, NaN, +5 and whole numbers from 2^63 on are texts. Sums and means leave them out without a sign, count
#        counts them, and the largest of a column is such a text if there is one: NaN, or +5 of 3, +5 and 1.
# Who:   tables of designs whose latency without an end is infinite, and columns of 64-bit seeds.
# Why right to expect: count, sum and mean of one column belong together; sum / count is 1.33 here. An arithmetic
#        expression with such a cell is (error).
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
debian miller=6.6.0-2+b3

statistics() {
    printf 'x\n%s\n%s\n%s\n' "$@" | mlr --icsv --oxtab stats1 -a count,sum,mean,p50,max -f x |
        awk -v all="$*" '{ line = line " " $1 " " $2 } END { print all ":" line }' | sed 's/x_//g'
}
seen=$(
    statistics 3 4 1
    statistics 3 Inf 1
    statistics 3 NaN 1
    statistics 3 18446744073709551615 1
    statistics 3 +5 1
    echo "Inf + 1: $(printf 'x\nInf\n' | mlr --icsv --onidx put '$x = $x + 1')"
)
same "$seen" <<'EXPECTED'
3 4 1: count 3 sum 8 mean 2.6666666666666665 p50 3 max 4
3 Inf 1: count 3 sum 4 mean 2 p50 3 max Inf
3 NaN 1: count 3 sum 4 mean 2 p50 3 max NaN
3 18446744073709551615 1: count 3 sum 4 mean 2 p50 3 max 18446744073709551615
3 +5 1: count 3 sum 4 mean 2 p50 3 max +5
Inf + 1: (error)
EXPECTED
