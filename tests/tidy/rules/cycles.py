"""Includes form no cycle: neither between files nor between modules."""
from collections import defaultdict

import graph
from tree import Violation

NAME = "cycles"


def check(tree, catalogue):
    for kind, name_of in (("files", str), ("modules", catalogue.module)):
        edges, places = arrows(tree, name_of)
        for component in graph.components(edges):
            cycle = graph.shortest_cycle(edges, component)
            path, line = places[cycle[0], cycle[1]]
            text = (f"{kind} include each other: {' -> '.join(cycle)} (the cycle has {len(component)} {kind}:"
                    f" {', '.join(component)}): move what they share into a file that all of them include")
            yield Violation(path, line, NAME, text, kind)


def arrows(tree, name_of):
    edges, places = defaultdict(set), {}
    for path in tree.production:
        for line, name in tree.includes(path):
            here, there = name_of(path), name_of(name)
            if here != there:
                edges[here].add(there)
                places.setdefault((here, there), (path, line))
    return edges, places
