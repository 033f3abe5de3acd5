#!/usr/bin/env bash
# GCC 12.2.0: a source that is compiled with -O1 behind a precompiled header of -O2 is optimised as with -O2 in part.
#
# Guess: the level on the command line counts; a header that does not fit is not taken and -Winvalid-pch says so.
# Seen:  the header is taken without a word, and the assembly is neither that of -O1 nor that of -O2: a recursive
#        function is unrolled into itself, which -O1 does not do. With a header of -O1 it is that of -O1.
# Who:   builds that share one set of precompiled headers between modules of several levels, to save compile time:
#        pimdse's own modules that only read and describe took half as much time again.
# Why right to expect: the manual lists options that need not be the same; without the header, -O1 is -O1.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs libmpc3 libmpfr6 libgmp10 libisl23 zlib1g libzstd1
debian g++-12=12.2.0-14+deb12u1 gcc-12=12.2.0-14+deb12u1 cpp-12=12.2.0-14+deb12u1
compiler() { unpacked/usr/bin/g++-12 "$@"; }

echo 'inline int half(int n) { return n / 2; }' >header.hpp
cat >source.cpp <<'SOURCE'
#include "header.hpp"
int paths(int n) { return n <= 1 ? 1 : paths(half(n)) + paths(n - 1) * n; }
SOURCE
compiler -O1 -S source.cpp -o plain.s
for level in 1 2; do
    compiler -O$level -x c++-header header.hpp -o header.hpp.gch
    compiler -O1 -Winvalid-pch -S source.cpp -o behind_$level.s
    rm header.hpp.gch
done
compiler -O2 -S source.cpp -o plain_2.s

seen=$(
    for file in behind_1 behind_2; do
        for other in plain plain_2; do
            cmp -s $file.s $other.s && echo "$file is $other" || echo "$file is not $other"
        done
    done
    [ "$(wc -l <behind_2.s)" -gt "$(wc -l <plain.s)" ] && echo "behind_2 is longer than plain"
)
same "$seen" <<'EXPECTED'
behind_1 is plain
behind_1 is not plain_2
behind_2 is not plain
behind_2 is not plain_2
behind_2 is longer than plain
EXPECTED
