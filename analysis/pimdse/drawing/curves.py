"""A metric along one parameter at a time."""
import math

import numpy as np

from ..errors import NothingToDraw
from ..names import known_metric, known_name
from . import designs, style
from .axes_of import axis_of

MOST_LINES = 8
MOST_PANELS = 8  # of parameters that nobody named


def series(rows, along, others):
    """The rows, ordered by the parameter `along`, of the combination of the other parameters that has most of its
    values; the first such combination if several have."""
    if not others:
        return rows.sort_values(along)
    groups = rows.groupby(list(others), observed=True, sort=False, dropna=False)
    largest = max(groups, key=lambda group: group[1][along].nunique())[1]
    return largest.drop_duplicates(along).sort_values(along)


def draw(results, along=None, y=None, second=None, lines=None, where=(), fidelity=None):
    """The figure and a sentence."""
    for name in [*(along or ()), *([lines] if lines else [])]:
        known_name(name, results.parameters)
    for name in (y, second):
        if name:
            known_metric(results, name)
    y = y or designs.choose_metrics(results, None)[0]
    rows = designs.some(results, results.feasible(fidelity, where), where)
    varying = designs.varying_parameters(results, rows)
    along = along or [name for name in varying if name not in (lines, "machine")][:MOST_PANELS]
    if not along:
        raise NothingToDraw(f"{results.path} has no parameter that varies (name one with --along)")
    kinds = designs.ordered_values(rows[lines])[:MOST_LINES] if lines else [None]
    across = min(len(along), 2)
    figure, panels = style.figure(4.6 * across + 0.4, 3.4 * math.ceil(len(along) / across) + 0.4, squeeze=False,
                                  nrows=math.ceil(len(along) / across), ncols=across)
    metric, other = axis_of(results, rows, y), axis_of(results, rows, second) if second else None
    said = []
    for axes, name in zip(panels.flat, along):
        fixed = _panel(results, axes, rows, name, [one for one in varying if one not in (name, lines)], metric, other,
                       lines, kinds)
        said.append(f"{name} ({fixed})" if fixed else name)
    for axes in list(panels.flat)[len(along):]:
        axes.set_visible(False)
    words = f"{y} along {'; '.join(said)}"
    style.heading(panels[0, 0], f"{results.architecture}: {y} along {', '.join(along)}", style.said_of(where),
                  style.assumed_of(results), designs.said_of_run(results))
    return figure, words


def _short(axis):
    """Name and unit, without the meaning."""
    return axis.label.split("\n")[0].split(" \u2014 ")[0]


def _panel(results, axes, rows, name, others, metric, other, lines, kinds):
    """Draws one panel; returns the values of the parameters that stay the same, as text. In a space of several
    machines, only those that have the parameter are drawn."""
    rows = rows[rows[name].notna()]
    others = [one for one in others if rows[one].notna().any() and rows[one].nunique(dropna=False) > 1]
    place, fixed = axis_of(results, rows, name), ""
    right = axes.twinx() if other else None
    for kind, colour in zip(kinds, style.SERIES_COLOURS):
        some = series(rows if kind is None else rows[rows[lines] == kind], name, others)
        if some.empty:
            continue
        label = None if kind is None else designs.setting(lines, kind, results.units[lines])
        axes.plot(place.of(some[name]), metric.of(some[metric.name]), "o-", color=colour, markersize=4, label=label)
        if right is not None:
            right.plot(place.of(some[name]), other.of(some[other.name]), "s--", color=colour, markersize=3, alpha=0.6)
        fixed = ", ".join(designs.words_of(results, some.iloc[0], [one for one in others if one != "machine"]))
    drawn = np.concatenate([line.get_ydata() for line in axes.lines])
    style.scale_axis(axes.yaxis, axes.set_yscale, drawn)
    place.scale(axes.xaxis, axes.set_xscale)
    axes.set_xlabel(_short(place), fontsize=9)
    axes.set_ylabel(_short(metric), fontsize=9)
    axes.tick_params(labelsize=8)
    style.plain_axes(axes)
    if fixed:
        axes.set_title(fixed, loc="left", fontsize=style.SMALL_SIZE, color=style.QUIET_COLOUR)
    if right is not None:
        values = np.concatenate([line.get_ydata() for line in right.lines])
        style.scale_axis(right.yaxis, right.set_yscale, values)
        if np.ptp(values) == 0.0 and values[0] > 0.0:
            right.set_ylim(0.0, 2.0 * values[0])
        right.set_ylabel(f"{_short(other)}, dashed", fontsize=9)
        right.tick_params(labelsize=8)
        right.spines["top"].set_visible(False)
    if lines:
        style.legend(axes)
    return fixed
