#!/usr/bin/env bash
# SimPy 3.0.11: after one delay that is NaN the simulated time runs backwards.
#
# Guess: timeout(NaN) is refused, as timeout(-1) is, or its process is the last one.
# Seen:  it is accepted, and the queue of events is no longer in order, for NaN is neither before nor after any time:
#        of 300 sets of a dozen delays, 8 are answered out of order, such as 16 before 15. Nothing is reported.
# Who:   models whose service time is 0/0 for an empty request, among thousands of others: the waiting times of other
#        requests become negative.
# Why right to expect: the package refuses negative delays, since time cannot go back.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
debian python3-simpy3=3.0.11-3

seen=$(
    /usr/bin/python3 -B -W ignore - <<'PY'
import simpy


def ends(delays):
    environment, seen = simpy.Environment(), []

    def process(delay):
        yield environment.timeout(delay)
        seen.append(environment.now)

    for delay in delays:
        environment.process(process(delay))
    environment.run()
    return seen


try:
    ends([-1])
except ValueError:
    print("-1: refused")
# A dozen delays from 1 to 20 by a multiplicative sequence; the sixth is NaN.
state, wrong, example = 1, 0, None
for _ in range(300):
    delays = []
    for place in range(12):
        state = state * 16807 % (2**31 - 1)
        delays.append(float("nan") if place == 5 else state % 20 + 1)
    times = [time for time in ends(delays) if time == time]
    if times != sorted(times):
        wrong, example = wrong + 1, example or times
print("out of order:", wrong, "of 300, such as", *example)
PY
)
same "$seen" <<'EXPECTED'
-1: refused
out of order: 8 of 300, such as 2 7 8 8 10 11 12 16 16 15 17
EXPECTED
