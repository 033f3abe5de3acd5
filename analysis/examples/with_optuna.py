#!/usr/bin/python3
"""Optuna decides, pimdse evaluates: with_optuna.py SPACE FILE.h5 [TRIALS]. Needs optuna (pip, in a venv)."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import optuna

from pimdse import Explorer


def main(space, output, trials=200):
    with Explorer(space, output) as explorer:
        described = explorer.describe()
        (machine,) = described["machines"]
        open_ones = {p["name"]: p["values"] for p in machine["parameters"] if p["count"] > 1}
        objectives = described["objectives"]
        study = optuna.create_study(directions=[o["better"] for o in objectives])

        def values_of(trial):
            point = {name: trial.suggest_categorical(name, values) for name, values in open_ones.items()}
            answer = explorer.evaluate([point])[0]
            if answer["status"] != "ok":
                raise optuna.TrialPruned(answer["reason"])
            return [answer["metrics"][o["name"]] for o in objectives]

        study.optimize(values_of, n_trials=int(trials))
        for member in explorer.front():
            print(member["id"], member["point"], *(member["metrics"][o["name"]] for o in objectives))


if __name__ == "__main__":
    main(*sys.argv[1:])
