"""Random trees of conditions, compared with an evaluation row by row."""
import operator
import random
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from pimdse.condition import column, evaluated

COMPARE = {"<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt, "==": operator.eq,
           "!=": operator.ne}


def some_results(rows=40, seed=5):
    source = np.random.default_rng(seed)
    table = pd.DataFrame({
        "size": source.integers(1, 9, rows) * 64,
        "clock": source.integers(1, 5, rows) * 1e9,
        "gated": source.random(rows) < 0.5,
        "mode": pd.Categorical(source.choice(["slow", "fast", "a-b"], rows)),
        "switch": pd.Categorical(np.where(source.random(rows) < 0.5, "true", "false")),
        "latency": source.integers(1, 9, rows) * 1e-3,
        "busy": source.random(rows),
    })
    table.loc[source.random(rows) < 0.2, ["latency", "mode", "switch"]] = np.nan
    return SimpleNamespace(table=table, flags={"gated", "switch"})


class Maker:
    """Trees, and functions that evaluate them for one row: numbers (NaN if unknown), or True, False and None."""

    def __init__(self, seed):
        self.source = random.Random(seed)

    def truth(self, depth):
        kind = self.source.randrange(7 if depth else 3)
        if kind == 0:
            name = self.source.choice(["gated", "switch"])
            return {"parameter": name}, lambda row: None if pd.isna(row[name]) else row[name] in (True, "true")
        if kind == 1:
            return self.choice()
        if kind == 2:
            return self.comparison(depth)
        if kind == 3:
            tree, inner = self.truth(depth - 1)
            return ["not", tree], lambda row: None if inner(row) is None else not inner(row)
        word, decides = self.source.choice([("and", False), ("or", True)])
        (left, a), (right, b) = self.truth(depth - 1), self.truth(depth - 1)
        return [word, left, right], lambda row: self.joined({a(row), b(row)}, decides)

    @staticmethod
    def joined(truths, decides):
        return decides if decides in truths else None if None in truths else not decides

    def choice(self):
        wanted, symbol = self.source.choice(["slow", "fast", "a-b", "never"]), self.source.choice(["==", "!="])
        sides = [{"parameter": "mode"}, wanted]
        self.source.shuffle(sides)
        return [symbol, *sides], lambda row: (
            None if pd.isna(row["mode"]) else COMPARE[symbol](row["mode"], wanted))

    def comparison(self, depth):
        (left, a), (right, b) = self.number(depth), self.number(depth)
        symbol = self.source.choice(list(COMPARE))

        def compared(row):
            values = a(row), b(row)
            return None if any(np.isnan(values)) else bool(COMPARE[symbol](*values))

        return [symbol, left, right], compared

    def number(self, depth):
        if not depth or self.source.random() < 0.4:
            return self.leaf()
        (left, a), (right, b) = self.number(depth - 1), self.number(depth - 1)
        symbol = self.source.choice("+-*/n")
        if symbol == "n":
            return ["-", left], lambda row: -a(row)
        apply = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": np.true_divide}[symbol]
        return [symbol, left, right], lambda row: apply(np.float64(a(row)), np.float64(b(row)))

    def leaf(self):
        number = self.source.choice([0, 1, 8, 65536, 2e-3, 5e8, 0.5])
        name, scale = self.source.choice([("size", 1024), ("clock", 1), ("latency", 1), ("busy", 0.01), (None, 1)])
        if name is None:
            return number, lambda row: number
        kind = "metric" if name in ("latency", "busy") else "parameter"
        leaf = {kind: name} if scale == 1 else {kind: name, "scale": scale}
        return leaf, lambda row: row[name] * scale


@pytest.mark.parametrize("seed", range(40))
def test_a_tree_is_evaluated_like_every_row(seed):
    results, maker = some_results(), Maker(seed)
    for _ in range(10):
        tree, truth_of = maker.truth(3)
        found = evaluated(tree, lambda leaf: column(results, results.table, leaf)) * np.ones(len(results.table))
        with np.errstate(all="ignore"):
            for value, (_, row) in zip(found, results.table.iterrows()):
                truth = truth_of(row)
                assert np.isnan(value) if truth is None else value == truth, f"{tree} at {row.to_dict()}"
