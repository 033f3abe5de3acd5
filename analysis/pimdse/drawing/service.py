"""Designs that serve requests which arrive over time: distributions of times, the queue, goodput against the rate."""
import json

import numpy as np

from .. import units
from ..errors import NothingToDraw
from ..names import hint
from ..program import call
from . import breakdown, designs, style

MOST_DESIGNS = 6
RATES = 25  # of the curve of goodput
WIDE = 70   # letters of a design, of which one fits beside another


def served(path, point, scenario=None, factors=(), program=None):
    """What `pimdse evaluate` says of the service of a point: the object of `services` with this scenario, or of the
    only one."""
    words = ["evaluate", "--from", path, "--point", point, "--format", "json"]
    if len(factors):
        words += ["--at-rates", ",".join(repr(float(factor)) for factor in factors)]
    found = {one["scenario"]: one for one in json.loads(call(words, program)).get("services", ())}
    if not found:
        raise NothingToDraw(f"point {point} of {path} has no scenario with traffic (docs/traffic.md)")
    if scenario is None and len(found) > 1:
        raise NothingToDraw(f"{path} has several scenarios with traffic: choose one of {', '.join(found)} with"
                            " --scenario")
    name = scenario or next(iter(found))
    if name not in found:
        raise NothingToDraw(f"{path} has no scenario '{name}' with traffic.{hint(name, found)}")
    return found[name]


def factors_for(services):
    """Multiples of the rate of the traffic at which goodput is asked: max_rate of all designs, and around these."""
    known = [1.0, *(one["max_rate"] / one["rate"] for one in services if one["max_rate"])]
    return np.unique([*np.geomspace(min(known) / 4, max(known) * 3, RATES), *known])


def draw(results, ids=(), scenario=None, program=None):
    """The figure and a sentence: TTFT, TPOT, running and waiting requests (of sessions, TTFT by turn), and goodput, a
    colour per design."""
    if not results.scenarios:
        raise NothingToDraw(f"{results.path} has no scenarios, so none with traffic (docs/traffic.md)")
    rows = breakdown.choose_rows(results, list(ids), (), None)
    if len(rows) > MOST_DESIGNS:
        if ids:
            raise NothingToDraw(f"{len(rows)} points are too many for one picture (at most {MOST_DESIGNS})")
        rows = rows.iloc[np.unique(np.linspace(0, len(rows) - 1, MOST_DESIGNS).round().astype(int))]
    points = [int(point) for point in rows["point_id"]]
    found = [served(results.path, point, scenario, program=program) for point in points]
    if all(one["rate"] for one in found):
        factors = factors_for(found)
        found = [served(results.path, point, scenario, factors, program) for point in points]
    names = [f"{point}: {text}" if text else f"point {point}"
             for point, text in zip(points, designs.distinct(results, rows))]
    lines = len(names) if max(map(len, names)) > WIDE else -(-len(names) // 2)
    figure, panels = style.figure(10.0, 7.2 + 0.25 * lines, nrows=3, ncols=2,
                                  gridspec_kw={"height_ratios": (1, 1, 0.02 + 0.065 * lines)})
    colours = style.SERIES_COLOURS[: len(found)]
    _times(panels[0, 0], found, colours, "ttft", "time to first token (TTFT)")
    _times(panels[0, 1], found, colours, "tpot", "time per token after the first (TPOT)")
    (_turns if all(one["turns"] for one in found) else _queue)(panels[1, 0], found, colours)
    _goodput(panels[1, 1], found, colours)
    for axes in panels[2]:
        axes.set_axis_off()
    panels[2, 0].legend(panels[0, 0].get_lines()[: len(found)], names, loc="upper left", fontsize=8, frameon=False,
                        borderaxespad=0.0, ncol=1 if lines == len(names) else 2).set_in_layout(False)
    saturated = [str(point) for point, one in zip(points, found) if one["saturated"]]
    warning = (f"saturated: point{'s'[:len(saturated) > 1]} {', '.join(saturated)}; times describe the length of the"
               " traffic" if saturated else "")
    style.heading(panels[0, 0], f"{results.architecture}: {found[0]['scenario']}, {found[0]['requests']} requests",
                  warning)
    best = max(zip(points, found), key=lambda pair: pair[1]["goodput"])
    says = f"{len(found)} design{'s'[:len(found) > 1]}; most goodput: point {best[0]}"
    return figure, f"{says}; {warning}" if warning else says


def _times(axes, found, colours, which, label):
    """The share of the requests whose time is at most x."""
    values = [one["times"][which]["percentiles"] for one in found]
    factor, unit = units.readable([max((max(one) for one in values if one), default=1.0)], "s")
    every = np.concatenate([np.asarray(one) for one in values if one] or [np.ones(1)])
    for one, colour in zip(values, colours):
        axes.step(np.asarray([0.0, *one]) / factor if one else [], np.arange(101 if one else 0), where="post",
                  color=colour, linewidth=1.8)
    style.scale_axis(axes.xaxis, axes.set_xscale, every[every > 0] / factor)
    limit = found[0]["times"][which].get("limit")
    if limit is not None:
        axes.axvline(limit / factor, color=style.QUIET_COLOUR, linestyle="--", linewidth=1.0)
        axes.annotate("limit", (limit / factor, 2), xytext=(-3, 0), textcoords="offset points", ha="right",
                      fontsize=8, color=style.QUIET_COLOUR)
        axes.axhline(100 * found[0]["wanted_share"], color=style.QUIET_COLOUR, linestyle=":", linewidth=1.0)
    axes.set_ylim(0, 101)
    axes.set_xlabel(f"{label} [{unit}]")
    axes.set_ylabel("requests [%]")
    style.plain_axes(axes)


def _queue(axes, found, colours):
    """Requests that run and that wait."""
    for one, colour in zip(found, colours):
        timeline = one["timeline"]
        middle = [(part["start"] + part["end"]) / 2 for part in timeline]
        axes.plot(middle, [part["running"] for part in timeline], color=colour, linewidth=1.5)
        axes.plot(middle, [part["waiting"] for part in timeline], color=colour, linewidth=1.2, linestyle=(0, (2, 1.5)))
    axes.plot([], [], color=style.TEXT_COLOUR, linewidth=1.5, label="running")
    axes.plot([], [], color=style.TEXT_COLOUR, linewidth=1.2, linestyle=(0, (2, 1.5)), label="waiting")
    axes.set_ylim(bottom=0)
    axes.set_xlim(left=0)
    axes.set_xlabel("time [s]")
    axes.set_ylabel("requests")
    style.plain_axes(axes)
    style.legend(axes)


def _turns(axes, found, colours):
    """Mean time to first token by turn of sessions."""
    means = [[turn["mean"] for turn in one["turns"]] for one in found]
    factor, unit = units.readable([max(map(max, means))], "s")
    for one, colour in zip(means, colours):
        axes.plot(np.arange(1, len(one) + 1), np.asarray(one) / factor, color=colour, linewidth=1.5, marker=".")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("turn of the session")
    axes.set_ylabel(f"mean time to first token [{unit}]")
    style.plain_axes(axes)


def _goodput(axes, found, colours):
    """Good requests per second at scaled rates; the largest rate within the limits as a mark."""
    if not any(one["at_rates"] for one in found):
        axes.text(0.5, 0.5, "the requests have no rate\n(a closed loop)", ha="center", va="center", fontsize=9,
                  color=style.QUIET_COLOUR, transform=axes.transAxes)
        axes.set_axis_off()
        return
    rates = np.asarray([at["rate"] for at in found[0]["at_rates"]])
    top = 0.0
    for one, colour in zip(found, colours):
        goodput = [at["goodput"] for at in one["at_rates"]]
        top = max(top, *goodput)
        axes.plot(rates, goodput, color=colour, linewidth=1.8, marker="o", markersize=2.5)
        if one["max_rate"] and rates[0] <= one["max_rate"] <= rates[-1]:
            axes.plot([one["max_rate"]], [np.interp(one["max_rate"], rates, goodput)], color=colour, marker="D",
                      markersize=7, markeredgecolor="white", linestyle="none")
    turns = found[0]["requests"] / found[0]["sessions"]  # the rate is that of sessions
    axes.plot(rates, turns * rates, color=style.QUIET_COLOUR, linewidth=0.9, linestyle=":",
              label="every request is good")
    axes.plot([], [], color=style.TEXT_COLOUR, marker="D", linestyle="none", markersize=6, label="max_rate")
    axes.axvline(found[0]["rate"], color=style.QUIET_COLOUR, linewidth=1.0, linestyle="--", label="rate of the traffic")
    axes.set_ylim(0, 1.08 * top if top > 0 else 1.0)
    style.scale_axis(axes.xaxis, axes.set_xscale, rates)
    axes.set_xlabel(f"{'sessions' if turns > 1 else 'requests'} that arrive [1/s]")
    axes.set_ylabel("goodput [1/s]")
    style.plain_axes(axes)
    style.legend(axes)
