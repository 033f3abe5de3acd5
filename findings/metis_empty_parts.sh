#!/usr/bin/env bash
# METIS 5.1.0: a ring of eight stages on eight chips leaves five chips empty and gives three stages to two of them.
#
# Guess: one vertex in each part; the balance of 1.03 that the manual names as the limit allows nothing else.
# Seen:  k-way partitioning, which gpmetis uses unless told otherwise, ends with parts of 0 to 3 vertices without a
#        word. Recursive bisection (-ptype=rb) gives one to each.
# Who:   layers, experts or pipeline stages that are laid on chips with a partitioner: the slowest chip has three times
#        the work, and others have none.
# Why right to expect: the manual's -ufactor is the largest allowed imbalance, 1.03 for k-way partitioning; here it is
#        3. With as many parts as vertices there is one balanced partition but for names.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
debian metis=5.1.0.dfsg-7 libmetis5=5.1.0.dfsg-7

seen=$(
    for size in 8 16; do
        {
            echo "$size $size"
            for ((stage = 0; stage < size; ++stage)); do
                echo "$(((stage + size - 1) % size + 1)) $(((stage + 1) % size + 1))"
            done
        } >ring.graph
        for way in kway rb; do
            gpmetis -seed=1 -ptype=$way ring.graph $size >/dev/null
            parts=$(for ((part = 0; part < size; ++part)); do grep -cx $part ring.graph.part.$size || true; done)
            echo "$size in $size parts, $way:" $(sort -n <<<"$parts" | uniq -c | awk '{ print $1 " of " $2 ";" }')
        done
    done
)
same "$seen" <<'EXPECTED'
8 in 8 parts, kway: 5 of 0; 1 of 2; 2 of 3;
8 in 8 parts, rb: 8 of 1;
16 in 16 parts, kway: 9 of 0; 5 of 2; 2 of 3;
16 in 16 parts, rb: 16 of 1;
EXPECTED
