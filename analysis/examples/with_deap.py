#!/usr/bin/python3
"""NSGA-II of DEAP chooses the points, pimdse evaluates them. Needs python3-deap."""
import argparse
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from pimdse import Explorer
from pimdse.script import guarded, whole_number

SIZE = 40


def search(space, output, generations):
    from deap import base, creator, tools

    random.seed(1)
    with Explorer(space, output) as explorer:
        values = explorer.choices()
        names = list(values)
        objectives = [o for o in explorer.describe()["objectives"] if o["better"] != "none"]
        signs = [-1.0 if o["better"] == "minimize" else 1.0 for o in objectives]
        creator.create("Fitness", base.Fitness, weights=tuple(signs))
        creator.create("Design", list, fitness=creator.Fitness)
        worst = [-sign * 1e30 for sign in signs]

        def evaluate(designs):
            points = [{name: values[name][gene] for name, gene in zip(names, design)} for design in designs]
            for design, answer in zip(designs, explorer.evaluate(points)):
                told = [answer.get("metrics", {}).get(o["name"]) for o in objectives]
                design.fitness.values = worst if None in told else told

        def drawn():
            return creator.Design(random.randrange(len(values[name])) for name in names)

        population = [drawn() for _ in range(SIZE)]
        evaluate(population)
        population = tools.selNSGA2(population, SIZE)
        highest = [len(values[name]) - 1 for name in names]
        for _ in range(generations):
            children = [creator.Design(design) for design in tools.selTournamentDCD(population, SIZE)]
            for one, other in zip(children[::2], children[1::2]):
                tools.cxTwoPoint(one, other) if len(names) > 2 else tools.cxUniform(one, other, 0.5)
            for child in children:
                tools.mutUniformInt(child, 0, highest, 0.2)
            evaluate(children)
            population = tools.selNSGA2(population + children, SIZE)
        for member in explorer.front():
            chosen = {name: member["point"][name] for name in names}
            print(member["id"], chosen, *(member["metrics"][o["name"]] for o in objectives))


def main(argv=None):
    flags = argparse.ArgumentParser(prog="with_deap.py", description=__doc__,
                                    epilog="example: with_deap.py spaces/quick.toml tried.h5 10")
    flags.add_argument("space", metavar="SPACE", help="a space file of one machine")
    flags.add_argument("output", metavar="FILE.h5", help="receives all results; must not exist")
    flags.add_argument("generations", metavar="GENERATIONS", nargs="?", type=whole_number, default=10,
                       help="number of generations (default: 10)")
    chosen = flags.parse_args(argv)
    return guarded(flags.prog, lambda: search(chosen.space, chosen.output, chosen.generations))


if __name__ == "__main__":
    sys.exit(main())
