"""No circle of includes: between files, between rooms."""
from collections import defaultdict

import graph
from tree import Violation

NAME = "cycles"


def check(tree, catalogue):
    for kind, name_of in (("files", str), ("rooms", catalogue.room)):
        edges, places = arrows(tree, name_of)
        for knot in graph.knots(edges):
            way = graph.shortest_cycle(edges, knot)
            path, line = places[way[0], way[1]]
            text = (f"circle of {kind}, {' -> '.join(way)} ({len(knot)} in all: {', '.join(knot)}):"
                    " give one of them what it needs instead of the whole")
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
