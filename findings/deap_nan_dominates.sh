#!/usr/bin/env bash
# DEAP 1.3.1: an objective that is NaN counts as equal, so a design without a latency dominates those that have one.
#
# Guess: an error, or designs with NaN come last.
# Seen:  (NaN, NaN) is on the first front of two minimised objectives, and (3, NaN) dominates (5, 1): `dominates` skips
#        an objective in which neither is better. Selection of three of five loses the best second objective.
# Who:   searches whose models return NaN for a design that has no latency.
# Why right to expect: Pareto dominance needs "at least as good" in every objective, and comparisons with NaN are false
#        (IEEE 754). DEAP asks for "not strictly worse" instead, and says nothing of NaN.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3-numpy
debian python3-deap=1.3.1-4

seen=$(
    /usr/bin/python3 -B -W ignore - <<'PY'
from math import nan
from deap import base, creator, tools

creator.create("Fitness", base.Fitness, weights=(-1.0, -1.0))
creator.create("Design", list, fitness=creator.Fitness)


def design(*values):
    made = creator.Design(values)
    made.fitness.values = values
    return made


designs = [design(*values) for values in ((1, 9), (2, 5), (3, nan), (nan, nan), (5, 1))]
print("(3, nan) dominates (5, 1):", designs[2].fitness.dominates(designs[4].fitness))
for number, front in enumerate(tools.sortNondominated(designs, 5), 1):
    print(f"front {number}:", *map(tuple, front))
print("three of five:", *map(tuple, tools.selNSGA2(designs, 3)))
PY
)
same "$seen" <<'EXPECTED'
(3, nan) dominates (5, 1): True
front 1: (1, 9) (2, 5) (nan, nan)
front 2: (3, nan)
front 3: (5, 1)
three of five: (1, 9) (2, 5) (nan, nan)
EXPECTED
