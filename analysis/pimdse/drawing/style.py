"""What the pictures look like: colours, axes, titles."""
from itertools import cycle

import matplotlib.pyplot as plt
import numpy as np
from matplotlib import ticker

from .. import units

FRONT_COLOUR = "#b84600"
POINT_COLOUR = "#737d8c"
SERIES_COLOURS = ("#1f5fbf", "#b84600", "#0b7a4b", "#8a2fa8", "#0e7490", "#be185d", "#a16207", "#475569")
SHADES = "viridis_r"  # light is little
GRID_COLOUR = "#e5e7eb"
QUIET_COLOUR = "#555555"


def colours(names):
    """A colour for each of these, in order."""
    return dict(zip(names, cycle(SERIES_COLOURS)))


def figure(width=8.6, height=5.6, **subplots):
    return plt.subplots(figsize=(width, height), dpi=150, constrained_layout=True, **subplots)


def is_wide(values):
    """True where values spread over more than a factor of 30, all above zero."""
    values = np.asarray(values, dtype=float)
    values = values[np.isfinite(values)]
    return len(values) > 0 and bool((values > 0).all() and values.max() > 30 * values.min())


def scale_axis(axis, set_scale, values):
    """Logarithmic where values are wide; labels at 1, 2 and 5 as far as there is room."""
    if not is_wide(values):
        axis.set_major_formatter(ticker.FuncFormatter(plain))
        return
    set_scale("log")
    values = np.asarray(values, dtype=float)
    decades = np.log10(np.nanmax(values) / np.nanmin(values))
    axis.set_major_locator(ticker.LogLocator(subs=(1.0, 2.0, 5.0) if decades < 4 else (1.0,), numticks=30))
    axis.set_major_formatter(ticker.FuncFormatter(plain))
    axis.set_minor_formatter(ticker.NullFormatter())


def plain(value, _=None):
    return f"{value:,.10g}" if value == 0 or 1e-3 <= abs(value) < 1e6 else f"{value:.3g}"


def title(axes, text, below=""):
    """`below` has a line of its own, however long both are."""
    pad = plt.rcParams["axes.titlepad"]
    axes.set_title(text, loc="left", fontsize=12, fontweight="bold", pad=pad + 14 if below else pad)
    if below:
        axes.annotate(below, (0, 1), xytext=(0, pad), xycoords="axes fraction", textcoords="offset points",
                      fontsize=8, color=QUIET_COLOUR, annotation_clip=False)


def said_of(where):
    return "where " + " and ".join(condition.text for condition in where) if where else ""


def plain_axes(axes, grid="both"):
    if grid:
        axes.grid(True, which="major", axis=grid, color=GRID_COLOUR, linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def legend(axes, **options):
    axes.legend(**{"loc": "best", "fontsize": 8, "frameon": True, "framealpha": 0.92, "edgecolor": "#cccccc"} | options)


def label_of_metric(results, name, unit, better=None):
    return units.axis_label(name, unit, results.meanings.get(name, ""), better or sense(results, name))


def sense(results, name):
    """Which way is better: as the objective says, else as the metric says."""
    way = results.objectives.get(name, results.better.get(name, "none"))
    return results.better.get(name, "none") if way == "none" else way
