"""Every design as a line across parameters and objectives."""
import numpy as np
from matplotlib.collections import LineCollection

from .. import dominance
from ..errors import NothingToDraw
from ..names import known_name
from . import designs, style
from .axes_of import axis_of

MOST_LINES = 4000  # of dominated designs, chosen evenly from all
MOST_AXES = 12
MOST_TICKS = 7
LEAST_GAP = 0.034  # between labels, as a share of the height of an axis
MISSING = -0.08    # the height for rows without a value
LETTER = 0.062     # inches


def choose_columns(results, rows, asked):
    """Names of the axes: the requested ones, else the parameters that vary, then the objectives."""
    for name in asked or ():
        known_name(name, [*results.parameters, *results.metrics])
    goals = list(designs.objectives_of(results))
    varying = ["machine"] if results.machines else designs.varying_parameters(results, rows)
    names = list(asked or [*reversed(varying[: MOST_AXES - len(goals)]), *goals])
    if len(names) < 2:
        raise NothingToDraw(f"{results.path} has fewer than two columns that vary (select axes with --axes)")
    return names


class _Upright:
    """One upright axis from 0 to 1; rows without a value are below it."""

    def __init__(self, results, rows, name):
        self.axis = axis_of(results, rows, name)
        values = self.axis.of(rows[name])
        self.some_missing = not np.isfinite(values).all()
        self.different = np.unique(values[np.isfinite(values)])
        self.log = self.axis.words is None and style.is_wide(values)
        ends = self._scaled(np.array([np.nanmin(values), np.nanmax(values)]))
        self.low, self.extent = ends[0], np.ptp(ends)

    def _scaled(self, values):
        return np.log(values) if self.log else np.asarray(values, dtype=float)

    def heights(self, values):
        if not self.extent:
            return np.full(len(values), 0.5)
        return np.nan_to_num((self._scaled(values) - self.low) / self.extent, nan=MISSING)

    def ticks(self):
        """Values and texts: all values if there are few, else some between the ends."""
        if self.axis.words is not None:
            return np.arange(len(self.axis.words)), self.axis.texts()
        values = self.different
        if len(values) > MOST_TICKS:
            even = np.linspace(self.low, self.low + self.extent, 5)
            values = np.exp(even) if self.log else even
        return values, [_few_digits(value) for value in values]

    def shown_ticks(self):
        """Heights and texts of ticks that do not overlap: the ends first, then others that fit, and the tick of rows
        without a value."""
        values, texts = self.ticks()
        heights = self.heights(values)
        kept = []
        for i in sorted(range(len(texts)), key=lambda i: (0 < i < len(texts) - 1, i)):
            if all(abs(heights[i] - heights[j]) >= LEAST_GAP and texts[i] != texts[j] for j in kept):
                kept.append(i)
        missing = [(MISSING, "none")] if self.some_missing else []
        return missing + [(heights[i], texts[i]) for i in sorted(kept)]

    def draw(self, axes, place):
        axes.axvline(place, ymin=0, color=style.GRID_COLOUR, linewidth=0.9, zorder=3)
        for height, text in self.shown_ticks():
            axes.annotate(text, (place, height), (4, 0), textcoords="offset points", fontsize=7.5, va="center",
                          color=style.TEXT_COLOUR, zorder=5,
                          bbox={"facecolor": "white", "alpha": 0.75, "linewidth": 0, "pad": 0.8})

    def head(self):
        hint = {"minimize": "\u2193 better", "maximize": "\u2191 better"}.get(self.axis.better, "")
        first = self.axis.label.split("\n")[0].split(" \u2014 ")[0]
        return first.replace(" [", "\n[").replace("@", "\n@") + (f"\n{hint}" if hint else "")


def _spacing(uprights):
    """Inches between axes, so that no text reaches the next axis."""
    texts = [text for one in uprights
             for text in [*(said for _, said in one.shown_ticks()), *one.head().split("\n")]]
    return max(1.15, LETTER * max(map(len, texts)) + 0.2)


def _few_digits(value):
    return f"{value:,.0f}" if float(value).is_integer() or 1000 <= abs(value) < 1e6 else f"{value:.3g}"


def lines_of(rows, uprights):
    heights = np.column_stack([one.heights(one.axis.of(rows[one.axis.name])) for one in uprights])
    places = np.broadcast_to(np.arange(len(uprights), dtype=float), heights.shape)
    return np.stack([places, heights], axis=2)


def _kinds(results, front):
    """Groups of rows with their label and colour: a group per machine, or one group."""
    if not results.machines:
        return [("on the front", front, style.FRONT_COLOUR)] if len(front) else []
    chosen = style.colours(results.machines)
    return [(m, some, chosen[m]) for m in results.machines if len(some := front[front["machine"] == m])]


def draw(results, columns=None, where=(), fidelity=None):
    """The figure and a sentence: designs on the front in colour, drawn over the others."""
    rows = designs.some(results, results.feasible(fidelity, where), where)
    uprights = [_Upright(results, rows, name) for name in choose_columns(results, rows, columns)]
    goals = designs.objectives_of(results)
    on_front = dominance.is_on_front(rows[list(goals)], list(goals.values())) if goals else np.zeros(len(rows), bool)
    others, front = rows[~on_front], rows[on_front]
    shown = others.iloc[:: max(1, -(-len(others) // MOST_LINES))]

    figure, axes = style.figure(max(8.6, _spacing(uprights) * len(uprights) + 1.5), 5.6)
    faint = float(np.clip(120 / max(len(shown), 1), 0.04, 0.5))
    axes.add_collection(LineCollection(lines_of(shown, uprights), colors=style.POINT_COLOUR, linewidths=0.8,
                                       alpha=faint, zorder=1, rasterized=True))
    for machine, some, colour in _kinds(results, front):
        axes.add_collection(LineCollection(lines_of(some, uprights), colors=colour, linewidths=1.3, zorder=2,
                                           alpha=float(np.clip(30 / max(len(front), 1), 0.25, 0.9)), label=machine))
    if len(front):
        titled = {"title": "on the front", "title_fontsize": 8} if results.machines else {}
        legend = style.legend(axes, loc="lower right", ncols=4, **titled)
        for line in legend.get_lines():
            line.set_alpha(1.0)
    for place, one in enumerate(uprights):
        one.draw(axes, place)
    axes.set_xticks(range(len(uprights)), [one.head() for one in uprights], fontsize=8.5)
    axes.xaxis.tick_top()
    axes.tick_params(axis="x", length=0)
    axes.set_yticks([])
    axes.set_xlim(-0.25, len(uprights) - 0.35)
    axes.set_ylim(-0.12, 1.04)
    for side in axes.spines.values():
        side.set_visible(False)
    of_all = f" ({len(shown):,} of the others drawn)" if len(shown) < len(others) else ""
    words = f"{len(rows):,} feasible points, {len(front):,} on the front of {', '.join(goals)}"
    style.title(axes, results.architecture, words + of_all, style.said_of(where),
                style.assumed_of(results), designs.said_of_run(results))
    return figure, words + of_all
