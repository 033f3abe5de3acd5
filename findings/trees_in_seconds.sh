#!/usr/bin/env bash
# scikit-learn 1.2.1, XGBoost 1.7.4: a regression tree of 1 to 16 ns, given in seconds, has one leaf: 3.4 ns for all.
#
# Guess: a tree of the same numbers in another unit is the same tree.
# Seen:  in scikit-learn a node is a leaf if its variance is at most 2.2e-16, and inputs that differ by 1e-7 or less are
#        equal; XGBoost wants a gain above 1e-6. So trees, forests and boosting of targets in seconds or joules stay
#        single leaves, for XGBoost at 1e-9 not even of the mean; scikit-learn's with inputs in them, too. Histogram
#        gradient boosting is right for all, and a tree of the absolute error for all targets.
# Who:   surrogate models of latency and energy in a search: one number for all designs, and so no importances. Give
#        them nanoseconds and picojoules, or scale.
# Why right to expect: a tree is known not to need scaling, and the documented limits of growth (depth, samples,
#        decrease of impurity or loss, 0 unless set) are none of these three.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3-numpy python3-scipy
debian python3-sklearn=1.2.1+dfsg-1 python3-sklearn-lib=1.2.1+dfsg-1 python3-joblib=1.2.0-4+deb12u1 \
    python3-threadpoolctl=3.1.0-1 python3-xgboost=1.7.4-1 libxgboost0=1.7.4-1 libdmlc0=0.5-1
export OMP_NUM_THREADS=1

seen=$(/usr/bin/python3 -B -W ignore - <<'PY'
import numpy
from sklearn.ensemble import GradientBoostingRegressor, HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.tree import DecisionTreeRegressor
from xgboost import XGBRegressor

banks = numpy.arange(1.0, 17.0).reshape(-1, 1)
latency = 16 / banks[:, 0]
for inputs, targets in ((1, 1), (1, 1e-6), (1, 1e-9), (1e-9, 1)):
    for model in (DecisionTreeRegressor(), DecisionTreeRegressor(criterion="absolute_error"),
                  RandomForestRegressor(20, random_state=1), GradientBoostingRegressor(random_state=1),
                  HistGradientBoostingRegressor(min_samples_leaf=1), XGBRegressor(n_estimators=50, n_jobs=1)):
        model.fit(banks * inputs, latency * targets)
        first, last = model.predict(banks[[0, -1]] * inputs) / targets
        criterion = " of the absolute error" if getattr(model, "criterion", "") == "absolute_error" else ""
        print(f"inputs {inputs:g}, targets {targets:g}: {type(model).__name__}{criterion}: {first:.1f} to {last:.1f}")
PY
)
same "$seen" <<'EXPECTED'
inputs 1, targets 1: DecisionTreeRegressor: 16.0 to 1.0
inputs 1, targets 1: DecisionTreeRegressor of the absolute error: 16.0 to 1.0
inputs 1, targets 1: RandomForestRegressor: 11.7 to 1.1
inputs 1, targets 1: GradientBoostingRegressor: 16.0 to 1.0
inputs 1, targets 1: HistGradientBoostingRegressor: 16.0 to 1.0
inputs 1, targets 1: XGBRegressor: 16.0 to 1.0
inputs 1, targets 1e-06: DecisionTreeRegressor: 16.0 to 1.0
inputs 1, targets 1e-06: DecisionTreeRegressor of the absolute error: 16.0 to 1.0
inputs 1, targets 1e-06: RandomForestRegressor: 11.7 to 1.1
inputs 1, targets 1e-06: GradientBoostingRegressor: 16.0 to 1.0
inputs 1, targets 1e-06: HistGradientBoostingRegressor: 16.0 to 1.0
inputs 1, targets 1e-06: XGBRegressor: 3.4 to 3.4
inputs 1, targets 1e-09: DecisionTreeRegressor: 3.4 to 3.4
inputs 1, targets 1e-09: DecisionTreeRegressor of the absolute error: 16.0 to 1.0
inputs 1, targets 1e-09: RandomForestRegressor: 3.2 to 3.2
inputs 1, targets 1e-09: GradientBoostingRegressor: 3.4 to 3.4
inputs 1, targets 1e-09: HistGradientBoostingRegressor: 16.0 to 1.0
inputs 1, targets 1e-09: XGBRegressor: 34.6 to 34.6
inputs 1e-09, targets 1: DecisionTreeRegressor: 3.4 to 3.4
inputs 1e-09, targets 1: DecisionTreeRegressor of the absolute error: 1.9 to 1.9
inputs 1e-09, targets 1: RandomForestRegressor: 3.2 to 3.2
inputs 1e-09, targets 1: GradientBoostingRegressor: 3.4 to 3.4
inputs 1e-09, targets 1: HistGradientBoostingRegressor: 16.0 to 1.0
inputs 1e-09, targets 1: XGBRegressor: 16.0 to 1.0
EXPECTED
