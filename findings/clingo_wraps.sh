#!/usr/bin/env bash
# clingo 5.4.1: 65,536 rows of 65,536 bits are 0 bits, and a capacity limit holds for anything.
#
# Guess: an error, or exact integers, for numbers beyond 32 bits.
# Seen:  65536*65536 is 0, 3000000000 is -1294967296, and 2**40 is 0, without a message. The energies 2,000,000,000 of
#        two parts add up to -294967296, so a design of 4 mJ in pJ satisfies a limit of 1 mJ.
# Who:   design spaces of embedded systems and accelerators are explored with answer set programming: sizes in bits or
#        bytes, energies in fJ or pJ and times in ps are above 2^31.
# Why right to expect: the numbers of the ASP-Core-2 language are integers. (Issue 89 of the project, of
#        2018: intended, for memory. Version 6, not in Debian 12, has exact integers.)
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
debian gringo=5.4.1-3.1+b1 liblua5.4-0=5.4.4-3+deb12u1
export LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$work/unpacked/usr/lib

cat >design.lp <<'LP'
bits(65536*65536). bytes(3000000000). large(2**40).
energy(array,2000000000). energy(converter,2000000000).
total(T) :- T = #sum{E,P : energy(P,E)}.
:- total(T), T > 1000000000.
#show bits/1. #show bytes/1. #show large/1. #show total/1.
LP
same "$(clingo --verbose=0 design.lp 2>&1 || true)" <<'EXPECTED'
bits(0) bytes(-1294967296) large(0) total(-294967296)
SATISFIABLE
EXPECTED
