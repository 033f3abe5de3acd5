"""What the pictures look like: colours (those of the page of `pimdse report`, light), axes, titles."""
import textwrap
from itertools import cycle

import matplotlib.pyplot as plt
import numpy as np
from matplotlib import ticker
from matplotlib.colors import LinearSegmentedColormap, to_hex

from .. import units

FRONT_COLOUR = "#b84600"
POINT_COLOUR = "#737d8c"
SERIES_COLOURS = ("#1f5fbf", "#b84600", "#0b7a4b", "#8a2fa8", "#0e7490", "#be185d", "#a16207", "#475569")
PART_COLOURS = (*SERIES_COLOURS, "#7fa3dc", "#dd9a70")  # of bars that lie beside one another
OTHERS_COLOUR = "#c3cad4"
RAMP = ("#2a0a5e", "#6a1f8a", "#b02a7a", "#d9482f", "#c77a00")  # dark is little
SHADES = LinearSegmentedColormap.from_list("pimdse", RAMP)
GRID_COLOUR = "#d5dae1"
QUIET_COLOUR = "#525c6b"
TEXT_COLOUR = "#1b2230"
TITLE_SIZE, SMALL_SIZE, LINE = 12, 8, 11  # points


def colours(names):
    """A colour for each of these, in order."""
    return dict(zip(names, cycle(SERIES_COLOURS)))


def steps(count):
    """So many colours of the ramp, from dark to what is still seen on white."""
    return [to_hex(SHADES(share)) for share in np.linspace(0.0, 0.88, count)]


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


def _lines(axes, text, size):
    """`text` in lines as wide as the picture: letters are half as wide as they are high, bold ones wider."""
    points = 72 * axes.figure.get_figwidth() * 0.9
    letters = int(points / (size * (0.6 if size == TITLE_SIZE else 0.5)))
    return textwrap.wrap(text, letters, break_long_words=False)


def title(axes, text, *below):
    """A title over the picture; each of `below` in a small line of its own, or more."""
    small = [line for one in below if one for line in _lines(axes, one, SMALL_SIZE)]
    head = axes.set_title("\n".join(_lines(axes, text, TITLE_SIZE)), loc="left", fontsize=TITLE_SIZE,
                          fontweight="bold", pad=plt.rcParams["axes.titlepad"] + LINE * len(small))
    _beneath(axes, head, small, -3, "top")


def _beneath(axes, head, small, offset, side):
    """Small lines under a title, wherever that comes to stand."""
    if small:
        note = axes.annotate("\n".join(small), (0, 0), xytext=(0, offset), xycoords=head, va=side,
                             textcoords="offset points", fontsize=SMALL_SIZE, color=QUIET_COLOUR,
                             linespacing=1.25, annotation_clip=False)
        note.set_in_layout(False)  # the title has made room for it


def heading(axes, text, *below):
    """A title over all panels of the picture that `axes` is of."""
    small = [line for one in below if one for line in _lines(axes, one, SMALL_SIZE)]
    room = "\n" * -(-len(small) * LINE // 14)  # suptitle is the only text that panels make room for
    head = axes.figure.suptitle("\n".join(_lines(axes, text, TITLE_SIZE)) + room, x=0.01, ha="left",
                                fontsize=TITLE_SIZE, fontweight="bold")
    _beneath(axes, head, small, 2, "bottom")


def said_of(where):
    return "where " + " and ".join(condition.text for condition in where) if where else ""


def assumed_of(*runs):
    """What all machines of a joint space stand on; of several files that differ in it, each."""
    texts = [", ".join(f"{name} {value}" for name, value in one.assumptions.items()) for one in runs]
    different = list(dict.fromkeys(text or "what each machine's papers say" for text in texts)) if any(texts) else []
    return "assuming " + "; or ".join(different) if different else ""


def plain_axes(axes, grid="both"):
    if grid:
        axes.grid(True, which="major", axis=grid, color=GRID_COLOUR, linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def legend(axes, **options):
    usual = {"loc": "best", "fontsize": 8, "frameon": True, "framealpha": 0.92, "edgecolor": GRID_COLOUR}
    return axes.legend(**usual | options)


def label_of_metric(results, name, unit, better=None, scenario=None):
    """`scenario`: what the metric means in one of them, not over all."""
    meaning = results.meanings.get(f"{name}@{scenario}" if scenario else name, "")
    return units.axis_label(name, unit, meaning, better or sense(results, name))


def sense(results, name):
    """Which way is better: as the objective says, else as the metric says."""
    way = results.objectives.get(name, results.better.get(name, "none"))
    return results.better.get(name, "none") if way == "none" else way
