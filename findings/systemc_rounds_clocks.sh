#!/usr/bin/env bash
# SystemC 2.3.4: the clock of DDR5-6400 has a period of 313 ps instead of 312.5, without a warning.
#
# Guess: a time that is no multiple of the resolution (1 ps if none is set) is reported before it is rounded.
# Seen:  sc_time and sc_clock round silently; 1,000 cycles take 313 ns, and 0.4 ps are 0 s. With
#        sc_set_time_resolution(100, SC_FS) before the first time, 1,000 cycles take 312,500 ps.
# Who:   DRAM simulators in SystemC: 0.16 % too slow at 3.2 GHz, 1/3 ns at 3 GHz is 0.1 % too fast.
# Why right to expect: IEEE 1666 allows the rounding, so it is no fault; but a resolution that is set too late is
#        reported, and costs no more.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs g++
debian libsystemc=2.3.4-2 libsystemc-dev=2.3.4-2

cat >clock.cpp <<'CPP'
#include <systemc>
#include <iostream>
using namespace sc_core;
int sc_main(int count, char *[]) {
    if (count > 1) sc_set_time_resolution(100, SC_FS);
    const sc_clock clock("clock", sc_time(312.5, SC_PS));
    std::cout << "period " << clock.period() << ", 1000 cycles " << 1000 * clock.period() << ", 0.4 ps are "
              << sc_time(0.4, SC_PS) << std::endl;
    return 0;
}
CPP
library=$work/unpacked/usr/lib/x86_64-linux-gnu/libsystemc-2.3.4.so
g++ -std=c++17 -I"$work/unpacked/usr/include" clock.cpp "$library" -o clock
export SYSTEMC_DISABLE_COPYRIGHT_MESSAGE=1
seen=$(
    ./clock 2>&1
    ./clock fine 2>&1
)
same "$seen" <<'EXPECTED'
period 313 ps, 1000 cycles 313 ns, 0.4 ps are 0 s
period 312500 fs, 1000 cycles 312500 ps, 0.4 ps are 400 fs
EXPECTED
