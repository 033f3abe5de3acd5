"""Fronts of runs, machines or scenarios in one plot; the best machine in each scenario."""
from dataclasses import dataclass

import numpy as np

from .. import dominance, units
from ..errors import NothingToDraw
from ..formula import is_formula
from ..names import known_metric
from . import designs, front, runs as files, style

MOST_SERIES, MOST_RIMS, MOST_NAMED = len(style.SERIES_COLOURS), 3, 6


@dataclass
class Series:
    """One front and the points that it was computed from, in SI."""

    name: str
    values: np.ndarray  # two columns
    front: np.ndarray   # the non-dominated rows of `values`, sorted by x


def _series(name, rows, columns, ways):
    values = rows[list(columns)].to_numpy(float)
    values = values[np.isfinite(values).all(axis=1)]
    best = values[dominance.is_on_front(values, ways)]
    return Series(name, values, best[np.argsort(best[:, 0], kind="stable")])


def _same_metric(runs, name):
    for results in runs:
        known_metric(results, name)
    if len({results.units[name] for results in runs}) > 1:
        raise NothingToDraw(f"{name} has different units in these files")


def series_of(runs, rows, by, x, y, ways):
    """One Series per file, machine or scenario."""
    if by == "file":
        return [_series(name, some, (x, y), ways) for name, some in zip(files.names_of(runs, rows), rows)]
    if by == "machine":
        groups = [(m, some[some["machine"] == m]) for m in runs[0].machines for some in rows[:1]]
        return [_series(machine, some, (x, y), ways) for machine, some in groups if len(some)]
    return [_series(s, rows[0], (f"{x}@{s}", f"{y}@{s}"), ways) for s in runs[0].scenarios]


def choose(runs, by, x, y):
    """What to compare, and the two metrics."""
    first = runs[0]
    for name in filter(None, (x, y)):
        known_metric(first, name)
    by = by or ("file" if len(runs) > 1 else "machine" if first.machines else "scenario")
    if by == "machine" and not first.machines or by == "scenario" and not first.scenarios:
        raise NothingToDraw(f"{first.path} has no {by}s to compare (give several files?)")
    if by == "scenario" and any(name and is_formula(name) for name in (x, y)):
        raise NothingToDraw("a formula has no value in each scenario (write METRIC@SCENARIO in it, and compare files)")
    plain = [name for name in [*designs.objectives_of(first), *first.metrics] if "@" not in name or is_formula(name)]
    rest = [name for name in plain if name not in (x, y) and style.sense(first, name) != "none"]
    x = x or rest.pop(0)
    y = y or next(name for name in rest if name != x)
    for name in (x, y):
        _same_metric(runs if by == "file" else runs[:1], name)
    return by, x, y


def draw(runs, by=None, x=None, y=None, where=(), fidelity=None):
    """The figure and a sentence: each front in its colour, over a cloud of its results."""
    by, x, y = choose(runs, by, x, y)
    ways = [style.sense(runs[0], x), style.sense(runs[0], y)]
    if "none" in ways:
        raise NothingToDraw(f"{x if ways[0] == 'none' else y} has no better direction")
    rows = [designs.some(results, results.feasible(fidelity, where), where) for results in runs]
    several = [one for one in series_of(runs, rows, by, x, y, ways) if len(one.values)]
    notes = files.differences(runs, rows) if by == "file" else []
    if len(several) > MOST_SERIES:
        raise NothingToDraw(f"{len(several)} {by}s are too many fronts for one picture (at most {MOST_SERIES};"
                            " --best METRIC compares scenarios in one metric)")
    together = np.concatenate([one.values for one in several])
    factors, names = zip(*(units.readable(column, runs[0].units[name]) for column, name in zip(together.T, (x, y))))
    figure, axes = style.figure()
    known = style.colours(runs[0].machines if by == "machine" else [one.name for one in several])
    for below, one in zip(reversed(range(len(several))), several):
        colour = known[one.name]
        rim = min(below, MOST_RIMS)  # where fronts coincide, the lower ones remain visible around the upper one
        spots, best = one.values / factors, one.front / factors
        axes.scatter(*spots.T, s=np.clip(2e4 / len(spots), 2, 14), color=colour, alpha=0.18, linewidths=0, zorder=2,
                     rasterized=True)
        line = front.step_line(best, ways[0])
        axes.plot(line[:, 0], line[:, 1], color=colour, linewidth=1.5 + 1.8 * rim, zorder=3)
        axes.scatter(*best.T, s=26 * (1 + rim), color=colour, zorder=4, linewidths=0,
                     label=f"{one.name}: {len(best):,} best of {len(spots):,}")
    style.scale_axis(axes.xaxis, axes.set_xscale, together[:, 0] / factors[0])
    style.scale_axis(axes.yaxis, axes.set_yscale, together[:, 1] / factors[1])
    axes.margins(0.06)
    scenario = runs[0].scenarios[0] if by == "scenario" else None
    axes.set_xlabel(style.label_of_metric(runs[0], x, names[0], scenario=scenario))
    axes.set_ylabel(style.label_of_metric(runs[0], y, names[1], scenario=scenario))
    style.title(axes, f"{x} and {y}, by {by}", style.said_of(where), style.assumed_of(*runs), *notes)
    style.plain_axes(axes)
    style.legend(axes)
    if by == "scenario":  # scenarios differ: smaller values in an easier one do not make it better
        return figure, _everywhere(runs[0], rows[0], (x, y), ways)
    return figure, "on the front of all: " + ", ".join(_shares(several, ways))


def _shares(several, ways):
    """How many points of each front are on the common front of all; a point of several fronts counts for each."""
    together = np.concatenate([one.front for one in several])
    best = {tuple(spot) for spot in together[dominance.is_on_front(together, ways)]}
    return [f"{one.name} {sum(tuple(spot) in best for spot in one.front)} of {len(one.front)}"
            for one in several]


def _everywhere(results, rows, metrics, ways):
    """A sentence: the number of designs that are on the front of every scenario."""
    fronts = []
    for scenario in results.scenarios:
        known = rows[[f"{metric}@{scenario}" for metric in metrics]].dropna()
        spots = list(map(tuple, known.to_numpy(float)))
        best = {spot for spot, is_best in zip(spots, dominance.is_on_front(known.to_numpy(float), ways)) if is_best}
        fronts.append({row for row, spot in zip(known.index, spots) if spot in best})  # equal designs, too
    points = rows.loc[sorted(set.intersection(*fronts)), "point_id"].tolist()
    more = ", ..." if len(points) > MOST_NAMED else ""
    which = f" (point{'s' if len(points) > 1 else ''} {', '.join(map(str, points[:MOST_NAMED]))}{more})"
    return f"on the front of every scenario: {len(points)} of {len(set.union(*fronts))}{which if points else ''}"


def best_by_scenario(results, metric, where=(), fidelity=None):
    """A row per scenario, a column per machine (or `best`): the best value in SI; NaN if no design serves it."""
    if not results.scenarios:
        raise NothingToDraw(f"{results.path} has no scenarios to compare")
    known_metric(results, metric)
    if is_formula(metric):
        raise NothingToDraw(f"'{metric}' is a formula, which has no value in each scenario")
    if "@" in metric:
        plain = metric.split("@")[0]
        raise NothingToDraw(f"{metric} belongs to one scenario (--best {plain} compares all of them)")
    rows = designs.some(results, results.feasible(fidelity, where), where)
    most = style.sense(results, metric) == "maximize"
    columns = [f"{metric}@{scenario}" for scenario in results.scenarios]
    groups = rows.groupby("machine", observed=True) if results.machines else rows.groupby(lambda _: "best")
    best = (groups[columns].max() if most else groups[columns].min()).T
    return best.set_axis(results.scenarios, axis=0)


def draw_best(results, metric, where=(), fidelity=None):
    """The figure and a sentence: a line per scenario, the best design of each machine as a dot."""
    best = best_by_scenario(results, metric, where, fidelity)
    most = style.sense(results, metric) == "maximize"
    factor, unit = units.readable(best.to_numpy().ravel(), results.units[metric])
    figure, axes = style.figure(8.6, 0.3 * len(best) + 1.9)
    places = np.arange(len(best))
    winners = (best.idxmax(axis=1) if most else best.idxmin(axis=1)).to_numpy()
    for machine, colour in style.colours(results.machines or best.columns).items():
        if machine not in best:
            continue  # the machine has no feasible design
        values = best[machine].to_numpy() / factor
        won = winners == machine
        axes.scatter(values, places, s=34, facecolor="white", edgecolor=colour, linewidths=1.4, zorder=3)
        axes.scatter(values[won], places[won], s=40, color=colour, zorder=4, label=f"{machine}: best in {won.sum()}")
    axes.hlines(places, best.min(axis=1) / factor, best.max(axis=1) / factor, color=style.GRID_COLOUR, zorder=1)
    axes.set_yticks(places, best.index, fontsize=8)
    axes.invert_yaxis()
    style.scale_axis(axes.xaxis, axes.set_xscale, best.to_numpy().ravel() / factor)
    axes.margins(x=0.06)
    axes.set_xlabel(style.label_of_metric(results, metric, unit, scenario=results.scenarios[0]))
    style.title(axes, f"the best {metric} in each scenario", style.said_of(where), style.assumed_of(results))
    style.plain_axes(axes, grid="x")
    style.legend(axes)
    return figure, ", ".join(f"{machine} is best in {(winners == machine).sum()}" for machine in best.columns)
