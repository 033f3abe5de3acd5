#!/usr/bin/env bash
# GNU recutils 1.9: 3000000000 cycles are not more than 2000000000; the largest, 4294967299, is printed as 4.29497e+09.
#
# Guess: integers are compared and printed in 64 bits, or refused.
# Seen:  in expressions and in sorting they are cut to 32 bits, without a word, so 3000000000 is less than 0 and
#        4294967299 is 3. Of sums and extremes six digits are printed.
# Who:   tables of runs as plain text, selected by cycles or bytes.
# Why right to expect: the manual names no width for the type int; recfix --check accepts the fields.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
debian recutils=1.9-2 librec1=1.9-2

cat >runs.rec <<'REC'
%rec: run
%type: Cycles int

Name: a
Cycles: 16777217

Name: b
Cycles: 3000000000

Name: c
Cycles: 4294967299
REC
seen=$(
    recfix --check runs.rec && echo "checked"
    for limit in 2000000000 4000000000; do
        echo "more than $limit:" $(recsel -e "Cycles > $limit" -P Name runs.rec)
    done
    echo "sorted:" $(recsel -S Cycles -P Name runs.rec)
    recsel -p 'Max(Cycles),Sum(Cycles)' runs.rec
)
same "$seen" <<'EXPECTED'
checked
more than 2000000000:
more than 4000000000: a c
sorted: b c a
Max_Cycles: 4.29497e+09
Sum_Cycles: 7.31174e+09
EXPECTED
