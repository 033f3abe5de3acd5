"""Results at one fidelity against those at a finer one, with the bounds of the coarser one."""
import numpy as np

from .. import units
from ..errors import NothingToDraw
from . import designs, style

LEVELS = ("analytic", "hybrid", "cycle")
MISSED_COLOUR = "#be123c"


def levels_of(runs):
    """The coarsest and the finest fidelity that have results."""
    seen = {level for results in runs for level in results.table.fidelity.unique()}
    levels = [level for level in LEVELS if level in seen]
    if len(levels) < 2:
        raise NothingToDraw(f"{runs[0].path} has results at only one fidelity, {levels[0]} (give a second file of the"
                            " same space with a finer one, or explore with --strategy ladder?)")
    return levels[0], levels[-1]


def pairs_of(runs, metric, coarse, fine):
    """A row per design with both results: value, low and high of the coarse one, value of the fine one (truth)."""
    def answers(level):
        rows = [results.feasible(level).set_index("point_id") for results in runs]
        return next((some for some in rows if len(some)), rows[0])

    holder = next(results for results in runs if len(results.feasible(coarse)))
    rows = holder.feasible(coarse)
    if any(results.parameters != holder.parameters or results.space != holder.space for results in runs):
        _need_same_designs(runs)
    ends = holder.bounds.loc[rows.index, [f"{metric}_low", f"{metric}_high"]].set_axis(["low", "high"], axis=1)
    ends.index = rows["point_id"]
    pairs = ends.assign(value=rows[metric].to_numpy()).join(answers(fine)[metric].rename("truth"), how="inner")
    return pairs[np.isfinite(pairs.value) & np.isfinite(pairs.truth)]


def _need_same_designs(runs):
    one, other = runs[0], runs[-1]
    joined = one.table.merge(other.table, on="point_id", suffixes=("", "_other"))
    same = one.parameters == other.parameters and all(
        (joined[name].astype(str) == joined[name + "_other"].astype(str)).all() for name in one.parameters)
    if not same:
        raise NothingToDraw(f"{one.path} and {other.path} have different spaces (their points are different designs)")


def draw(runs, metrics=None, fidelities=None):
    """The figure and a sentence: a panel per metric, with the finer result on x and the ratio of the two on y."""
    if len(runs) > 2:
        raise NothingToDraw(f"{len(runs)} files are given, but at most two can be compared")
    coarse, fine = fidelities or levels_of(runs)
    metrics = designs.choose_metrics(runs[0], metrics)
    figure, panels = style.figure(max(5.2, 4.3 * len(metrics)), 4.6, ncols=len(metrics), squeeze=False)
    said = [_panel(axes, runs[0], pairs_of(runs, metric, coarse, fine), metric, coarse, fine)
            for axes, metric in zip(panels[0], metrics)]
    style.heading(panels[0, 0], f"{runs[0].architecture}: {coarse} results against {fine}",
                  style.assumed_of(*runs))
    return figure, "; ".join(said)


def _panel(axes, results, pairs, metric, coarse, fine):
    if pairs.empty:
        raise NothingToDraw(f"no design has {metric} at both {coarse} and {fine}")
    factor, unit = units.readable(pairs.truth, results.units[metric])
    across, ratio = pairs.truth / factor, pairs.value / pairs.truth
    low, high = pairs.low / pairs.truth, pairs.high / pairs.truth
    holds = (pairs.low <= pairs.truth * (1 + 1e-12)) & (pairs.truth <= pairs.high * (1 + 1e-12))
    for inside, colour, label in ((holds, style.SERIES_COLOURS[0], "inside its interval"),
                                  (~holds, MISSED_COLOUR, "outside its interval")):
        if not inside.any():
            continue
        span = np.array([(ratio - low)[inside], (high - ratio)[inside]]).clip(0, None)
        axes.errorbar(across[inside], ratio[inside], yerr=span, fmt="o", markersize=3.5, color=colour, elinewidth=0.8,
                      ecolor=colour, alpha=0.7, label=f"{int(inside.sum()):,}: {label}")
    axes.axhline(1.0, color=style.FRONT_COLOUR, linewidth=1.2, zorder=1)
    style.scale_axis(axes.xaxis, axes.set_xscale, across)
    axes.margins(0.08)
    axes.set_xlabel(f"{metric} at {fine}" + (f" [{unit}]" if unit else ""))
    axes.set_ylabel(f"{coarse} / {fine}")
    style.plain_axes(axes)
    style.legend(axes)
    error = np.abs(ratio - 1)
    return (f"{metric}: {len(pairs):,} designs, median error {error.median():.2%}, largest error {error.max():.2%},"
            f" {int((~holds).sum())} outside their interval")
