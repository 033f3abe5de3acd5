#!/usr/bin/env bash
# ns-3.37: 16 bytes at 400 Gb/s take no time, 64 bytes at 800 Gb/s take 1 ns instead of 0.64.
#
# Guess: the time of a packet is rounded up to a nanosecond, or kept in picoseconds, in which times can be given.
# Seen:  it is cut to whole nanoseconds: 0, 1, 5 and 82 ns for 16, 64, 256 and 4,096 bytes at 400 Gb/s (0.32, 1.28, 5.12
#        and 81.92), and 64 bytes at 1.6 Tb/s take 0. 0.64 is one nanosecond. PicoSeconds(1999) is 1 ns. With
#        Time::SetResolution(Time::PS) first, all are right. "1.6Tbps" is refused.
# Who:   networks of accelerators modelled with flits of 16 to 64 bytes: a link of 1.6 Tb/s carries any number of them
#        at once, one of 800 Gb/s carries 512.
# Why right to expect: ns-3 has units down to femtoseconds, and warns of nothing.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs g++
debian libns3-dev=3.37-2 libns3.37=3.37-2 libgsl27=2.7.1+dfsg-5+deb12u1 libgslcblas0=2.7.1+dfsg-5+deb12u1

cat >packets.cpp <<'CPP'
#include "ns3/core-module.h"
#include "ns3/data-rate.h"
#include <iostream>
int main(int count, char *[]) {
    if (count > 1) ns3::Time::SetResolution(ns3::Time::PS);
    for (const char *rate : {"400Gbps", "800Gbps", "1600Gbps"}) {
        std::cout << rate << ':';
        for (const int bytes : {16, 64, 256, 4096})
            std::cout << ' ' << ns3::DataRate(rate).CalculateBytesTxTime(bytes).GetPicoSeconds();
        std::cout << " ps\n";
    }
    std::cout << "1999 ps: " << ns3::PicoSeconds(1999).GetPicoSeconds() << " ps\n";
}
CPP
libraries=$work/unpacked/usr/lib/x86_64-linux-gnu
g++ -std=c++17 -I"$work/unpacked/usr/include" packets.cpp "$libraries"/libns3-{core,network}.so \
    -Wl,--allow-shlib-undefined -o packets
seen=$(
    ./packets
    echo "in picoseconds:"
    ./packets fine
)
same "$seen" <<'EXPECTED'
400Gbps: 0 1000 5000 82000 ps
800Gbps: 0 1000 3000 41000 ps
1600Gbps: 0 0 1000 20000 ps
1999 ps: 1000 ps
in picoseconds:
400Gbps: 320 1280 5120 81920 ps
800Gbps: 160 640 2560 40960 ps
1600Gbps: 80 320 1280 20480 ps
1999 ps: 1999 ps
EXPECTED
