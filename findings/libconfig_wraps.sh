#!/usr/bin/env bash
# libconfig++ 1.5: 5000000000 is read as 705032704, and 2147483648 as a negative number.
#
# Guess: a number beyond 32 bits is a 64-bit one, or an error; 64 is accepted where a number with a point is asked for.
# Seen:  without the suffix L the number wraps and the look-up succeeds; asked for as long long, the same text is "not
#        found", and so is 64 as a double. A mistake in the text itself, or a key that occurs twice, is an error.
# Who:   configurations of cache and memory simulators (capacities in bytes, counts of instructions) written by hand.
# Why right to expect: the manual: a number without L is an integer of 32 bits; it does not say that others wrap.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs g++
debian libconfig++-dev=1.5-0.4 libconfig++9v5=1.5-0.4 libconfig9=1.5-0.4

cat >read.cpp <<'CPP'
#include <iostream>
#include <libconfig.h++>

template <class T>
void look(libconfig::Config const& file, char const* key, char const* kind) {
    T value{};
    std::cout << key << " as " << kind << ": ";
    if (file.lookupValue(key, value)) std::cout << value << '\n';
    else std::cout << "not found\n";
}

int main() {
    libconfig::Config file;
    file.readString("bytes = 5000000000; half = 2147483648; suffix = 5000000000L; rate = 64;");
    look<int>(file, "bytes", "int");
    look<long long>(file, "bytes", "long long");
    look<int>(file, "half", "int");
    look<long long>(file, "suffix", "long long");
    look<double>(file, "rate", "double");
}
CPP
g++ -Iunpacked/usr/include read.cpp -Lunpacked/usr/lib/x86_64-linux-gnu -lconfig++ -o read
same "$(./read)" <<'EXPECTED'
bytes as int: 705032704
bytes as long long: not found
half as int: -2147483648
suffix as long long: 5000000000
rate as double: not found
EXPECTED
