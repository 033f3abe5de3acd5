"""Axes: a metric or a parameter in readable units; names at whole numbers."""
from dataclasses import dataclass

import numpy as np

from .. import units
from . import style
from .designs import ordered_values

MOST_TICKS, LEAST_GAP = 9, 0.06


@dataclass
class Axis:
    """One column with its scale and label; `of` returns positions."""

    name: str
    label: str
    factor: float = 1.0
    words: list = None  # if values are names
    better: str = "none"
    values: np.ndarray = None
    few: np.ndarray = None  # the values of a parameter with few values, if their labels fit

    def of(self, column):
        if self.words is None:
            return column.to_numpy(float) / self.factor
        place = {word: i for i, word in enumerate(self.words)}
        return np.array([place.get(value, np.nan) for value in column], dtype=float)

    def texts(self):
        return [{"True": "on", "False": "off"}.get(str(word), str(word)) for word in self.words]

    def scale(self, axis, set_scale):
        """Sets ticks and scale of an axis of a picture."""
        if self.words is None:
            style.scale_axis(axis, set_scale, self.values)
            if self.few is not None:
                axis.set_ticks(self.few, [style.plain(value) for value in self.few])
                axis.set_ticks([], minor=True)
            return None
        turn = axis.axis_name == "x" and sum(len(text) + 3 for text in self.texts()) > 80
        axis.set_ticks(range(len(self.words)), self.texts(), rotation=30 if turn else 0,
                       ha="right" if turn or axis.axis_name == "y" else "center")
        axis.set_view_interval(-0.5, len(self.words) - 0.5, ignore=True)
        return None


def axis_of(results, rows, name):
    column = rows[name]
    better = style.sense(results, name)
    if hasattr(column, "cat") or column.dtype == bool:
        words = ordered_values(column if column.dtype == bool else column.astype(object))
        return Axis(name, units.axis_label(name, "", results.meanings[name]), words=words)
    factor, unit = units.readable(column, results.units[name])
    if name in results.integers and units.is_count(unit):
        unit = ""
    label = units.axis_label(name, unit, results.meanings[name], better)
    values = column.to_numpy(float) / factor
    return Axis(name, label, factor, None, better, values, few_of(values) if name in results.parameters else None)


def few_of(values):
    """The different values, if there are few of them and their labels do not overlap; else None."""
    few = np.unique(values[np.isfinite(values)])
    if not 2 <= len(few) <= MOST_TICKS:
        return None
    places = np.log(few) if style.is_wide(few) else few
    return few if np.diff(places).min() >= LEAST_GAP * np.ptp(places) else None
