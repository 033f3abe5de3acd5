"""Formulas of metrics, such as "area + memory_area", as metrics of their own (docs/spaces.md, Objectives)."""
from dataclasses import dataclass, field

import numpy as np

from .condition import Reader
from .errors import ConditionError

_SENSES = ("minimize", "maximize")


def is_formula(name):
    return any(c in name for c in " +*/()") or "-" in name.partition("@")[0]


def _unit_of(dimension):
    """In SI, as parse_unit reads it."""
    second, joule, byte, metre, work = dimension
    powers = (("FLOP", work), ("J", joule), ("B", byte), ("m2", int(metre / 2)), ("m", metre - 2 * int(metre / 2)),
              ("s", second))
    if dimension == (-1, 1, 0, 0, 0):
        return "W"
    above = "*".join(unit for unit, power in powers for _ in range(power))
    return (above or "1") + "".join(f"/{unit}" for unit, power in powers for _ in range(-power))


class _Numbers(Reader):
    """Arithmetic of metrics; `ends` says of each metric which number is read: "low", "high" or the value."""

    def __init__(self, text, results, ends=None):
        super().__init__(text, results, results.table)
        self.names, self.ends = list(results.metrics), ends or {}

    def number_of_rows(self):
        part = self.sum()
        if not self.at_end():
            self.fail(f"'{self.text[self.at:]}' is not understood here")
        self.need_numbers(part, part, "objectives")
        return part

    def fail(self, why):
        raise ConditionError(f'formula "{self.text}": {why}')

    def interval_end(self, _):
        return None

    def numbers_of(self, name, column):
        end = self.ends.get(name)
        return column.to_numpy(float) if end is None else self.results.bounds[f"{name}_{end}"].to_numpy(float)


@dataclass
class Formula:
    """A formula of the metrics of a file: numbers of its rows, and what a metric has."""

    text: str
    values: np.ndarray
    unit: str
    better: str
    ways: dict = field(default_factory=dict)  # metric -> 1 up, -1 down, 0 unknown

    @classmethod
    def of(cls, results, text):
        """Raises ConditionError in one sentence."""
        said, _, rest = text.partition(" ")
        said, body = (said, rest.strip()) if said in _SENSES else (None, text)
        part = _Numbers(body, results).number_of_rows()
        ways = dict(part.ways)
        if not ways:
            raise ConditionError(f'formula "{text}": it reads no metric')
        found = _sense_of(results, ways)
        if not found and not said:
            raise ConditionError(f'formula "{text}" does not say whether less or more of it is better.'
                                 f' Write "minimize {text}" or "maximize {text}"?')
        if found and said and found != said:
            raise ConditionError(f'formula "{text}": the metrics that it is made of say {found}')
        return cls(body, part.values * np.ones(len(results.table)), _unit_of(part.dimension), found or said, ways)

    def bounds(self, results):
        """Low, high and what stands behind them, by interval arithmetic; none where a metric goes both ways."""
        if 0 in self.ways.values():
            return self.values, self.values, ["none"] * len(self.values)
        ends = [{name: side if way > 0 else other for name, way in self.ways.items()}
                for side, other in (("low", "high"), ("high", "low"))]
        low, high = (_Numbers(self.text, results, of).number_of_rows().values * np.ones(len(self.values))
                     for of in ends)
        return low, high, [_weakest(kinds) for kinds in zip(*(self._kinds(results, of) for of in ends))]

    def _kinds(self, results, ends):
        """Per row the weakest kind of the ends that make one end."""
        ranks = np.full(len(self.values), len(_KINDS) - 1)
        for name, end in ends.items():
            kinds = results.bounds[f"{name}_kind"].astype(object).fillna("none")
            of = kinds.map(lambda both: _KINDS.index(both.split("_")[0 if end == "low" else -1]))
            ranks = np.minimum(ranks, of.to_numpy(int))
        return ranks


_KINDS = ("none", "calibrated", "proved")


def _weakest(of_both):
    low, high = (_KINDS[rank] for rank in of_both)
    return low if low == high else f"{low}_{high}"


def _sense_of(results, ways):
    """The way that is better for every metric; None where they disagree, or where none says."""
    senses = set()
    for name, way in ways.items():
        better = results.better.get(name, "none")
        if better == "none":
            continue
        if way == 0:
            return None
        senses.add(better if way > 0 else _SENSES[1 - _SENSES.index(better)])
    return senses.pop() if len(senses) == 1 else None
