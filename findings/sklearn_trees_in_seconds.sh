#!/usr/bin/env bash
# scikit-learn 1.2.1: a regression tree of 1 to 16 ns, given in seconds, has one leaf: 3.4 ns for every design.
#
# Guess: a tree of the same numbers in another unit is the same tree.
# Seen:  a node is a leaf if its variance is at most 2.2e-16, whatever the targets are. So trees, random forests and
#        gradient boosting of targets in seconds or joules stay single leaves or stop early; microseconds are right
#        here. Histogram gradient boosting, and trees of the absolute error, are right for all of them.
# Who:   surrogate models of latency and energy in a search: the forest predicts one number for all designs, r2 0, and
#        so has no importances. Give it nanoseconds and picojoules, or scale the targets.
# Why right to expect: a tree is known not to need scaling; of the documented limits of growth (depth, samples,
#        decrease of impurity, which is 0 unless set) none is a variance.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3-numpy python3-scipy
debian python3-sklearn=1.2.1+dfsg-1 python3-sklearn-lib=1.2.1+dfsg-1 python3-joblib=1.2.0-4+deb12u1 \
    python3-threadpoolctl=3.1.0-1

seen=$(/usr/bin/python3 -B -W ignore - <<'PY'
import numpy
from sklearn.ensemble import GradientBoostingRegressor, HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.tree import DecisionTreeRegressor

banks = numpy.arange(1.0, 17.0).reshape(-1, 1)
latency = 16 / banks[:, 0]
for unit in (1, 1e-6, 1e-9, 1e-12):
    for model in (DecisionTreeRegressor(), DecisionTreeRegressor(criterion="absolute_error"),
                  RandomForestRegressor(50, random_state=1), GradientBoostingRegressor(random_state=1),
                  HistGradientBoostingRegressor(min_samples_leaf=1)):
        model.fit(banks, latency * unit)
        first, last = model.predict(banks[[0, -1]]) / unit
        criterion = getattr(model, "criterion", "")
        print(f"unit {unit:g}: {type(model).__name__} {criterion}: {first:.1f} to {last:.1f}")
PY
)
same "$seen" <<'EXPECTED'
unit 1: DecisionTreeRegressor squared_error: 16.0 to 1.0
unit 1: DecisionTreeRegressor absolute_error: 16.0 to 1.0
unit 1: RandomForestRegressor squared_error: 12.7 to 1.0
unit 1: GradientBoostingRegressor friedman_mse: 16.0 to 1.0
unit 1: HistGradientBoostingRegressor : 16.0 to 1.0
unit 1e-06: DecisionTreeRegressor squared_error: 16.0 to 1.0
unit 1e-06: DecisionTreeRegressor absolute_error: 16.0 to 1.0
unit 1e-06: RandomForestRegressor squared_error: 12.7 to 1.0
unit 1e-06: GradientBoostingRegressor friedman_mse: 16.0 to 1.0
unit 1e-06: HistGradientBoostingRegressor : 16.0 to 1.0
unit 1e-09: DecisionTreeRegressor squared_error: 3.4 to 3.4
unit 1e-09: DecisionTreeRegressor absolute_error: 16.0 to 1.0
unit 1e-09: RandomForestRegressor squared_error: 3.3 to 3.3
unit 1e-09: GradientBoostingRegressor friedman_mse: 3.4 to 3.4
unit 1e-09: HistGradientBoostingRegressor : 16.0 to 1.0
unit 1e-12: DecisionTreeRegressor squared_error: 3.4 to 3.4
unit 1e-12: DecisionTreeRegressor absolute_error: 16.0 to 1.0
unit 1e-12: RandomForestRegressor squared_error: 3.3 to 3.3
unit 1e-12: GradientBoostingRegressor friedman_mse: 3.4 to 3.4
unit 1e-12: HistGradientBoostingRegressor : 16.0 to 1.0
EXPECTED
