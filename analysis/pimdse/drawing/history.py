"""Growth of the front with the number of evaluations."""
import numpy as np

from .. import dominance
from ..errors import NothingToDraw
from . import designs, runs as files, style

SHUFFLES = 20
MOST_MARKS = 40
MOST_MEMBERS = 400  # the hypervolume of larger fronts of three and more objectives is slow


def box_of(rows, goals):
    """Best and worst value of each objective."""
    values = rows[list(goals)]
    least = np.array([way == "minimize" for way in goals.values()])
    low, high = values.min().to_numpy(), values.max().to_numpy()
    return np.where(least, low, high), np.where(least, high, low)


def growth(rows, goals, box, order, marks):
    """The share of the box that the first `mark` results dominate, for each mark."""
    values, ways = rows[list(goals)].to_numpy(float)[order], list(goals.values())
    kept, shares, before = np.empty((0, len(goals))), [], 0
    for mark in marks:
        kept = np.vstack([kept, values[before:mark]])
        kept = kept[dominance.is_on_front(kept, ways)]
        if len(kept) > MOST_MEMBERS and len(goals) > 2:
            raise NothingToDraw(f"the front of {len(goals)} objectives has more than {MOST_MEMBERS} members"
                                " (select two of them with --objectives)")
        shares.append(dominance.hypervolume(kept, ways, *box))
        before = mark
    return np.array(shares)


def marks_of(count):
    """Numbers of results at which the share is computed, in even steps of their logarithm."""
    return np.unique(np.geomspace(1, count, min(count, MOST_MARKS)).round().astype(int))


def draw(runs, objectives=None, where=(), fidelity=None, seed=1):
    """The figure and a sentence. All `runs` (Results) share one box, so that their curves are comparable."""
    names = objectives or list(designs.objectives_of(runs[0]))
    goals = {name: style.sense(runs[0], name) for name in designs.choose_metrics(runs[0], names)}
    several = [designs.some(results, _answered(results, goals, where, fidelity), where) for results in runs]
    boxes = [box_of(rows, goals) for rows in several]
    least = np.array([way == "minimize" for way in goals.values()])
    ideals, worst = np.array([box[0] for box in boxes]), np.array([box[1] for box in boxes])
    box = (np.where(least, ideals.min(0), ideals.max(0)), np.where(least, worst.max(0), worst.min(0)))
    names, notes = files.names_of(runs, several), files.differences(runs, several)
    figure, axes = style.figure(8.6, 5.0)
    said, keys = zip(*(_curve(axes, name, rows, goals, box, colour, seed) for name, rows, colour
                       in zip(names, several, style.SERIES_COLOURS)))
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(style.plain)
    axes.set_ylim(-0.02, 1.02)
    axes.set_xlabel("feasible results")
    axes.set_ylabel("share of the box that the front dominates\n(box: best to worst values)")
    style.title(axes, f"{runs[0].architecture}: front of {', '.join(goals)}", style.said_of(where),
                style.assumed_of(*runs), *notes)
    style.plain_axes(axes)
    steps, chances = zip(*keys)  # one tuple per column of the legend
    style.legend(axes, loc="upper left", bbox_to_anchor=(0.0, -0.13), ncols=2, frameon=False,
                 borderaxespad=0.0, handles=[*steps, *chances],
                 labels=[f"{name}, in the order of ids" for name in names]
                 + [f"{name}, in random order: median, and 90 % of {SHUFFLES} orders" for name in names])
    return figure, "; ".join(said)


def _answered(results, goals, where, fidelity):
    for name in goals:
        designs.choose_metrics(results, [name])
    rows = results.feasible(fidelity, where)
    return rows[rows[list(goals)].notna().all(axis=1)]


def _curve(axes, name, rows, goals, box, colour, seed):
    """Draws the growth in the order of ids and in random orders."""
    marks = marks_of(len(rows))
    line = growth(rows, goals, box, np.arange(len(rows)), marks)
    chance = np.random.default_rng(seed)
    shuffled = np.array([growth(rows, goals, box, chance.permutation(len(rows)), marks) for _ in range(SHUFFLES)])
    (steps,) = axes.plot(marks, line, color=colour, linewidth=1.8, drawstyle="steps-post")
    low, middle, high = np.percentile(shuffled, [5, 50, 95], axis=0)
    band = axes.fill_between(marks, low, high, color=colour, alpha=0.15, linewidth=0)
    (dashes,) = axes.plot(marks, middle, color=colour, linewidth=1.0, linestyle="--")
    enough = marks[np.argmax(middle >= 0.99 * middle[-1])]
    said = (f"{name}: {len(rows):,} results dominate {line[-1]:.4f} of the box;"
            f" {enough:,} in random order reach 99 % of that")
    return said, (steps, (band, dashes))
