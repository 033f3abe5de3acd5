#!/usr/bin/python3
"""DEAP's NSGA-II decides, pimdse evaluates: with_deap.py SPACE FILE.h5 [GENERATIONS]. Needs python3-deap."""
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from deap import base, creator, tools

from pimdse import Explorer

SIZE = 40


def main(space, output, generations=10):
    random.seed(1)
    with Explorer(space, output) as explorer:
        described = explorer.describe()
        (machine,) = described["machines"]
        names = [p["name"] for p in machine["parameters"] if p["count"] > 1]
        values = {p["name"]: p["values"] for p in machine["parameters"]}
        signs = [-1.0 if o["better"] == "minimize" else 1.0 for o in described["objectives"]]
        creator.create("Fitness", base.Fitness, weights=tuple(signs))
        creator.create("Design", list, fitness=creator.Fitness)

        def evaluate(designs):
            points = [{name: values[name][gene] for name, gene in zip(names, design)} for design in designs]
            for design, answer in zip(designs, explorer.evaluate(points)):
                worst = [-sign * 1e30 for sign in signs]
                ok = answer["status"] == "ok"
                told = [answer["metrics"][o["name"]] for o in described["objectives"]] if ok else worst
                design.fitness.values = told

        def drawn():
            return creator.Design(random.randrange(len(values[name])) for name in names)

        population = [drawn() for _ in range(SIZE)]
        evaluate(population)
        population = tools.selNSGA2(population, SIZE)
        highest = [len(values[name]) - 1 for name in names]
        for _ in range(int(generations)):
            children = [creator.Design(design) for design in tools.selTournamentDCD(population, SIZE)]
            for one, other in zip(children[::2], children[1::2]):
                tools.cxTwoPoint(one, other) if len(names) > 2 else tools.cxUniform(one, other, 0.5)
            for child in children:
                tools.mutUniformInt(child, 0, highest, 0.2)
            evaluate(children)
            population = tools.selNSGA2(population + children, SIZE)
        for member in explorer.front():
            print(member["id"], member["point"], *(member["metrics"][o["name"]] for o in described["objectives"]))


if __name__ == "__main__":
    main(*sys.argv[1:])
