"""The picture of a front."""
from itertools import cycle

import matplotlib.pyplot as plt
import numpy as np
from matplotlib import ticker

from . import labels, units
from .front import is_on_front
from .select import SelectionError, known_name

FRONT_COLOUR = "#c2410c"
POINT_COLOUR = "#64748b"
MACHINE_COLOURS = ("#2563eb", "#15803d", "#9333ea", "#b45309", "#0e7490", "#be185d", "#4d7c0f", "#475569")
MOST_LABELS = 5
MOST_WORDS = 3


class NothingToDraw(Exception):
    """No point is left, or no axis can be chosen; in one sentence."""


def choose_axes(results, x, y):
    """The two metrics to draw: as asked, else the first objectives that are not taken yet."""
    asked = [name for name in (x, y) if name]
    for name in asked:
        known_name(name, results.metrics)
    rest = [name for name in [*results.objectives, *results.metrics] if name not in asked]
    if len(asked) + len(rest) < 2:
        raise NothingToDraw(f"{results.path} has one metric only (a picture needs two)")
    x = x or rest.pop(0)
    return x, y or next(name for name in rest if name != x)


def sense(results, name):
    """Which way is better on an axis: as the objective says, else as the metric says."""
    way = results.objectives.get(name, results.better[name])
    return "minimize" if way == "none" else way


def varying_parameters(results, rows):
    """Parameters that tell these rows apart, those with most values first."""
    counts = {name: rows[name].nunique() for name in results.parameters}
    return sorted((name for name in counts if counts[name] > 1), key=lambda name: -counts[name])


def describe(results, row, names):
    """'vlen 2048, channels 8' for a label; of a machine of several its name, then what it has."""
    words = [str(row["machine"])] if results.machines else []
    for name in names:
        value = row[name]
        if name == "machine" or value != value or value is None:
            continue  # said already, or nothing that this machine has
        unit = results.units[name]
        name = name.split(".", 1)[-1] if results.machines else name
        text = (
            units.print_quantity(float(value), unit)
            if isinstance(value, (int, float, np.number)) and not isinstance(value, (bool, np.bool_))
            else str(value)
        )
        words.append(f"{name} {text}")
    return "\n".join(words)


def label_of(results, row, among):
    """The point and what tells it apart, of a machine of several from the others of its kind."""
    like = among[among["machine"] == row["machine"]] if results.machines else among
    names = varying_parameters(results, like)[:MOST_WORDS]
    words = describe(results, row, names)
    return f"point {row.point_id}" + ("\n" + words if words else "")


def spread(rows, x, y, count):
    """`count` positions along the front: both ends and what lies evenly between them on the picture."""
    if len(rows) <= count:
        return list(range(len(rows)))
    along = np.zeros(len(rows))
    for name in (x, y):
        values = rows[name].to_numpy(float)
        values = np.log(values) if (values > 0).all() and values.max() > 30 * values.min() else values
        extent = np.ptp(values) or 1.0
        along[1:] += np.abs(np.diff(values)) / extent
    along = np.cumsum(along)
    return sorted({int(np.abs(along - goal).argmin()) for goal in np.linspace(along[0], along[-1], count)})


def scale_axis(axis, set_scale, values):
    """Logarithmic where values spread over more than a factor of 30; labels at 1, 2 and 5 as far as there is room."""
    if (values > 0).all() and values.max() > 30 * values.min():
        set_scale("log")
        plain = ticker.FuncFormatter(lambda v, _: f"{v:,.10g}" if 1e-3 <= v < 1e6 else f"{v:.0e}")
        decades = np.log10(values.max() / values.min())
        axis.set_major_locator(ticker.LogLocator(subs=(1.0, 2.0, 5.0) if decades < 4 else (1.0,), numticks=30))
        axis.set_major_formatter(plain)
        axis.set_minor_formatter(ticker.NullFormatter())


def step_line(points, better_x):
    """The corners of the border of what a front dominates, `points` sorted by x: a step stands at its worse end."""
    corners = [points[0]]
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        corners += [(x1, y0) if better_x == "minimize" else (x0, y1), (x1, y1)]
    return np.array(corners)


def draw_cloud(axes, points, label, colour=POINT_COLOUR):
    size = np.clip(4e4 / max(len(points), 1), 3, 18)
    axes.scatter(*points.to_numpy().T, s=size, color=colour, alpha=0.45, linewidths=0, rasterized=True, zorder=2,
                 label=label)


def draw_clouds(axes, results, points, rows):
    """The points nobody needs: of one machine, or of each in its colour."""
    if not results.machines:
        return draw_cloud(axes, points, f"{len(points):,} dominated")
    for machine, colour in zip(results.machines, cycle(MACHINE_COLOURS)):
        of_it = points[rows.loc[points.index, "machine"] == machine]
        if len(of_it):
            draw_cloud(axes, of_it, f"{len(of_it):,} of {machine} dominated", colour)


def draw_rings(axes, points, label):
    axes.scatter(*points.to_numpy().T, s=24, facecolor="white", edgecolor=FRONT_COLOUR, linewidths=1.1, zorder=4,
                 label=label)


def draw_dots(axes, points, label):
    axes.scatter(*points.to_numpy().T, s=30, color=FRONT_COLOUR, linewidths=0, zorder=4, label=label)


def draw_front(results, output, x=None, y=None, where=(), fidelity=None):
    """Write the picture to `output`; returns a sentence that says what is on it. Raises SelectionError, NothingToDraw,
    OSError."""
    x, y = choose_axes(results, x, y)
    rows = results.feasible(fidelity)
    for selection in where:
        rows = rows[selection.mask(results, rows)]
    rows = rows[np.isfinite(rows[x]) & np.isfinite(rows[y])]
    if rows.empty:
        why = " (the conditions leave none)" if where else ""
        raise NothingToDraw(f"no feasible point of {results.path} is left to draw{why}")
    better = [sense(results, x), sense(results, y)]
    on_line = rows[is_on_front(rows[[x, y]], better)].sort_values(x)
    goals = {name: way for name, way in results.objectives.items() if way != "none"}
    on_front = rows[is_on_front(rows[list(goals)], list(goals.values()))] if goals else on_line

    factor_x, unit_x = units.readable(rows[x], results.units[x])
    factor_y, unit_y = units.readable(rows[y], results.units[y])
    figure, axes = plt.subplots(figsize=(8.6, 5.6), dpi=150, constrained_layout=True)
    others = rows.drop(on_front.index.union(on_line.index))
    drawn = rows[[x, y]] / (factor_x, factor_y)
    line = step_line(drawn.loc[on_line.index].to_numpy(), better[0])
    draw_clouds(axes, results, drawn.loc[others.index], rows)
    beside = on_front.drop(on_line.index, errors="ignore")
    if len(beside):
        draw_rings(axes, drawn.loc[beside.index], f"{len(beside):,} on the front of {len(goals)} objectives")
    axes.plot(line[:, 0], line[:, 1], color=FRONT_COLOUR, linewidth=1.4, alpha=0.8, zorder=3)
    draw_dots(axes, drawn.loc[on_line.index], f"{len(on_line):,} best in {x} and {y}")

    scale_axis(axes.xaxis, axes.set_xscale, (rows[x] / factor_x).to_numpy())
    scale_axis(axes.yaxis, axes.set_yscale, (rows[y] / factor_y).to_numpy())
    axes.margins(0.09)
    axes.set_xlabel(units.axis_label(x, unit_x, results.meanings[x], better[0]))
    axes.set_ylabel(units.axis_label(y, unit_y, results.meanings[y], better[1]))
    shown = fidelity or results.front_fidelity
    title = f"{results.architecture}: {len(rows):,} feasible points, {shown}"
    axes.set_title(title, loc="left", fontsize=12, fontweight="bold")
    if where:
        conditions = " and ".join(selection.text for selection in where)
        axes.set_title("where " + conditions, loc="right", fontsize=8, color="#555555")
    axes.grid(True, which="major", color="#e5e7eb", linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.legend(loc="best", fontsize=8, frameon=True, framealpha=0.92, edgecolor="#cccccc")

    chosen = on_line.iloc[spread(on_line, x, y, MOST_LABELS)]
    texts = [label_of(results, row, rows if results.machines else chosen) for _, row in chosen.iterrows()]
    marked = drawn.loc[on_line.index.union(on_front.index)]
    labels.place(axes, drawn.loc[chosen.index].to_numpy(), texts, marked, line, drawn.loc[others.index])
    figure.savefig(output)
    plt.close(figure)
    counts = f"{len(rows):,} feasible points, {len(on_line):,} best in {x} and {y}, {len(on_front):,} on the front"
    return f"{counts} of {', '.join(goals) or 'these'}"
