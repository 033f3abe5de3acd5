"""Parts of time, energy and area of some designs, as stacked bars."""
from itertools import cycle

import numpy as np
import pandas as pd

from .. import units
from ..errors import NothingToDraw
from ..evaluation import evaluate, evaluate_again
from . import designs, front, style

MOST_DESIGNS = 8
MOST_ASKED = 60
MOST_PARTS = 10
UNITS = {"time": "s", "energy": "J", "area": "m2"}
REST = "others"


def settings_of(results, row):
    """Architecture and parameters of a row as arguments of `evaluate`."""
    prefix = f"{row['machine']}." if results.machines else ""
    architecture = results.architectures[row["machine"]] if results.machines else results.architecture
    found = {}
    for name in results.parameters:
        value = row[name]
        if name == "machine" or "." in name and not name.startswith(prefix) or value != value:
            continue
        found[name.removeprefix(prefix)] = _written(value, results.units[name], name in results.integers)
    return architecture, found


def _written(value, unit, whole):
    """A value as text for --set."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, str):
        return value
    return str(int(value)) if whole else f"{value!r} {'' if unit == '1' else unit}".strip()


def choose_rows(results, ids, where, fidelity):
    """The rows of these points; without ids, some rows of the front."""
    rows = results.feasible(fidelity, where)
    if not ids:
        return _some_of_front(results, designs.some(results, _front_of(results, rows), where))
    missing = set(ids) - set(rows.point_id)
    if missing:
        met = " that meets the conditions" if where else ""
        raise NothingToDraw(f"{results.path} has no feasible point {min(missing)}{met}")
    if len(set(ids)) > MOST_ASKED:
        raise NothingToDraw(f"{len(set(ids))} points are too many bars for one picture (at most {MOST_ASKED})")
    return rows.set_index("point_id", drop=False).loc[list(dict.fromkeys(ids))].reset_index(drop=True)


def _front_of(results, rows):
    return rows[rows.point_id.isin(results.front_ids)]


def _some_of_front(results, rows):
    """Both ends of the front in the first two objectives, and some designs between them."""
    goals = list(designs.objectives_of(results))[:2]
    if not goals:
        return rows.iloc[:MOST_DESIGNS]
    rows = rows.sort_values(goals)
    values = rows[goals].to_numpy(float)
    return rows.iloc[front.spread(values, [style.is_wide(column) for column in values.T], MOST_DESIGNS)]


def asked_again(results, rows, program=None):
    """The result of `pimdse evaluate` for each row."""
    if results.scenarios:
        raise NothingToDraw(f"{results.path} has scenarios ({', '.join(results.scenarios)}), but a breakdown is"
                            " that of one request (pimdse explain prints one per scenario; or explore the space with"
                            " one request as its workload)")
    found = {}
    for _, row in rows.iterrows():
        if results.machine_files:
            found[int(row["point_id"])] = evaluate_again(results, row, program)
            continue
        architecture, parameters = settings_of(results, row)
        found[int(row["point_id"])] = evaluate(architecture, fidelity=str(row["fidelity"]), program=program,
                                               **parameters)
    return found


def shares_of(answers, of):
    """A row per part, a column per design (by point_id), in SI."""
    columns = {}
    for point, answer in answers.items():
        if of not in answer.breakdown:
            raise NothingToDraw(f"{answer.architecture} has no breakdown of {of}")
        columns[point] = answer.breakdown[of].groupby("what", sort=False).sum().iloc[:, 0]
    table = pd.DataFrame(columns).fillna(0.0)
    order = table.mean(axis=1).sort_values(ascending=False, kind="stable").index
    table = table.loc[order]
    small = [what for what in table.index[MOST_PARTS - 1 :] if not is_of_links(what)]
    if len(table) > MOST_PARTS and len(small) > 1:
        rest = table.loc[small].sum().rename(f"{len(small)} {REST}")
        table = pd.concat([table.drop(index=small), rest.to_frame().T])
    return table


def is_of_links(what):
    """Whether a part belongs to the links between several devices."""
    return str(what) == "links" or str(what).startswith("links/")


def colours_of(table):
    """A colour for each part: one for what the links exchange, a light one for waiting, grey for the rest."""
    taken = {style.LINKS_COLOUR} if any(map(is_of_links, table.index)) else set()
    free = cycle(colour for colour in style.PART_COLOURS if colour not in taken)
    found = []
    for what in map(str, table.index):
        if is_of_links(what):
            found.append(style.WAITING_COLOUR if "waiting" in what else style.LINKS_COLOUR)
        else:
            found.append(style.OTHERS_COLOUR if what.endswith(REST) else next(free))
    return found


def draw(results, of=("time", "energy", "area"), ids=None, where=(), fidelity=None, program=None):
    """The figure and a sentence: a panel each for time, energy and area, a bar per design."""
    rows = choose_rows(results, ids, where, fidelity)
    answers = asked_again(results, rows, program)
    tables = {one: shares_of(answers, one) for one in of}
    figure, panels = style.figure(9.0, (0.34 * len(rows) + 1.55) * len(of), nrows=len(of), squeeze=False)
    texts = designs.distinct(results, rows)
    for axes, (one, table) in zip(panels[:, 0], tables.items()):
        _panel(axes, table, one, texts)
    count = "1 design" if len(rows) == 1 else f"{len(rows)} designs"
    if not ids:
        whole = len(_front_of(results, results.feasible(fidelity, where)))
        count = f"{len(rows)} of {whole} design{'' if whole == 1 else 's'} on the front"
    style.heading(panels[0, 0], f"{results.architecture}: breakdown, {rows.fidelity.iloc[0]}", count,
                  style.said_of(where), style.assumed_of(results))
    largest = [f"{one}: {table.sum(axis=1).idxmax()}" for one, table in tables.items()]
    return figure, f"{count}; the largest part of " + ", ".join(largest)


def _panel(axes, table, of, texts):
    factor, unit = units.readable([table.sum().max()], UNITS[of])
    places, left = np.arange(table.shape[1]), np.zeros(table.shape[1])
    for (what, values), colour in zip(table.iterrows(), colours_of(table)):
        widths = values.to_numpy() / factor
        axes.barh(places, widths, left=left, height=0.74, label=what, linewidth=0.4, edgecolor="white", color=colour,
                  hatch="////" if is_of_links(what) else None)
        left += widths
    axes.set_yticks(places, texts, fontsize=8)
    axes.invert_yaxis()
    axes.margins(x=0.02)
    axes.xaxis.set_major_formatter(style.plain)
    axes.set_xlabel(f"{of} [{unit}]")
    style.plain_axes(axes, grid="x")
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize=7.5, frameon=False)
