#!/usr/bin/env bash
# Boost 1.81.0: Boost.JSON writes 4.1178392450743795E-12 and reads it back as 4.1178392450743787e-12.
#
# Guess: what it writes is read back as the same double.
# Seen:  of 100,000 doubles between 1e-15 and 1e12 some 17 % come back as a neighbour. Writing is exact: strtod reads
#        the same text right. Numbers with few digits, such as 0.1, are right.
# Who:   results passed through JSON and compared for equality, hashed, or used as keys and in ties of a front: a design
#        is no longer equal to itself.
# Why right to expect: it writes as many digits as a double needs, and the page names no accuracy of the parser.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs g++
debian libboost1.81-dev=1.81.0-5+deb12u1

cat >numbers.cc <<'CC'
#include <boost/json/src.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
int main() {
    auto const read = [](char const* text) { return boost::json::parse(text).to_number<double>(); };
    for (auto const* text : {"0.1", "5.3e-12", "4.1178392450743795E-12", "1.942524979842824E-8"})
        std::printf("%s -> %.17g\n", text, read(text));
    std::mt19937_64 random;
    int moved = 0, moved_by_strtod = 0;
    for (int i = 0; i < 100000; ++i) {
        double const power = std::pow(10.0, static_cast<double>(random() % 27000) / 1000 - 15);
        double const number = power * (1 + static_cast<double>(random()) * 0x1p-64);
        auto const text = boost::json::serialize(boost::json::value(number));
        moved += read(text.c_str()) != number;
        moved_by_strtod += std::strtod(text.c_str(), nullptr) != number;
    }
    std::printf("of 100,000 moved: %d, by strtod %d\n", moved, moved_by_strtod);
}
CC
g++ -O0 -std=c++17 -Iunpacked/usr/include numbers.cc -o numbers
same "$(./numbers)" <<'EXPECTED'
0.1 -> 0.10000000000000001
5.3e-12 -> 5.2999999999999996e-12
4.1178392450743795E-12 -> 4.1178392450743787e-12
1.942524979842824E-8 -> 1.9425249798428238e-08
of 100,000 moved: 17587, by strtod 0
EXPECTED
