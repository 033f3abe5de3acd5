#!/usr/bin/env bash
# CLI11 2.1.2: --channels=010 is 8 as an integer and 10 as a double; --limit=-1 is 2^64 - 1 in 64 bits, refused in 32.
#
# Guess: 010 is 10 in every type, as in a file of numbers padded with zeros; -1 is refused for every unsigned type.
# Seen:  integers are read as C constants (010 is 8, 0x40 is 64), doubles not. -1 is refused for unsigned of 8 and 32
#        bits because it does not survive the conversion, and accepted for 64. What is too large, 1e3 and 64GB are
#        refused.
# Who:   simulators and tools that sweep a design from a script with padded numbers (008, 010, 016: 008 is refused), and
#        take capacities and limits as 64 bits.
# Why right to expect: one text should not be two numbers by the type behind it, and the check that refuses -1 for 32
#        bits is meant for all unsigned types.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs g++
debian libcli11-dev=2.1.2+ds-1

cat >options.cpp <<'CPP'
#include <CLI/CLI.hpp>
#include <cstdint>
#include <iostream>
template <class Number> void show(const char* type, const std::string& text) {
    Number number = 0;
    CLI::App program;
    program.add_option("--x", number);
    try {
        program.parse(std::vector<std::string>{"--x=" + text});
        std::cout << "  " << type << ' ' << +number;
    } catch (const CLI::Error&) { std::cout << "  " << type << " refused"; }
}
int main() {
    for (const std::string text : {"008", "010", "0x40", "-1", "300", "5000000000", "64GB"}) {
        std::cout << text << ':';
        show<std::uint8_t>("8 bits", text);
        show<std::uint32_t>("32 bits", text);
        show<std::uint64_t>("64 bits", text);
        show<double>("double", text);
        std::cout << '\n';
    }
}
CPP
g++ -std=c++17 -O0 -w -Iunpacked/usr/include options.cpp -o options
same "$(./options)" <<'EXPECTED'
008:  8 bits refused  32 bits refused  64 bits refused  double 8
010:  8 bits 8  32 bits 8  64 bits 8  double 10
0x40:  8 bits 64  32 bits 64  64 bits 64  double 64
-1:  8 bits refused  32 bits refused  64 bits 18446744073709551615  double -1
300:  8 bits refused  32 bits 300  64 bits 300  double 300
5000000000:  8 bits refused  32 bits refused  64 bits 5000000000  double 5e+09
64GB:  8 bits refused  32 bits refused  64 bits refused  double refused
EXPECTED
