"""Designs in two metrics or parameters, and their front."""
from dataclasses import dataclass

import numpy as np

from .. import dominance
from ..errors import NothingToDraw
from ..names import known_name
from . import designs, labels, style
from .axes_of import axis_of
from .shades import shades_of

MOST_LABELS = 5
MOST_WHISKERS = 400


@dataclass
class Picture:
    """The rows of a picture, and those that are on fronts."""

    results: object
    rows: object
    x: object  # Axis
    y: object
    on_line: object  # rows on the front of x and y, if both are metrics
    on_front: object  # rows on the front of all objectives

    def spots(self, rows):
        return np.column_stack([self.x.of(rows[self.x.name]), self.y.of(rows[self.y.name])])

    @property
    def goals(self):
        return designs.objectives_of(self.results)


def choose_axes(results, x, y):
    """The requested names, else the first objectives that are not on an axis yet."""
    asked = [name for name in (x, y) if name]
    for name in asked:
        results.take_formula(name)
        known_name(name, [*results.parameters, *results.metrics])
    rest = [name for name in [*results.objectives, *results.metrics] if name not in asked]
    if len(asked) + len(rest) < 2:
        raise NothingToDraw(f"{results.path} has only one metric (a picture needs two)")
    x = x or rest.pop(0)
    return x, y or next(name for name in rest if name != x)


def picture_of(results, x, y, where, fidelity):
    x, y = choose_axes(results, x, y)
    rows = results.feasible(fidelity, where)
    rows = designs.some(results, rows[rows[x].notna() & rows[y].notna()], where)
    across, up = axis_of(results, rows, x), axis_of(results, rows, y)
    better = [across.better, up.better]
    on_line = rows.iloc[:0]
    if "none" not in better:
        on_line = rows[dominance.is_on_front(rows[[x, y]], better)].sort_values(x)
    goals = designs.objectives_of(results)
    on_front = rows[dominance.is_on_front(rows[list(goals)], list(goals.values()))] if goals else on_line
    return Picture(results, rows, across, up, on_line, on_front)


def step_line(points, better_x):
    """The vertices of the border of the region that a front dominates; `points` are sorted by x."""
    corners = list(points[:1])
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        corners += [(x1, y0) if better_x == "minimize" else (x0, y1), (x1, y1)]
    return np.array(corners).reshape(-1, 2)


def spread(points, wide, count):
    """`count` positions along a front: both ends, and others at even distances on the picture."""
    if len(points) <= count:
        return list(range(len(points)))
    along = np.zeros(len(points))
    for values, logarithmic in zip(points.T, wide):
        values = np.log(values) if logarithmic else values
        along[1:] += np.abs(np.diff(values)) / (np.ptp(values) or 1.0)
    along = np.cumsum(along)
    chosen = []
    for goal in np.linspace(along[0], along[-1], count):
        far = np.abs(along - goal)
        far[chosen] = np.inf
        chosen.append(int(far.argmin()))
    return sorted(chosen)


def by_machine(picture, rows, shades, plain):
    """Groups of rows with their colours and a part of their label: a group per machine, or one group."""
    if shades is not None or not picture.results.machines:
        return [] if rows.empty else [(rows, shades.of(rows) if shades else {"c": plain}, "")]
    colours = style.colours(picture.results.machines)
    groups = [(rows[rows["machine"] == machine], {"c": colours[machine]}, f" of {machine}") for machine in colours]
    return [group for group in groups if not group[0].empty]


def draw_cloud(axes, picture, rows, shades):
    """Draws the dominated designs."""
    size = np.clip(4e4 / max(len(rows), 1), 4, 20)
    for some, look, whose in by_machine(picture, rows, shades, style.POINT_COLOUR):
        label = f"{len(some):,}{whose} dominated"
        axes.scatter(*picture.spots(some).T, s=size, alpha=0.75 if shades else 0.45, linewidths=0, rasterized=True,
                     zorder=2, label=label, **look)


def whiskers(axes, picture, rows, ink):
    """Draws the intervals of the cycle-level results, for metrics that are not exact."""
    if len(rows) > MOST_WHISKERS or rows.empty:
        return
    ends = []
    for axis in (picture.x, picture.y):
        if axis.name not in picture.results.metrics:
            ends.append(None)
            continue
        value = axis.of(rows[axis.name])
        low, high = (axis.of(picture.results.bounds.loc[rows.index, f"{axis.name}_{end}"]) for end in ("low", "high"))
        span = np.nan_to_num(np.array([value - low, high - value]).clip(0, None))
        ends.append(span if (span > 1e-9 * np.abs(value)).any() else None)
    if any(span is not None for span in ends):
        spots = picture.spots(rows)
        axes.errorbar(spots[:, 0], spots[:, 1], xerr=ends[0], yerr=ends[1], fmt="none", ecolor=ink,
                      elinewidth=0.8, capsize=1.5, alpha=0.6, zorder=3, label="bounds of the result")


def draw_front(axes, picture, shades, ink):
    """Draws the front of x and y as a line, and rings around designs on the front because of other objectives."""
    beside = picture.on_front.drop(picture.on_line.index, errors="ignore")
    line = step_line(picture.spots(picture.on_line), picture.x.better)
    coloured = bool(shades or picture.results.machines)
    axes.plot(line[:, 0], line[:, 1], color=ink, linewidth=1.2, alpha=0.8, zorder=3)
    goals = "" if picture.results.machines else f" of {', '.join(picture.goals)}"
    for some, look, whose in by_machine(picture, beside, shades, "white"):
        axes.scatter(*picture.spots(some).T, s=26, edgecolor=ink, linewidths=0.6 if shades else 1.1, zorder=4,
                     label=f"{len(some):,}{whose} on the front{goals}", **look)
    for some, look, whose in by_machine(picture, picture.on_line, shades, style.FRONT_COLOUR):
        axes.scatter(*picture.spots(some).T, s=44, linewidths=min(1.2, 100 / len(some)) if coloured else 0,
                     zorder=5, edgecolor=ink, marker="D" if coloured and not shades else "o",
                     label=f"{len(some):,}{whose} best in {picture.x.name} and {picture.y.name}", **look)
    return line


def explain_marks(figure, axes, shades, marked):
    """Adds the legend of dots and rings, below the picture if it would hide marked points. If colour shows a third
    metric, dots in the legend have no colour."""
    legend = style.legend(axes)
    figure.canvas.draw()
    if labels.inside(axes.transData.transform(marked), legend.get_window_extent(), 3):
        legend = style.legend(axes, loc="upper left", bbox_to_anchor=(0.0, -0.16), ncols=2, frameon=False,
                              borderaxespad=0.0)
    if shades:
        for handle in getattr(legend, "legend_handles", None) or legend.legendHandles:
            if hasattr(handle, "set_sizes"):
                ringed = handle.get_linewidths()[0] > 0
                handle.set_array(None)
                handle.set(facecolor="white" if ringed else style.POINT_COLOUR, linewidth=1.0 * ringed)
        shades.explain(figure, axes)


def name_designs(axes, picture, line, marked, others):
    """Adds labels to some points of the front."""
    named = picture.on_line if len(picture.on_line) else picture.on_front.sort_values(picture.x.name)
    if named.empty:
        return
    wide = [axis.words is None and style.is_wide(axis.values) for axis in (picture.x, picture.y)]
    chosen = named.iloc[spread(picture.spots(named), wide, MOST_LABELS)]
    texts = designs.distinct(picture.results, chosen, "\n", picture.rows)
    labels.place(axes, picture.spots(chosen), texts, marked, line, picture.spots(others))


def draw(results, x=None, y=None, colour=None, where=(), fidelity=None):
    """The figure and a sentence. Raises ConditionError, NothingToDraw."""
    picture = picture_of(results, x, y, where, fidelity)
    shades = shades_of(results, picture.rows, colour)
    figure, axes = style.figure()
    others = picture.rows.drop(picture.on_front.index.union(picture.on_line.index))
    draw_cloud(axes, picture, others, shades)
    ink = style.TEXT_COLOUR if shades or picture.results.machines else style.FRONT_COLOUR
    whiskers(axes, picture, picture.on_line.combine_first(picture.on_front), ink)
    line = draw_front(axes, picture, shades, ink)
    picture.x.scale(axes.xaxis, axes.set_xscale)
    picture.y.scale(axes.yaxis, axes.set_yscale)
    axes.margins(0.09)
    axes.set_xlabel(picture.x.label)
    axes.set_ylabel(picture.y.label)
    shown = fidelity or results.front_fidelity
    style.title(axes, f"{results.architecture}: {len(picture.rows):,} feasible points, {shown}", style.said_of(where),
                style.assumed_of(results), designs.said_of_run(results))
    style.plain_axes(axes)
    marked = picture.spots(picture.rows.loc[picture.on_line.index.union(picture.on_front.index)])
    explain_marks(figure, axes, shades, marked)
    name_designs(axes, picture, line, marked, others)
    best = f"{len(picture.on_line):,} best in {picture.x.name} and {picture.y.name}, " if len(picture.on_line) else ""
    counts = f"{len(picture.rows):,} feasible points, {best}{len(picture.on_front):,} on the front"
    return figure, f"{counts} of {', '.join(picture.goals) or 'these'}"
