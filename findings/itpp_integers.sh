#!/usr/bin/env bash
# IT++ 4.3.1: the integers "1e3 64KB 010 5000000000" are 1, 64, 8 and 2147483647.
#
# Guess: 1e3 is 1000 or refused, as letters behind a number and numbers beyond 32 bits are; 010 is 10.
# Seen:  what follows the digits is left out, a zero in front means octal, larger numbers are the largest one. sum() of
#        integers has their 32 bits: two times 2,000,000,000 are -294,967,296. The same text as a vec of doubles is
#        1000, 64, 10 and 5000000000. to_str prints nine digits, so that two addresses are one.
# Who:   parameters of simulations of links and codes, which its Parser reads from files in this form: sizes, seeds,
#        numbers of bits.
# Why right to expect: the manual describes texts as lists of numbers, and a wrong character between them is an error.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs g++
debian libitpp-dev=4.3.1-10 libitpp8v5=4.3.1-10 libfftw3-double3=3.3.10-1

cat >numbers.cc <<'CC'
#include <itpp/itbase.h>
#include <iostream>
int main() {
    char const* text = "1e3 64KB 010 5000000000";
    std::cout << itpp::ivec(text) << '\n';
    for (auto const* word : {"1e3", "64KB", "010", "5000000000"}) std::cout << itpp::vec(word)(0) << ' ';
    std::cout << "\nsum " << itpp::sum(itpp::ivec("2000000000 2000000000")) << '\n';
    std::cout << itpp::to_str(1099511627776123.0) << ' ' << itpp::to_str(1099511627779999.0) << '\n';
}
CC
g++ -O1 -Iunpacked/usr/include numbers.cc -o numbers -Lunpacked/usr/lib/x86_64-linux-gnu -litpp \
    -Wl,--unresolved-symbols=ignore-in-shared-libs
same "$(./numbers)" <<'EXPECTED'
[1 64 8 2147483647]
1000 64 10 5e+09 
sum -294967296
1.09951163e+15 1.09951163e+15
EXPECTED
