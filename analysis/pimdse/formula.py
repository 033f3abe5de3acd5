"""Formulas of metrics, such as "area + memory_area", as metrics of their own (docs/spaces.md, Objectives). The program
parses them (`pimdse condition --objective`)."""
from dataclasses import dataclass

import numpy as np

from .condition import column, evaluated, parsed

_KINDS = ("none", "calibrated", "proved")


def is_formula(name):
    return any(c in name for c in " +*/()") or "-" in name.partition("@")[0]


@dataclass
class Formula:
    """A formula of the metrics of a result file."""

    tree: object
    unit: str
    better: str
    directions: dict  # metric -> 1 if the formula increases with it, -1 if it decreases, 0 if that is unknown

    @classmethod
    def of(cls, results, text):
        """Raises ConditionError for a mistake in the formula, NotFound if the program is missing."""
        found = parsed(results.path, text, "--objective")
        return cls(found["tree"], found["unit"], found["better"], found["directions"])

    def values(self, results):
        """The value per row of the table, in SI."""
        return self._numbers(results, lambda leaf: column(results, results.table, leaf))

    def bounds(self, results):
        """The lower bounds, the upper bounds and their kinds, by interval arithmetic. The kinds are `none` if a metric
        may change the formula in both directions."""
        if 0 in self.directions.values():
            values = self.values(results)
            return values, values, ["none"] * len(values)
        low, low_ranks = self._end(results, "low", "high")
        high, high_ranks = self._end(results, "high", "low")
        return low, high, [_KINDS[a] if a == b else f"{_KINDS[a]}_{_KINDS[b]}" for a, b in zip(low_ranks, high_ranks)]

    def _end(self, results, same, opposite):
        """One end of the interval, and per row the weakest kind (an index of _KINDS) of the bounds that make it."""
        ends = {name: same if direction > 0 else opposite for name, direction in self.directions.items()}
        bounds = results.bounds
        ranks = [[_KINDS.index(kind.split("_")[0 if end == "low" else -1])
                  for kind in bounds[f"{name}_kind"].astype(object).fillna("none")] for name, end in ends.items()]
        numbers = self._numbers(results, lambda leaf: bounds[f"{leaf['metric']}_{ends[leaf['metric']]}"].to_numpy(float)
                                * leaf.get("scale", 1.0))
        return numbers, np.min(ranks, axis=0)

    def _numbers(self, results, values_of):
        return evaluated(self.tree, values_of) * np.ones(len(results.table))
