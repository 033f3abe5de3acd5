"""What can stand on an axis: a metric or a parameter, in readable units, words at whole numbers."""
from dataclasses import dataclass

import numpy as np

from .. import units
from . import style
from .designs import ordered_values


@dataclass
class Axis:
    """One column, ready to be drawn: `of` gives positions."""

    name: str
    label: str
    factor: float = 1.0
    words: list = None  # where values are words
    better: str = "none"
    values: np.ndarray = None

    def of(self, column):
        if self.words is None:
            return column.to_numpy(float) / self.factor
        place = {word: i for i, word in enumerate(self.words)}
        return np.array([place.get(value, np.nan) for value in column], dtype=float)

    def scale(self, axis, set_scale):
        """Ticks and scale of an axis of a picture."""
        if self.words is None:
            return style.scale_axis(axis, set_scale, self.values)
        turn = max(len(str(word)) for word in self.words) > 8 and axis.axis_name == "x"
        axis.set_ticks(range(len(self.words)), [str(word) for word in self.words], rotation=30 if turn else 0,
                       ha="right" if turn or axis.axis_name == "y" else "center")
        return None


def axis_of(results, rows, name):
    column = rows[name]
    better = style.sense(results, name)
    if hasattr(column, "cat") or column.dtype == bool:
        words = ordered_values(column.astype(str) if column.dtype == bool else column.astype(object))
        if column.dtype == bool:
            words = [word == "True" for word in words]
        return Axis(name, units.axis_label(name, "", results.meanings[name]), words=words)
    if name in results.integers:
        factor, unit = 1.0, "" if units.is_count(results.units[name]) else results.units[name]
    else:
        factor, unit = units.readable(column, results.units[name])
    label = units.axis_label(name, unit, results.meanings[name], better)
    return Axis(name, label, factor, None, better, column.to_numpy(float) / factor)
