#!/usr/bin/env bash
# hwloc 2.9.0: "16GB" is 16 x 10^9 bytes in a synthetic description and 2^30 bytes each in the picture of it.
#
# Guess: one meaning of GB; a description with memory=16GB is drawn with 16GB.
# Seen:  it is drawn as 15GB (16 x 10^9 / 2^30 = 14.9), a cache of 32MB as 31MB; with 16GiB and 32MiB the picture says
#        16GB and 32MB. A machine that is copied from its picture shrinks, to 15GB and then to 14GB.
# Who:   descriptions of nodes for placement of ranks and for reports, copied between lstopo and synthetic strings.
# Why right to expect: both are the same tool, and lstopo's manual page explains neither.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
debian hwloc=2.9.0-1 libhwloc15=2.9.0-1

draw() {
    lstopo-no-graphics -i "numa:1(memory=$1) l3:1(size=$2) core:1 pu:1" --of console | grep -oE 'L3 L#0 .*|NUMANode .*'
}
seen=$(
    for sizes in "16GB 32MB" "16GiB 32MiB" "15GB 31MB"; do
        set -- $sizes
        echo "$1 and $2 are drawn as" $(draw "$1" "$2")
    done
)
same "$seen" <<'EXPECTED'
16GB and 32MB are drawn as L3 L#0 (31MB) NUMANode L#0 (P#0 15GB)
16GiB and 32MiB are drawn as L3 L#0 (32MB) NUMANode L#0 (P#0 16GB)
15GB and 31MB are drawn as L3 L#0 (30MB) NUMANode L#0 (P#0 14GB)
EXPECTED
