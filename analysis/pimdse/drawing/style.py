"""Style of the pictures: colours (those of the light page of `pimdse report`), axes, titles."""
import textwrap
from itertools import cycle

import matplotlib.pyplot as plt
import numpy as np
from matplotlib import ticker
from matplotlib.colors import LinearSegmentedColormap, to_hex

from .. import units

FRONT_COLOUR = "#b84600"
POINT_COLOUR = "#737d8c"
SERIES_COLOURS = ("#1f5fbf", "#b84600", "#0b7a4b", "#8a2fa8", "#0e7490", "#be185d", "#a16207", "#475569",
                  "#7c2d12")
PART_COLOURS = (*SERIES_COLOURS, "#7fa3dc", "#dd9a70")  # for adjacent bars
LINKS_COLOUR, WAITING_COLOUR = "#0e7490", "#9fd6e0"  # with hatches: no other part has them
OTHERS_COLOUR = "#c3cad4"
RAMP = ("#2a0a5e", "#6a1f8a", "#b02a7a", "#d9482f", "#c77a00")  # dark: small values
SHADES = LinearSegmentedColormap.from_list("pimdse", RAMP)
GRID_COLOUR = "#d5dae1"
QUIET_COLOUR = "#525c6b"
TEXT_COLOUR = "#1b2230"
TITLE_SIZE, SMALL_SIZE, LINE = 12, 8, 11  # points


def colours(names):
    """A colour for each name, in order."""
    return dict(zip(names, cycle(SERIES_COLOURS)))


def steps(count):
    """`count` colours of the ramp, from dark to the lightest that is visible on white."""
    return [to_hex(SHADES(share)) for share in np.linspace(0.0, 0.88, count)]


def figure(width=8.6, height=5.6, **subplots):
    return plt.subplots(figsize=(width, height), dpi=150, constrained_layout=True, **subplots)


def is_wide(values):
    """True if all values are above zero and spread over more than a factor of 30."""
    values = np.asarray(values, dtype=float)
    values = values[np.isfinite(values)]
    return len(values) > 0 and bool((values > 0).all() and values.max() > 30 * values.min())


def scale_axis(axis, set_scale, values):
    """Sets a logarithmic scale if values are wide, with labels at 1, 2 and 5 if these fit."""
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
    """`text` in lines of the width of the picture. Letters are about half as wide as high, bold ones wider."""
    points = 72 * axes.figure.figure.get_figwidth() * 0.9
    letters = int(points / (size * (0.6 if size == TITLE_SIZE else 0.5)))
    return textwrap.wrap(text, letters, break_long_words=False)


def title(axes, text, *below):
    """A title above the picture; each text of `below` starts a small line below it."""
    small = [line for one in below if one for line in _lines(axes, one, SMALL_SIZE)]
    head = axes.set_title("\n".join(_lines(axes, text, TITLE_SIZE)), loc="left", fontsize=TITLE_SIZE,
                          fontweight="bold", pad=plt.rcParams["axes.titlepad"] + LINE * len(small))
    _beneath(axes, head, small, -3, "top")


def _beneath(axes, head, small, offset, side):
    """Small lines below a title, at its final position."""
    if small:
        note = axes.annotate("\n".join(small), (0, 0), xytext=(0, offset), xycoords=head, va=side,
                             textcoords="offset points", fontsize=SMALL_SIZE, color=QUIET_COLOUR,
                             linespacing=1.25, annotation_clip=False)
        note.set_in_layout(False)  # the title reserves the space for it


def heading(axes, text, *below):
    """A title above all panels of the picture that contains `axes`."""
    small = [line for one in below if one for line in _lines(axes, one, SMALL_SIZE)]
    room = "\n" * -(-len(small) * LINE // 14)  # the layout reserves space only for suptitle
    head = axes.figure.suptitle("\n".join(_lines(axes, text, TITLE_SIZE)) + room, x=0.01, ha="left",
                                fontsize=TITLE_SIZE, fontweight="bold")
    _beneath(axes, head, small, 2, "bottom")


def said_of(where):
    return "where " + " and ".join(condition.text for condition in where) if where else ""


def assumed_of(*runs):
    """The common assumptions of the machines of joint spaces; those of each file if they differ."""
    texts = [", ".join(f"{name} {value}" for name, value in one.assumptions.items()) for one in runs]
    different = list(dict.fromkeys(text or "the papers of each machine" for text in texts)) if any(texts) else []
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
    """`scenario`: use the meaning of the metric in this scenario, not that of its aggregate."""
    meaning = results.meanings.get(f"{name}@{scenario}" if scenario else name, "")
    return units.axis_label(name, unit, meaning, better or sense(results, name))


def sense(results, name):
    """The better direction: that of the objective, else that of the metric."""
    way = results.objectives.get(name, results.better.get(name, "none"))
    return results.better.get(name, "none") if way == "none" else way
