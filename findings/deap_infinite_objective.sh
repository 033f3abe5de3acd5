#!/usr/bin/env bash
# DEAP 1.3.1: one design with an infinite objective makes selNSGA2 drop the best finite one.
#
# Guess: an infinite objective is a very bad one; the extremes of the others keep their places.
# Seen:  of eight designs on one front, six are chosen. If the last is (18, 2), the extremes and the widest gaps are
#        kept. If it is (inf, 1), the crowding distance of its neighbour (17, 3) is NaN (infinity by infinity), and
#        neither is chosen: a list with NaN is not sorted.
# Who:   searches that give a design without an end, or beyond a limit, an infinite latency as a penalty.
# Why right to expect: infinity compares as usual, and dominance is right with it. In NSGA-II (Deb et al., 2002) the
#        extremes of each objective have an infinite distance, so that they are always kept.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3-numpy
debian python3-deap=1.3.1-4

seen=$(
    /usr/bin/python3 -B -W ignore - <<'PY'
from math import inf
from deap import base, creator, tools

creator.create("Fitness", base.Fitness, weights=(-1.0, -1.0))
creator.create("Design", list, fitness=creator.Fitness)


def design(*values):
    made = creator.Design(values)
    made.fitness.values = values
    return made


SEVEN = ((1, 20), (2, 19), (3, 18), (4, 17), (10, 8), (16, 4), (17, 3))
for last in ((18, 2), (inf, 1)):
    designs = [design(*values) for values in (*SEVEN, last)]
    chosen = sorted(map(tuple, tools.selNSGA2(designs, 6)))
    print(f"with {last}:", *chosen)
    print("  distance of (17, 3):", round(designs[6].fitness.crowding_dist, 3))
PY
)
same "$seen" <<'EXPECTED'
with (18, 2): (1, 20) (2, 19) (4, 17) (10, 8) (16, 4) (18, 2)
  distance of (17, 3): 0.114
with (inf, 1): (1, 20) (2, 19) (3, 18) (4, 17) (10, 8) (16, 4)
  distance of (17, 3): nan
EXPECTED
