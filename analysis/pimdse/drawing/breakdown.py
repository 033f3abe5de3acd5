"""Where time, energy and area of some designs go: stacked bars."""
import numpy as np
import pandas as pd

from .. import units
from ..ask import evaluate
from ..errors import NothingToDraw
from . import designs, front, style

MOST_DESIGNS = 8
MOST_PARTS = 10
UNITS = {"time": "s", "energy": "J", "area": "m2"}
REST = "other"


def settings_of(results, row):
    """Architecture and parameters of a row, as `evaluate` takes them."""
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
    """A value as --set takes it."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, str):
        return value
    return str(int(value)) if whole else f"{value!r} {'' if unit == '1' else unit}".strip()


def choose_rows(results, ids, where, fidelity):
    """The rows of these points; else some of the front."""
    rows = results.feasible(fidelity, where)
    if ids:
        missing = set(ids) - set(rows.point_id)
        if missing:
            raise NothingToDraw(f"{results.path} has no feasible point {min(missing)}")
        return rows.set_index("point_id", drop=False).loc[ids].reset_index(drop=True)
    goals = designs.objectives_of(results)
    rows = designs.some(results, rows[rows.point_id.isin(results.front_ids)], where)
    rows = rows.sort_values(next(iter(goals)))
    positions = front.spread(rows[list(goals)[:2]].to_numpy(float), [True] * min(2, len(goals)), MOST_DESIGNS)
    return rows.iloc[positions].drop_duplicates("point_id")


def shares_of(results, rows, of, program=None):
    """A row per part, a column per design (by point_id), in SI: what `pimdse evaluate` says, asked again."""
    if results.scenarios:
        raise NothingToDraw(f"{results.path} asks several requests at once, and a breakdown is of one"
                            " (explore the space with one of them as its workload)")
    columns = {}
    for _, row in rows.iterrows():
        architecture, parameters = settings_of(results, row)
        answer = evaluate(architecture, fidelity=str(row["fidelity"]), program=program, **parameters)
        if of not in answer.breakdown:
            raise NothingToDraw(f"{architecture} does not say where its {of} goes")
        columns[int(row["point_id"])] = answer.breakdown[of].set_index("what").iloc[:, 0]
    table = pd.DataFrame(columns).fillna(0.0)
    order = table.mean(axis=1).sort_values(ascending=False, kind="stable").index
    table = table.loc[order]
    if len(table) > MOST_PARTS:
        rest = table.iloc[MOST_PARTS - 1 :].sum().rename(REST)
        table = pd.concat([table.iloc[: MOST_PARTS - 1], rest.to_frame().T])
    return table


def draw(results, of=("time", "energy", "area"), ids=None, where=(), fidelity=None, program=None):
    """The figure and a sentence: a panel for time, energy, area; a bar per design."""
    rows = choose_rows(results, ids, where, fidelity)
    tables = {one: shares_of(results, rows, one, program) for one in of}
    figure, panels = style.figure(9.0, (0.34 * len(rows) + 1.55) * len(of), nrows=len(of), squeeze=False)
    texts = designs.distinct(results, rows)
    for axes, (one, table) in zip(panels[:, 0], tables.items()):
        _panel(axes, table, one, texts)
    figure.suptitle(f"{results.architecture}: where it goes, {rows.fidelity.iloc[0]}", x=0.01, ha="left", fontsize=12,
                    fontweight="bold")
    largest = [f"{one}: {table.sum(axis=1).idxmax()}" for one, table in tables.items()]
    count = "1 design" if len(rows) == 1 else f"{len(rows)} designs"
    return figure, f"{count}; the largest part of " + ", ".join(largest)


def _panel(axes, table, of, texts):
    import matplotlib

    factor, unit = units.readable([table.sum().max()], UNITS[of])
    palette = [matplotlib.colormaps["tab20"](i) for i in range(20)]
    places, left = np.arange(table.shape[1]), np.zeros(table.shape[1])
    for (what, values), colour in zip(table.iterrows(), palette):
        widths = values.to_numpy() / factor
        axes.barh(places, widths, left=left, height=0.74, label=what, linewidth=0.4, edgecolor="white",
                  color="#cbd5e1" if what == REST else colour)
        left += widths
    axes.set_yticks(places, texts, fontsize=8)
    axes.invert_yaxis()
    axes.margins(x=0.02)
    axes.set_xlabel(f"{of} [{unit}]")
    style.plain_axes(axes, grid="x")
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize=7.5, frameon=False)
