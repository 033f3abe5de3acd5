#!/usr/bin/env bash
# Optuna 3.1.0: a design that breaks its constraint is the front, and hides the designs that keep it.
#
# Guess: `best_trials` leaves out trials for which the sampler's `constraints_func` is above zero.
# Seen:  it looks at the objectives alone. An infeasible trial with the best values is the only one; the samplers do
#        follow the constraints, so the search is right and its answer is not.
# Who:   whoever searches designs with a limit on power or area and takes `best_trials` as the front.
#        `trial.system_attrs["constraints"]` has the values, to be filtered by hand.
# Why right to expect: the sampler's text calls a trial with a value above zero infeasible, and says that feasible
#        trials are preferred.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/shared.bash"
needs python3-numpy python3-scipy python3-sqlalchemy python3-alembic python3-colorlog python3-tqdm python3-yaml
debian python3-optuna=3.1.0-4 python3-cmaes=0.9.1-1

seen=$(
    /usr/bin/python3 -B -W ignore - <<'PY'
import optuna
optuna.logging.set_verbosity(optuna.logging.ERROR)
watts = {32: 700.0, 16: 350.0, 8: 180.0}
times = {32: 1.0, 16: 2.0, 8: 4.0}


def too_hot(trial):
    return (watts[trial.params["banks"]] - 400.0,)


def evaluate(trial):
    banks = trial.suggest_categorical("banks", list(watts))
    return times[banks], 0.1 * times[banks]


sampler = optuna.samplers.NSGAIISampler(constraints_func=too_hot, seed=1)
study = optuna.create_study(directions=["minimize", "minimize"], sampler=sampler)
for banks in watts:
    study.enqueue_trial({"banks": banks})
study.optimize(evaluate, n_trials=3)
for trial in study.trials:
    print(trial.params, trial.values, "over the limit by", trial.system_attrs["constraints"][0])
print("front:", *(trial.params for trial in study.best_trials))
PY
)
same "$seen" <<'EXPECTED'
{'banks': 32} [1.0, 0.1] over the limit by 300.0
{'banks': 16} [2.0, 0.2] over the limit by -50.0
{'banks': 8} [4.0, 0.4] over the limit by -220.0
front: {'banks': 32}
EXPECTED
