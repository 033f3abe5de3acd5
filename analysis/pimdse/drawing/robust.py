"""How sure a front is under draws of uncertain constants: designs with their spread, the best machines, a tornado."""
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.lines import Line2D

from .. import units
from ..errors import NothingToDraw
from . import designs, labels, style, tornado

WIDTH, CLOUD = 10.0, 5.6
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
LEAST_NAMED = 0.06  # of a bar: room for its percentage


def uncertain_of(results):
    """The group of the file. Raises NothingToDraw if there is none, or if it has one objective only."""
    if results.uncertain is None:
        raise NothingToDraw(f"{results.path} has no draws of uncertain constants (explore the space with --uncertain"
                            " 200?)")
    if len(results.uncertain.objectives) < 2:
        raise NothingToDraw(f"{results.path} has one objective (a picture needs two)")
    return results.uncertain


def rows_of(results, uncertain):
    """The designs with the parameters and metrics of the file (as assumed)."""
    known = results.feasible().set_index("point_id")
    rows = uncertain.designs.merge(known, left_on="point_id", right_index=True)
    return rows.drop(columns="machine") if not results.machines and "machine" in rows else rows


def usual_point(results, rows, objective):
    """The id of the design that is on the front in the largest share of the draws; of several, that with the best first
    objective."""
    most = style.sense(results, objective) == "maximize"
    best = rows.sort_values(["front_share", objective, "point_id"], ascending=[False, not most, True], kind="stable")
    return int(best["point_id"].iloc[0])


def draw(results, point=None, program=None):
    """The figure and a sentence. `point`: the design of the tornado, by default usual_point()."""
    uncertain = uncertain_of(results)
    rows = rows_of(results, uncertain)
    point = usual_point(results, rows, uncertain.objectives[0]) if point is None else point
    found = tornado.asked(results, point, program)
    several = len(uncertain.machines) > 1
    below = max(0.38 * len(uncertain.objectives), 0.2 * len(uncertain.machines)) + 0.9
    heights = [CLOUD, *([below] if several else []), tornado.height(found)]
    figure = plt.figure(figsize=(WIDTH, sum(heights)), dpi=150, constrained_layout=True)
    parts = figure.subfigures(len(heights), 1, height_ratios=heights)
    draw_designs(parts[0], results, uncertain, rows, point)
    if several:
        draw_machines(parts[1], uncertain)
    tornado.draw(parts[-1], results, found, _name_of(results, point))
    return figure, sentence(uncertain, found)


def _name_of(results, point):
    some = results.feasible()
    row = some[some["point_id"] == point]
    text = designs.distinct(results, row, among=some)[0] if len(row) else ""
    return f"point {point}" + (f" ({text})" if text and not text.startswith("point") else "")


def sentence(uncertain, found):
    everywhere = int((uncertain.designs.front_share == 1).sum())
    return (f"{uncertain.draws} draws; designs on the front: {int(uncertain.designs.now.sum()):,} as assumed,"
            f" {int((uncertain.designs.front_share > 0).sum()):,} in some draw, {everywhere:,} in all; point"
            f" {found.point}: {tornado.standing(found)}")


def draw_designs(figure, results, uncertain, rows, point):
    """Designs in the first two objectives: the medians of the draws, lines from 5 to 95 %, colour for the share of the
    draws in which a design is on the front, a dark rim for the front as assumed."""
    axes = figure.subplots()
    sides = [_side(results, rows, name) for name in uncertain.objectives[:2]]
    shades = ScalarMappable(norm=Normalize(0, 1), cmap=style.SHADES)
    (x, x_ends, _, _), (y, y_ends, _, _) = sides
    seen = np.isfinite(x) & np.isfinite(y)
    colours = shades.to_rgba(rows["front_share"].to_numpy(float))
    axes.hlines(y[seen], *x_ends[:, seen], colors=colours[seen], linewidth=1.0, alpha=0.7, zorder=2)
    axes.vlines(x[seen], *y_ends[:, seen], colors=colours[seen], linewidth=1.0, alpha=0.7, zorder=2)
    machines = rows["machine"].astype(str).to_numpy() if results.machines else np.full(len(rows), "")
    now = rows["now"].to_numpy(bool)
    for machine, marker in _markers(results.machines or [""]).items():
        for rim, width in ((False, 0.0), (True, 1.3)):
            some = seen & (machines == machine) & (now == rim)
            axes.scatter(x[some], y[some], s=42, marker=marker, c=colours[some], edgecolor=style.TEXT_COLOUR,
                         linewidths=width, zorder=4 if rim else 3)
    for (_, ends, unit, name), axis, scale, label in zip(sides, (axes.xaxis, axes.yaxis),
                                                         (axes.set_xscale, axes.set_yscale),
                                                         (axes.set_xlabel, axes.set_ylabel)):
        style.scale_axis(axis, scale, ends[np.isfinite(ends)])
        label(units.axis_label(name, unit, "", style.sense(results, name)))
    axes.margins(0.06)
    matter = int(uncertain.constants.effective.sum())
    style.title(axes, f"{results.architecture}: the front in {uncertain.draws} draws of {matter} constants",
                "a mark is the median of the draws, its lines span 5 to 95 % of them", style.assumed_of(results),
                designs.said_of_run(results))
    style.plain_axes(axes)
    scale = figure.colorbar(shades, ax=axes, pad=0.02, aspect=30, format=_share)
    scale.set_label("share of the draws in which a design is on the front", fontsize=9)
    scale.outline.set_visible(False)
    _explain(axes, results, machines[seen], now[seen])
    chosen = seen & (rows["point_id"] == point).to_numpy()
    labels.place(axes, np.column_stack([x, y])[chosen], [f"point {point}"], np.column_stack([x, y])[seen], [], [])


def _share(value, _):
    return units.percent(value)


def _side(results, rows, name):
    """Medians, the two ends, the unit and the name of an objective."""
    values = rows[[f"{name}_q05", f"{name}_q50", f"{name}_q95"]].to_numpy(float)
    factor, unit = units.readable(values.ravel(), results.units[name])
    low, middle, high = values.T / factor
    return middle, np.array([low, high]), unit, name


def _markers(machines):
    return {machine: MARKERS[i % len(MARKERS)] for i, machine in enumerate(machines)}


def _explain(axes, results, machines, now):
    """The legend, below the picture, where it hides nothing."""
    dot = {"linestyle": "none", "markersize": 6.5, "color": style.POINT_COLOUR}
    marks = [Line2D([], [], marker=marker, label=f"{machine}: {(machines == machine).sum():,}", **dot)
             for machine, marker in _markers(results.machines).items() if (machines == machine).any()]
    rims = [Line2D([], [], marker="o", markeredgecolor=style.TEXT_COLOUR, markeredgewidth=1.3,
                   label=f"{now.sum():,} on the front as assumed", **dot)]
    rims += [Line2D([], [], marker="o", markeredgewidth=0, label=f"{(~now).sum():,} in some draws only", **dot)] \
        if not now.all() else []
    style.legend(axes, handles=[*marks, *rims], loc="upper left", bbox_to_anchor=(0.0, -0.13), ncols=4, frameon=False,
                 borderaxespad=0.0)


def draw_machines(figure, uncertain):
    """A bar per objective: the shares of the draws in which each machine has the best design."""
    axes = figure.subplots()
    machines, objectives = uncertain.machines, uncertain.objectives
    places, start = np.arange(len(objectives)), np.zeros(len(objectives))
    for (name, colour), row in zip(style.colours(machines.name).items(), machines.itertuples(index=False)):
        counts = machines.loc[machines.name == name, [f"best_{one}" for one in objectives]].to_numpy(float)[0]
        shares = counts / uncertain.draws
        axes.barh(places, shares, left=start, height=0.62, color=colour,
                  label=f"{name}: on the front in {units.percent(row.draws_on_front / uncertain.draws)}")
        for place in np.flatnonzero(shares >= LEAST_NAMED):
            axes.text(start[place] + shares[place] / 2, place, units.percent(shares[place]), ha="center",
                      va="center", fontsize=8, color="white")
        start += shares
    axes.set_yticks(places, objectives)
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    axes.xaxis.set_major_formatter(_share)
    axes.set_xlabel("share of the draws", fontsize=9)
    style.title(axes, "the machine with the best design")
    style.plain_axes(axes, grid="x")
    style.legend(axes, loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0, frameon=False)
