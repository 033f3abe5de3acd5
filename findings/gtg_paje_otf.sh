#!/usr/bin/env bash
# GTG 0.2 (Generic Trace Generator): of one program's calls, times of 3.5 ns and energies are right in a Paje trace; in
# an OTF trace they are 0, and -7 is 18446744073709551609.
#
# Guess: the format is chosen in one call, and the trace says the same in each.
# Seen:  the OTF trace counts in units of 10 us and cuts off what is less, also at 9 ms, which is 8.99; counters are
#        integers without a sign, so 5e-12 J is 0, 2.9 is 2 and -7 is next to 2^64. Paje has 14 and 7 digits.
# Who:   simulators of chips that write traces by GTG to be read by Vampir's tools: all that happens within 10 us
#        happens at once, and no operation takes any time.
# Why right to expect: the calls take double precision in seconds, and OTF itself lets the writer choose the unit.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs gcc
debian libgtg-dev=0.2-2+dfsg-7+b2 libgtg0=0.2-2+dfsg-7+b2 libopen-trace-format1=1.12.5+dfsg-8 \
    otf-trace=1.12.5+dfsg-8 libotfaux0=1.12.5+dfsg-8

cat >trace.c <<'C'
#include <GTG.h>
int main(int count, char** name) {
    (void)count;
    setTraceType(name[1][0] == 'o' ? OTF : PAJE);
    initTrace(name[1], 0, GTG_FLAG_NONE);
    addContType("Chip", "0", "chip");
    addStateType("Task", "Chip", "task");
    addVarType("Joules", "joules", "Chip");
    addEntityValue("gemm", "Task", "gemm", GTG_RED);
    addEntityValue("idle", "Task", "idle", GTG_BLUE);
    addContainer(0, "chip0", "Chip", "0", "chip0", "0");
    double const times[] = {0, 3.5e-9, 1.4e-6, 26.7e-6};
    for (int i = 0; i < 4; ++i) setState(times[i], "Task", "chip0", i % 2 ? "idle" : "gemm");
    double const values[] = {5e-12, 2.9, -7};
    for (int i = 0; i < 3; ++i) setVar(1e-3 * (i + 1), "Joules", "chip0", values[i]);
    destroyContainer(9e-3, "chip0", "Chip");
    return endTrace() != TRACE_SUCCESS;
}
C
gcc -O1 -Iunpacked/usr/include trace.c -o trace unpacked/usr/lib/x86_64-linux-gnu/libgtg.so \
    -Wl,--unresolved-symbols=ignore-in-shared-libs
same "$(
    ./trace paje && grep -E '^(10|30|8) ' paje.trace
    ./trace otf && otfprint otf.otf | grep -oE 'TicksPerSecond.*|[0-9]+ (Enter|Counter|EndProcess):.*' | uniq
)" <<'EXPECTED'
10 0.0000000000000e+00 "Task" "chip0" "gemm"
10 3.5000000000000e-09 "Task" "chip0" "idle"
10 1.4000000000000e-06 "Task" "chip0" "gemm"
10 2.6700000000000e-05 "Task" "chip0" "idle"
30 1.0000000000000e-03 "Joules" "chip0" 5.000000e-12
30 2.0000000000000e-03 "Joules" "chip0" 2.900000e+00
30 3.0000000000000e-03 "Joules" "chip0" -7.000000e+00
8 9.0000000000000e-03 "chip0" "Chip"
TicksPerSecond 100000
0 Enter: function 1, process 1, source 0
0 Enter: function 2, process 1, source 0
0 Enter: function 1, process 1, source 0
2 Enter: function 2, process 1, source 0
100 Counter: process 1, counter 1, value 0
200 Counter: process 1, counter 1, value 2
300 Counter: process 1, counter 1, value 18446744073709551609
899 EndProcess: process 1
EXPECTED
