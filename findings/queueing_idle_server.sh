#!/usr/bin/env bash
# octave-queueing 1.2.7: the server of an M/G/1 queue with a load of 0.8 is idle for 45 % of the time, not for 20 %.
#
# Guess: qsmg1 and qsmm1 agree where the service is exponential; every single server is idle for 1 - load of the time.
# Seen:  the fifth result of qsmg1, the probability of an empty system, is exp(-load): 0.449 for 0.8, and 0.37 at a load
#        of 1. Utilisation, response time, length and throughput are right, so that idle and busy time add up to 1.25.
# Who:   serving models that take the share of time in which an engine can sleep, or refresh, from the queue's formula.
# Why right to expect: the server of an M/G/1 queue is busy for the share lambda * E[S] of the time, whatever the
#        distribution is (Kleinrock's book, which the function's help names); qsmm1 of the same package says 0.2.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
debian octave-queueing=1.2.7-5
unpack_octave

seen=$(
    octave --path "$work/unpacked/usr/share/octave/packages/queueing-1.2.7" --eval '
        warning("off", "all");
        for load = [0.2, 0.8, 0.99]
            [busy, time, ~, ~, idle] = qsmm1(load, 1);
            [busy2, time2, ~, ~, idle2] = qsmg1(load, 1, 2);
            printf("load %g: M/M/1 busy %.2f, idle %.3f, time %.2f; M/G/1 the same service: %.2f, %.3f, %.2f\n",
                   load, busy, idle, time, busy2, idle2, time2);
        end'
)
same "$seen" <<'EXPECTED'
load 0.2: M/M/1 busy 0.20, idle 0.800, time 1.25; M/G/1 the same service: 0.20, 0.819, 1.25
load 0.8: M/M/1 busy 0.80, idle 0.200, time 5.00; M/G/1 the same service: 0.80, 0.449, 5.00
load 0.99: M/M/1 busy 0.99, idle 0.010, time 100.00; M/G/1 the same service: 0.99, 0.372, 100.00
EXPECTED
