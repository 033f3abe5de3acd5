#!/usr/bin/python3
"""Optuna chooses the points in batches, pimdse evaluates each batch on all cores. Needs optuna (pip, in a venv)."""
import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from pimdse import Explorer
from pimdse.script import guarded, whole_number


BATCH = 16


def suggested(trial, name, values):
    """A value of a parameter. Numbers are ordered, so that neighbours are alike; texts and flags are categories."""
    if len(values) > 2 and not any(isinstance(value, (str, bool)) for value in values):
        return sorted(values)[trial.suggest_int(name, 0, len(values) - 1)]
    return trial.suggest_categorical(name, values)


def search(space, output, trials):
    import optuna

    with Explorer(space, output) as explorer:
        open_ones = explorer.choices()
        objectives = [o for o in explorer.describe()["objectives"] if o["better"] != "none"]
        study = optuna.create_study(directions=[o["better"] for o in objectives])
        for first in range(0, trials, BATCH):
            batch = [study.ask() for _ in range(min(BATCH, trials - first))]
            points = [{name: suggested(trial, name, values) for name, values in open_ones.items()} for trial in batch]
            for trial, answer in zip(batch, explorer.evaluate(points)):
                if answer["status"] == "ok":
                    study.tell(trial, [answer["metrics"][o["name"]] for o in objectives])
                else:
                    study.tell(trial, state=optuna.trial.TrialState.FAIL)
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
