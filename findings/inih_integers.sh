#!/usr/bin/env bash
# inih 55 (INIReader): GetInteger reads "1e9" as 1, "64 MB" as 64 and "010" as 8, where GetReal reads 10.
#
# Guess: the default value for text that is no integer, as its comment says; 10 for "010".
# Seen:  what follows the first digits is dropped without a sign of it: 1e9 is 1, 0.5 is 0, 1_000 is 1. A leading zero
#        makes octal numbers, of which 09 is 0. A key that occurs twice has both lines, and the first number counts.
# Who:   DRAMsim3 reads its .ini files of timings and geometry with this class: a row count of 3.2e4 is 3.
# Why right to expect: INIReader.h says that the default is returned if the value is not "a valid integer (decimal
#        "1234", "-1234", or hex "0x4d2")".
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs g++
debian libinih-dev=55-1 libinih1=55-1 libinireader0=55-1

cat >timings.ini <<'INI'
[dram]
a = 1e9
b = 64 MB
c = 0.5
d = 1_000
e = 010
f = 09
g = none
h = 8
h = 9
INI
cat >read.cpp <<'CPP'
#include <INIReader.h>
#include <cstdio>
int main() {
    const INIReader file("timings.ini");
    for (const char *key : {"a", "b", "c", "d", "e", "f", "g", "h"}) {
        std::string text = file.Get("dram", key, "");
        if (const auto line = text.find('\n'); line != text.npos) text.replace(line, 1, " and ");
        std::printf("%s: integer %ld, real %g\n", text.c_str(), file.GetInteger("dram", key, -1),
                    file.GetReal("dram", key, -1));
    }
}
CPP
library=$work/unpacked/usr/lib/x86_64-linux-gnu
g++ -std=c++17 -I"$work/unpacked/usr/include" read.cpp "$library"/libINIReader.so "$library"/libinih.so -o read
seen=$(./read)
same "$seen" <<'EXPECTED'
1e9: integer 1, real 1e+09
64 MB: integer 64, real 64
0.5: integer 0, real 0.5
1_000: integer 1, real 1
010: integer 8, real 10
09: integer 0, real 9
none: integer -1, real -1
8 and 9: integer 8, real 8
EXPECTED
