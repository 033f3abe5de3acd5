"""Designs as text, 'vlen 2048, 32 channels', and the choice of rows and metrics."""
import numpy as np
import pandas as pd

from .. import units
from ..errors import NothingToDraw
from ..names import known_metric

MOST_WORDS = 3


def objectives_of(results):
    """The objectives that have a better direction."""
    return {name: way for name, way in results.objectives.items() if way != "none"}


def choose_metrics(results, asked, least=1):
    """The requested metrics, else the objectives."""
    for name in asked or ():
        known_metric(results, name)
    chosen = list(asked or objectives_of(results))
    if len(chosen) < least:
        raise NothingToDraw(f"{results.path} has no objective (name metrics)")
    return chosen


def some(results, rows, where):
    """The rows. Raises NothingToDraw if there are none."""
    if rows.empty:
        levels = ", ".join(str(level) for level in results.table["fidelity"].unique())
        why = "no point meets the conditions" if where else f"its results are {levels or 'none'}"
        if (results.table["status"] != "ok").all():
            why = "it has none; pimdse failures prints the reasons"
        raise NothingToDraw(f"{results.path} has no feasible point to draw ({why})")
    return rows


def said_of_run(results):
    """A sentence if the run did not finish, else ''."""
    if results.state == "complete":
        return ""
    answered, whole = results.table["point_id"].nunique(), results.points_in_space
    of_all = f" of {whole:,}" if whole else ""
    return f"not all results of the run are there ({results.state}): {answered:,}{of_all} points"


def varying_parameters(results, rows):
    """Parameters in which these rows differ, those with most values first."""
    counts = {name: rows[name].nunique() for name in results.parameters}
    return sorted((name for name in counts if counts[name] > 1), key=lambda name: -counts[name])


def words_of(results, row, names):
    """The settings of these parameters as texts, after the machine if there are several."""
    words = [str(row["machine"])] if results.machines else []
    for name in names:
        value = row[name]
        if name == "machine" or value != value or value is None:
            continue  # already in the list, or not a parameter of this machine
        words.append(setting(name.split(".", 1)[-1] if results.machines else name, value, results.units[name]))
    return words


def setting(name, value, unit):
    """'32 channels' for counts with a plural name, else 'vlen 2048' or 'frequency 350 MHz'."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.number)):
        text = {"True": "on", "False": "off"}.get(str(value), str(value))
        return f"{name} {text}"
    text = units.print_quantity(float(value), "" if units.is_count(unit) else unit)
    plural = unit in ("", "1") and name.endswith("s") and not name.endswith("ss") and "_" not in name
    if plural and float(value).is_integer():
        return f"{text} {name[:-1] if value == 1 else name}"
    return f"{name} {text}"


def _kinds(rows, names):
    """A number per row, equal for rows that agree in all of `names`."""
    codes = [pd.factorize(rows[name])[0] for name in names] or [np.zeros(len(rows), int)]
    return np.unique(np.column_stack(codes), axis=0, return_inverse=True)[1].ravel()


def telling(results, rows):
    """The fewest parameters that distinguish these rows, and further ones that vary, up to MOST_WORDS."""
    varying = varying_parameters(results, rows)
    chosen, goal = [], _kinds(rows, varying).max() if len(rows) else 0
    while _kinds(rows, chosen).max(initial=0) < goal:
        rest = [name for name in varying if name not in chosen]
        chosen.append(max(rest, key=lambda name: _kinds(rows, [*chosen, name]).max()))
    chosen += [name for name in varying if name not in chosen][: max(0, MOST_WORDS - len(chosen))]
    return [name for name in varying if name in chosen]


def distinct(results, rows, join=", ", among=None):
    """A text per design with the parameters in which these designs differ (if they do not: in which those of `among`
    differ), and with the id of the point if two texts would be equal."""
    texts = pd.Series(index=range(len(rows)), dtype=object)
    owners = rows["machine"].astype(str).to_numpy() if results.machines else np.full(len(rows), "")
    for machine in dict.fromkeys(owners):
        places = np.flatnonzero(owners == machine)
        names = telling(results, rows.iloc[places])
        if not names and among is not None:
            like = among[among["machine"] == machine] if results.machines else among
            names = varying_parameters(results, like)[:MOST_WORDS]
        for place in places:
            texts[place] = words_of(results, rows.iloc[place], names)
    said = [join.join(words) for words in texts]
    points = rows["point_id"].tolist()
    return [join.join([*texts[i], f"point {points[i]}"]) if not text or said.count(text) > 1 else text
            for i, text in enumerate(said)]


def ordered_values(column):
    """The different values of a column: numbers by size, then names in alphabetical order."""
    values = column.dropna().unique()
    return sorted(values, key=lambda value: (isinstance(value, str), value))
