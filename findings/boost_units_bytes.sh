#!/usr/bin/env bash
# Boost.Units 1.74: 64 GB are printed as 512 Gb, and 1000 B with binary prefixes as 7.8125 Kib, while 64 GB/s stay so.
#
# Guess: 64e9 bytes with engineering_prefix are 64 GB, as 64e9 W are 64 GW and 5e-12 J are 5 pJ.
# Seen:  a prefix is chosen after the bytes have become bits. That is so only where a unit is bytes alone, and only with
#        prefixes: without, they are bytes, and so they are in 64 GB/s.
# Who:   tables of sizes and rates of memories: next to each other, sizes are in bits and rates in bytes, told apart by
#        a small letter.
# Why right to expect: grams, joules and watts keep their unit, and the quantity's type says bytes.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs g++
debian libboost1.74-dev=1.74.0+ds1-21

cat >sizes.cc <<'CPP'
#include <boost/units/io.hpp>
#include <boost/units/systems/information.hpp>
#include <boost/units/systems/si.hpp>
#include <boost/units/systems/si/io.hpp>
#include <iostream>
namespace si = boost::units::si;
using boost::units::information::byte;
template <class Prefix> void print(const char* name, Prefix prefix) {
    std::cout << name << ": " << prefix << 64e9 * byte << ", " << 1000.0 * byte << ", " << 64e9 * byte / si::second
              << ", " << 64e9 * si::watt << ", " << 1e-3 * si::kilogram << "\n";
}
int main() {
    print("no prefix", boost::units::no_prefix);
    print("engineering prefix", boost::units::engineering_prefix);
    print("binary prefix", boost::units::binary_prefix);
}
CPP
g++ -O0 -std=c++17 -Iunpacked/usr/include sizes.cc -o sizes
same "$(./sizes)" <<'EXPECTED'
no prefix: 6.4e+10 B, 1000 B, 6.4e+10 B s^-1, 6.4e+10 W, 0.001 kg
engineering prefix: 512 Gb, 8 kb, 64 G(B s^-1), 64 GW, 1 g
binary prefix: 476.837 Gib, 7.8125 Kib, 59.6046 Gi(B s^-1), 59.6046 GiW, 0.001 kg
EXPECTED
