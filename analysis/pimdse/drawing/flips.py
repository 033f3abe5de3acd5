"""Who wins which question in which share of the draws of uncertain constants: the JSON text of `pimdse flips`."""
import json

import numpy as np

from .. import units
from ..errors import NotFlips, NothingToDraw
from . import style

ROW, PANEL = 0.2, 3.4  # inches: of a bar, of a metric
LEAST_NAMED = 0.15     # of a bar: room for its percentage


def read(path):
    """The winners of a file that `pimdse flips SPACE --uncertain N --format json` printed. Raises NotFlips if it is
    none, and NothingToDraw if it has no draws."""
    try:
        with open(path, encoding="utf-8") as file:
            told = json.load(file)
        winners = told["winners"]
        draws = int(told.get("draws", 0))
        parts = [(one["scenario"], one["metric"], one["under"], one["machine"]) for one in winners]
    except OSError as error:
        raise NotFlips(f"cannot read {path} ({error.strerror})") from None
    except (ValueError, TypeError, KeyError):
        raise NotFlips(f"{path} is not what `pimdse flips --format json` prints") from None
    if not draws or not parts:
        raise NothingToDraw(f"{path} has no draws of uncertain constants (pimdse flips SPACE --uncertain 64 --format"
                            " json?)")
    return draws, winners


def _label(winner):
    under = winner["under"].replace("peak_power", "").strip()
    return f"{winner['scenario']}, {under or 'no limit'}" if winner["scenario"] else under or "no limit"


def draw(path):
    """The figure and a sentence: a panel per metric, a bar per scenario and limit."""
    draws, winners = read(path)
    metrics = list(dict.fromkeys(winner["metric"] for winner in winners))
    rows = list(dict.fromkeys(_label(winner) for winner in winners))
    machines = list(dict.fromkeys(name for winner in winners for name in winner["draws_won"]))
    figure, panels = style.figure(1.8 + PANEL * len(metrics), 1.3 + ROW * len(rows), ncols=len(metrics), sharey=True,
                                  squeeze=False)
    for axes, metric in zip(panels[0], metrics):
        some = [winner for winner in winners if winner["metric"] == metric]
        _bars(axes, some, rows, style.colours(machines))
        axes.set_title(metric, fontsize=10)
        axes.set_xlim(0, 1)
        axes.set_xticks((0, 0.5, 1))
        axes.tick_params(axis="x", labelsize=8)
        axes.margins(y=0.01)
        axes.xaxis.set_major_formatter(lambda value, _: units.percent(value))
        style.plain_axes(axes, grid="x")
    panels[0][0].set_yticks(range(len(rows)), rows, fontsize=8)
    panels[0][0].invert_yaxis()
    handles = {text: handle for axes in panels[0] for handle, text in zip(*axes.get_legend_handles_labels())}
    style.legend(panels[0][-1], handles=[handles[name] for name in machines], loc="upper left",
                 bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0, frameon=False)
    figure.suptitle(f"The machine that wins, by share of {draws} draws (a dot: it wins as assumed in all of them)",
                    fontsize=11)
    answered = [winner for winner in winners if winner["machine"]]
    sure = sum(winner["draws_won"].get(winner["machine"], 0) == 1 for winner in answered)
    return figure, f"{draws} draws; {sure} of {len(answered)} winners win in all of them"


def _bars(axes, winners, rows, colours):
    for machine, colour in colours.items():
        shares, starts = np.zeros(len(rows)), np.zeros(len(rows))
        for winner in winners:
            at, won = rows.index(_label(winner)), winner["draws_won"]
            before = list(won)[:list(won).index(machine)] if machine in won else []
            shares[at], starts[at] = won.get(machine, 0), sum(won[name] for name in before)
        axes.barh(range(len(rows)), shares, left=starts, height=0.72, color=colour, label=machine)
        for at in np.flatnonzero((shares >= LEAST_NAMED) & (shares < 1)):
            axes.text(starts[at] + shares[at] / 2, at, units.percent(shares[at]), ha="center", va="center", fontsize=7,
                      color="white")
    for winner in winners:
        if winner["machine"] and winner["draws_won"].get(winner["machine"], 0) == 1:
            axes.plot(0.97, rows.index(_label(winner)), "o", color="white", markersize=3.5)
