"""A third metric or parameter as colour: a colour bar for numbers with many values, else a legend."""
from dataclasses import dataclass

import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LogNorm, Normalize, to_rgba
from matplotlib.lines import Line2D

from .. import units
from ..names import known_name
from . import style
from .axes_of import axis_of

MOST_ENTRIES = len(style.SERIES_COLOURS)


@dataclass
class Bar:
    """Numbers with many values, in colours of a ramp."""

    axis: object
    norm: object

    def of(self, rows):
        """Arguments of scatter that colour these rows."""
        return {"c": self.axis.of(rows[self.axis.name]), "cmap": style.SHADES, "norm": self.norm}

    def explain(self, figure, axes):
        shown = ScalarMappable(norm=self.norm, cmap=style.SHADES)
        scale = figure.colorbar(shown, ax=axes, pad=0.02, aspect=30)
        scale.set_label(self.axis.label.split("\n")[0], fontsize=9)
        style.scale_axis(scale.ax.yaxis, lambda _: None, self.axis.values)
        scale.outline.set_visible(False)


@dataclass
class Entries:
    """Few values, each with a colour and a line in the legend; other rows are grey."""

    axis: object
    colours: dict  # position on the axis -> colour
    texts: list
    rest: str      # the label of the grey rows; empty if there are none

    def of(self, rows):
        places = self.axis.of(rows[self.axis.name])
        return {"c": [to_rgba(self.colours.get(place, style.OTHERS_COLOUR)) for place in places]}

    def explain(self, figure, axes):
        del figure
        entries = list(zip(self.colours.values(), self.texts))
        entries += [(style.OTHERS_COLOUR, self.rest)] if self.rest else []
        dots = [Line2D([], [], linestyle="none", marker="o", markersize=6.5, color=colour, label=text)
                for colour, text in entries]
        first = axes.get_legend()
        style.legend(axes, handles=dots, title=self.axis.name, title_fontsize=9, loc="upper left",
                     bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0, frameon=False, alignment="left")
        if first:
            axes.add_artist(first)
            first.set_clip_path(None)  # it may be below the axes
            first.set_clip_on(False)


def shades_of(results, rows, name):
    """Bar or Entries of a column; None without a name."""
    if name is None:
        return None
    known_name(name, [*results.parameters, *results.metrics])
    axis = axis_of(results, rows, name)
    places = axis.of(rows[name])
    different, counts = np.unique(places[np.isfinite(places)], return_counts=True)
    if axis.words is not None:
        whole = results.machines if name == "machine" else results.choices.get(name, [])
        best = places[np.isin(rows["point_id"], results.front_ids)]
        on_front = np.array([(best == place).sum() for place in different])
        return _of_words(axis, different, (counts, on_front), len(places) - counts.sum(), whole)
    if name in results.parameters and len(different) <= MOST_ENTRIES:
        return _of_steps(axis, different, results.units[name], len(places) - counts.sum())
    ends = np.nanmin(places), np.nanmax(places)
    return Bar(axis, LogNorm(*ends) if style.is_wide(places) else Normalize(*ends))


def _of_words(axis, different, counts, missing, whole):
    """Names have the colour of their position among all possible values (`whole`), so that pictures of one space agree.
    If there are too many, those on the front come first, then the most frequent (`counts`: of all, on the front)."""
    most = MOST_ENTRIES if len(different) <= MOST_ENTRIES else MOST_ENTRIES - 1
    of_all, on_front = counts
    chosen = sorted(different[np.lexsort([-of_all, -on_front])[:most]])
    colours = style.SERIES_COLOURS
    if len(whole) <= MOST_ENTRIES and set(axis.words) <= set(whole):
        colours = [colours[list(whole).index(axis.words[int(place)])] for place in chosen]
    left = len(different) - len(chosen)
    rest = " or ".join(filter(None, (f"one of {left} others" if left else "", "none" if missing else "")))
    texts = axis.texts()
    return Entries(axis, dict(zip(chosen, colours)), [texts[int(place)] for place in chosen], rest)


def _of_steps(axis, different, unit, missing):
    """Few numbers, with colours in their order."""
    unit = "" if units.is_count(unit) else unit
    texts = [units.print_quantity(place * axis.factor, unit) for place in different]
    return Entries(axis, dict(zip(different, style.steps(len(different)))), texts, "none" if missing else "")
