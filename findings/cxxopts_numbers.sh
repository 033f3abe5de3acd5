#!/usr/bin/env bash
# cxxopts 3.1.1: --requests=5000000000 is 705032704, --bandwidth=64GB is 64, --width=300 is 44 in 8 bits.
#
# Guess: a number that does not fit its type, or has letters after it, is refused, as 1e3 is for an integer.
# Seen:  integers wrap at the size of their type without an error. Of a double whatever follows the digits is dropped:
#        64GB is 64, 0x40 is 0 and 1,5 is 1, while an integer of 64k is refused. -1 for an unsigned one is refused.
# Who:   simulators and converters of traces take numbers of requests, sizes and rates on the command line.
# Why right to expect: the library throws for a text that is no number of the type, and tests the range of 64-bit
#        integers: 18446744073709551616 is refused.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs g++
debian libcxxopts-dev=3.1.1-1

cat >numbers.cpp <<'CPP'
#include <cstdint>
#include <cxxopts.hpp>
#include <iostream>
template <class Number> void read(const std::string &text) {
    cxxopts::Options options("numbers");
    options.add_options()("value", "", cxxopts::value<Number>());
    const std::string argument = "--value=" + text;
    const char *arguments[] = {"numbers", argument.c_str()};
    std::cout << text << ": ";
    try {
        std::cout << +options.parse(2, arguments)["value"].template as<Number>() << '\n';
    } catch (const std::exception &) {
        std::cout << "refused\n";
    }
}
int main() {
    for (const char *text : {"5000000000", "1e3", "64k", "0x40"}) read<int>(text);
    for (const char *text : {"5000000000", "-1"}) read<unsigned>(text);
    read<std::uint8_t>("300");
    read<std::uint64_t>("18446744073709551616");
    for (const char *text : {"64GB", "0x40", "1,5"}) read<double>(text);
}
CPP
g++ -std=c++17 -I"$work/unpacked/usr/include" numbers.cpp -o numbers
same "$(./numbers)" <<'EXPECTED'
5000000000: 705032704
1e3: refused
64k: refused
0x40: 64
5000000000: 705032704
-1: refused
300: 44
18446744073709551616: refused
64GB: 64
0x40: 0
1,5: 1
EXPECTED
