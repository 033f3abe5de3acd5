#!/usr/bin/env bash
# METIS 5.1.0: two cut edges of 2,000,000,000 bytes are reported as a cut of -294967296.
#
# Guess: an error, or a sum in 64 bits: each weight fits the 32 bits that an integer has in Debian's build.
# Seen:  the sums wrap without a word. The cut is negative, and the limit of a part's weight is -6.78 times the whole,
#        so that the balance is not kept either.
# Who:   graphs of layers or tasks whose edges are bytes and whose vertices are operations or bytes of weights: divide
#        by the largest first.
# Why right to expect: the manual says that weights are integers; it names no limit of their sum.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
debian metis=5.1.0.dfsg-7 libmetis5=5.1.0.dfsg-7

seen=$(
    for bytes in 2000 2000000000; do
        printf '%s\n' "4 4 001" "2 $bytes 4 $bytes" "1 $bytes 3 $bytes" "2 $bytes 4 $bytes" \
            "3 $bytes 1 $bytes" >ring.graph
        echo "edges of $bytes: $(gpmetis -seed=1 ring.graph 2 | grep -o 'Edgecut: [-0-9]*')"
        printf '%s\n' "4 3 010" "$bytes 2" "$bytes 1 3" "$bytes 2 4" "$bytes 3" >chain.graph
        echo "vertices of $bytes: $(gpmetis -seed=1 chain.graph 2 | grep -o 'constraint #0:.*')"
    done
)
same "$seen" <<'EXPECTED'
edges of 2000: Edgecut: 4000
vertices of 2000: constraint #0:  1.000 out of 0.500
edges of 2000000000: Edgecut: -294967296
vertices of 2000000000: constraint #0:  1.000 out of -6.780
EXPECTED
