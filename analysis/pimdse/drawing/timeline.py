"""The timeline of a design: operations of each unit over time, from a Chrome trace."""
import json
from dataclasses import dataclass

from matplotlib.patches import Patch

from .. import units
from ..errors import NotATrace, NothingToDraw
from . import style

MOST_UNITS = 48
MOST_NAMES = 10
IDLE = {"gated", "idle", "waiting"}
LEAST_SHARE = 0.01  # of the width of the picture: shorter bars have no edge


@dataclass
class Timeline:
    """Bars as (unit, operation, start [s], duration [s]), in the order of the file."""

    title: str
    units: list
    bars: list


def load(path):
    """Throws NotATrace for a file that `pimdse evaluate --trace` did not write."""
    try:
        with open(path, encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        names = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
        title = next(event["args"]["name"] for event in events if event["name"] == "process_name")
        bars = [(names[event["tid"]], event["name"], event["ts"] * 1e-6, event["dur"] * 1e-6)
                for event in events if event["ph"] == "X"]
    except OSError as error:
        raise NotATrace(f"{path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, StopIteration) as error:
        raise NotATrace(f"{path} is not a trace (write one with pimdse evaluate ... --trace {path})") from error
    return Timeline(title, list(names.values()), bars)


def draw(timeline, until=None):
    """The figure and a sentence."""
    end = max((start + duration for _, _, start, duration in timeline.bars), default=0.0)
    shown = min(end, until or end)
    bars = [bar for bar in timeline.bars if bar[2] < shown and bar[3] > 0.0]
    if not bars:
        raise NothingToDraw("the trace has no operation in this time")
    rows = timeline.units[:MOST_UNITS]
    names = list(dict.fromkeys(name for unit, name, _, _ in bars if unit in rows))
    colours = dict(zip([name for name in names if name not in IDLE], style.PART_COLOURS))
    factor, unit = units.readable([shown], "s")
    figure, axes = style.figure(10.0, 1.6 + 0.26 * len(rows))
    for name in names:
        for place, row in enumerate(rows):
            spans = [(start / factor, min(duration, shown - start) / factor)
                     for owner, what, start, duration in bars if owner == row and what == name]
            edge = 0.4 if spans and max(width for _, width in spans) > LEAST_SHARE * shown / factor else 0.0
            axes.broken_barh(spans, (place - 0.4, 0.8), facecolor=colours.get(name, style.OTHERS_COLOUR),
                             edgecolor="white", linewidth=edge)
    axes.set_yticks(range(len(rows)), rows, fontsize=8)
    axes.invert_yaxis()
    axes.set_xlim(0.0, shown / factor)
    axes.set_xlabel(f"time [{unit}]")
    style.plain_axes(axes, "x")
    handles = [Patch(color=colours.get(name, style.OTHERS_COLOUR)) for name in names[:MOST_NAMES]]
    style.legend(axes, handles=handles, labels=names[:MOST_NAMES], loc="upper left", bbox_to_anchor=(1.0, 1.0),
                 frameon=False)
    left_out = len(timeline.units) - len(rows)
    words = f"{len(bars):,} operations of {len(timeline.units)} units in {units.print_quantity(shown, 's')}"
    note = f"{left_out} further units are not drawn" if left_out else ""
    style.title(axes, f"{timeline.title}: timeline", words, note)
    return figure, words
