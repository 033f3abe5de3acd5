#!/usr/bin/python3
"""Optuna chooses the points, pimdse evaluates them. Needs optuna (pip, in a venv)."""
import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from pimdse import Explorer
from pimdse.script import guarded, whole_number


def search(space, output, trials):
    import optuna

    with Explorer(space, output) as explorer:
        open_ones = explorer.choices()
        objectives = [o for o in explorer.describe()["objectives"] if o["better"] != "none"]
        study = optuna.create_study(directions=[o["better"] for o in objectives])

        def values_of(trial):
            point = {name: trial.suggest_categorical(name, values) for name, values in open_ones.items()}
            answer = explorer.evaluate([point])[0]
            if answer["status"] != "ok":
                raise optuna.TrialPruned(answer["reason"])
            return [answer["metrics"][o["name"]] for o in objectives]

        study.optimize(values_of, n_trials=trials)
        for member in explorer.front():
            chosen = {name: member["point"][name] for name in open_ones}
            print(member["id"], chosen, *(member["metrics"][o["name"]] for o in objectives))


def main(argv=None):
    flags = argparse.ArgumentParser(prog="with_optuna.py", description=__doc__,
                                    epilog="example: with_optuna.py spaces/quick.toml tried.h5 200")
    flags.add_argument("space", metavar="SPACE", help="a space file of one machine")
    flags.add_argument("output", metavar="FILE.h5", help="receives all results; must not exist")
    flags.add_argument("trials", metavar="TRIALS", nargs="?", type=whole_number, default=200,
                       help="number of trials (default: 200)")
    chosen = flags.parse_args(argv)
    return guarded(flags.prog, lambda: search(chosen.space, chosen.output, chosen.trials))


if __name__ == "__main__":
    sys.exit(main())
