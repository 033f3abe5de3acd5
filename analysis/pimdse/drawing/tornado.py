"""What each uncertain constant changes in a design, from its assumed value to the ends of its range."""
import json
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.ticker import MaxNLocator

from .. import units
from ..errors import NothingToDraw
from ..program import call
from . import style

MOST_CONSTANTS = 12
LEAST_CHANGE = 1e-9   # of a value; smaller ones are rounding
LEAST_SHOWN = 0.005   # of the largest change: a bar that can be seen
LOWER_COLOUR, UPPER_COLOUR = style.SERIES_COLOURS[:2]


@dataclass
class Tornado:
    """`changes`: a row per constant and objective with constant, objective, at_lower and at_upper, as shares of the
    nominal value (NaN if the design has no result there); `constants`: name, unit of texts, lower, upper, nominal
    (SI), with the largest change first; `nominal`: objective -> value; `leaves_front`: as `pimdse explain` prints it,
    None if no constant alone takes the design off the front."""

    point: int
    now: bool  # on the front as assumed
    front_share: float
    constants: pd.DataFrame
    changes: pd.DataFrame
    nominal: dict
    leaves_front: dict

    def shown(self):
        """The constants whose bars are drawn."""
        size = self.changes.set_index("constant")[["at_lower", "at_upper"]].abs().max(axis=1).groupby(level=0).max()
        size = size.loc[self.constants.name].to_numpy()
        finite = size[np.isfinite(size)]
        seen = ~(size < LEAST_SHOWN * finite.max(initial=0.0))
        return self.constants[seen].iloc[:MOST_CONSTANTS]

    def of(self, objective):
        """The changes of an objective by constant, in the order of `constants`."""
        some = self.changes[self.changes.objective == objective].set_index("constant")
        return some.loc[self.constants.name, ["at_lower", "at_upper"]]


def asked(results, point, program=None):
    """The Tornado of a point, from `pimdse explain`. Constants that change no objective are left out."""
    said = json.loads(call(["explain", results.path, point, "--format", "json"], program)).get("uncertain")
    if not said:
        raise NothingToDraw(f"pimdse explain says nothing of uncertain constants for point {point} of {results.path}"
                            " (explore the space with --uncertain?)")
    return tornado_of(point, point in results.front_ids, said)


def tornado_of(point, now, said):
    """From the object `uncertain` of `pimdse explain --format json`. `now`: on the front as assumed."""
    changes = [{"constant": one["constant"], "objective": goal["name"],
                **{end: _change(goal[end], goal["nominal"]) for end in ("at_lower", "at_upper")}}
               for one in said["tornado"] for goal in one["objectives"]]
    changes = pd.DataFrame(changes, columns=["constant", "objective", "at_lower", "at_upper"])
    known = ["unit", "lower", "upper", "nominal"]
    constants = pd.DataFrame([{"name": one["constant"], **{key: one[key] for key in known}}
                              for one in said["tornado"]], columns=["name", *known])
    largest = changes.assign(size=changes[["at_lower", "at_upper"]].abs().fillna(np.inf).max(axis=1))
    size = largest.groupby("constant")["size"].max()
    order = size[size > 0].sort_values(ascending=False, kind="stable").index
    nominal = {goal["name"]: goal["nominal"] for one in said["tornado"] for goal in one["objectives"]}
    constants = constants.set_index("name").loc[order].rename_axis("name").reset_index()
    return Tornado(point, now, said["front_share"], constants, changes, nominal, said["leaves_front"])


def _change(value, nominal):
    if value is None:
        return np.nan
    change = value / nominal - 1 if nominal else np.sign(value) * np.inf if value else 0.0
    return change if abs(change) > LEAST_CHANGE else 0.0


def changing(tornado):
    """The objectives that a constant changes."""
    return [name for name in tornado.nominal if (tornado.of(name).fillna(np.inf) != 0).any(axis=None)]


def height(tornado):
    """Of the panels, in inches."""
    return 0.4 * len(tornado.shown()) + 1.9 if len(tornado.constants) else 0.8


def draw(figure, results, tornado, name):
    """Draws a panel per objective that changes, in a figure or a part of one. `name`: the design as text."""
    shown, objectives = tornado.shown(), changing(tornado)
    panels = figure.subplots(1, max(len(objectives), 1), sharey=True, squeeze=False)[0]
    for axes, objective in zip(panels, objectives):
        _panel(axes, results, tornado.of(objective).loc[shown.name], objective, tornado.nominal[objective])
    if objectives:
        panels[0].set_yticks(range(len(shown)), [_label(one) for one in shown.itertuples()], fontsize=7.5)
        panels[0].invert_yaxis()
        figure.supxlabel("change from the assumed value [%]", fontsize=9)
        handles, texts = panels[0].get_legend_handles_labels()
        figure.legend(handles, texts, loc="lower left", ncols=2, frameon=False, fontsize=8)
    else:
        panels[0].set_axis_off()
    head = f"what each constant changes in {name}" if objectives else f"no constant changes {name}"
    style.heading(panels[0], head, standing(tornado), _left_out(tornado, shown))


def _panel(axes, results, changes, objective, nominal):
    places = np.arange(len(changes))
    percent = 100 * changes.to_numpy(float)
    for values, offset, colour, label in ((percent[:, 0], -0.2, LOWER_COLOUR, "at the lower end of its range"),
                                          (percent[:, 1], 0.2, UPPER_COLOUR, "at the upper end")):
        known = np.isfinite(values)
        axes.barh(places[known] + offset, values[known], height=0.38, color=colour, label=label)
        for place in places[~known]:
            axes.annotate("no result", (0, place + offset), xytext=(3, 0), textcoords="offset points", va="center",
                          fontsize=6.5, color=style.QUIET_COLOUR)
    axes.axvline(0, color=style.TEXT_COLOUR, linewidth=0.8)
    axes.set_title(f"{objective}\n{units.print_quantity(nominal, results.units.get(objective, ''))}", fontsize=9.5)
    axes.xaxis.set_major_locator(MaxNLocator(4))
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:+.4g}" if value else "0")
    axes.margins(x=0.08)
    if not np.nan_to_num(percent, posinf=0, neginf=0).any():
        axes.set_xlim(-1, 1)
    style.plain_axes(axes, grid="x")


def _label(constant):
    ends = f"{units.number_in(constant.lower, constant.unit)} to {units.print_in(constant.upper, constant.unit)}"
    return f"{constant.name}\n{ends}, assumed {units.number_in(constant.nominal, constant.unit)}"


def standing(tornado):
    """A sentence: how often the design is on the front, and which constant takes it off."""
    said = f"on the front in {units.percent(tornado.front_share)} of the draws"
    leaves = tornado.leaves_front
    if not tornado.now:
        return f"{said}, but not as assumed" if tornado.front_share else "on no front"
    if not leaves:
        return f"{said}; no constant alone takes it off the front"
    at = f"{units.print_in(leaves['value'], leaves['unit'])} ({100 * leaves['change']:+.3g} %)"
    why = "it is infeasible" if leaves["dominated_by"] is None else f"point {leaves['dominated_by']} dominates it"
    return f"{said}; {leaves['constant']} takes it off the front at {at}, where {why}"


def _left_out(tornado, shown):
    """Sentences on constants and objectives that have no bars."""
    rest = len(tornado.constants) - len(shown)
    same = [name for name in tornado.nominal if name not in changing(tornado)]
    return "; ".join(filter(None, (f"{rest} more with smaller changes" if rest else "",
                                   f"no constant changes {', '.join(same)}" if same else "")))
