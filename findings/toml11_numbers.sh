#!/usr/bin/env bash
# toml11 3.7.1: the integer 2^63 is read as 2^63 - 1, find<int> makes 5000000000 705032704, and 123456789.5 is written
# as 1.23457e+08.
#
# Guess: what does not fit is an error, as TOML demands, and a number is written so that it is read back.
# Seen:  too large integers are the largest one, 1e400 is 1.8e308; find<int> and find<unsigned> cut bits off. A value
#        sent to a stream has the stream's six digits, so that 0.1 + 0.2 is 0.3. find_or<double> of bandwidth = 100,
#        which is an integer, is the default, as if the key were not there.
# Who:   configurations of simulators in C++: a capacity in bytes becomes another one, a bandwidth without ".0" is the
#        default, and what a run writes beside its results is not what it ran.
# Why right to expect: TOML says that integers that cannot be represented losslessly are an error; find throws where
#        types differ, so that a conversion that loses something seems to be checked.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs g++
debian libtoml11-dev=3.7.1-3

cat >numbers.cc <<'CC'
#include <iostream>
#include <sstream>
#include <toml.hpp>
int main() {
    std::istringstream file("bytes = 5000000000\nlarge = 9223372036854775808\nhuge = 1e400\nhertz = 123456789.5\n"
                            "joules = 0.30000000000000004\nbandwidth = 100\nless = -1\n");
    auto const read = toml::parse(file);
    std::cout << "large " << read.at("large").as_integer() << ", find<int> " << toml::find<int>(read, "bytes")
              << ", find<unsigned> " << toml::find<unsigned>(read, "less") << ", find_or<double> "
              << toml::find_or<double>(read, "bandwidth", 64.0) << '\n';
    for (auto const* key : {"hertz", "joules", "huge"}) std::cout << key << ' ' << read.at(key) << '\n';
    std::cout << "format " << toml::format(read.at("hertz")) << '\n';
}
CC
g++ -O1 -std=c++17 -Iunpacked/usr/include numbers.cc -o numbers
same "$(./numbers)" <<'EXPECTED'
large 9223372036854775807, find<int> 705032704, find<unsigned> 4294967295, find_or<double> 64
hertz 1.23457e+08
joules 0.3
huge 1.79769e+308
format 123456789.5
EXPECTED
