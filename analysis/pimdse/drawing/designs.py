"""Designs in words: 'vlen 2048, 32 channels'."""
import numpy as np
import pandas as pd

from .. import units
from ..condition import known_metric
from ..errors import NothingToDraw

MOST_WORDS = 3


def objectives_of(results):
    """Those of which more or less is better."""
    return {name: way for name, way in results.objectives.items() if way != "none"}


def choose_metrics(results, asked, least=1):
    """Metrics as asked, else the objectives."""
    for name in asked or ():
        known_metric(results, name)
    chosen = list(asked or objectives_of(results))
    if len(chosen) < least:
        raise NothingToDraw(f"{results.path} has no objective (name metrics)")
    return chosen


def some(results, rows, where):
    """The rows, if there are any."""
    if rows.empty:
        levels = ", ".join(str(level) for level in results.table["fidelity"].unique())
        why = "the conditions leave none" if where else f"its answers are {levels or 'none'}"
        if (results.table["status"] != "ok").all():
            why = "none of its points is: pimdse failures says why"
        raise NothingToDraw(f"no feasible point of {results.path} is left to draw ({why})")
    return rows


def said_of_run(results):
    """That a run was not finished, where it was not."""
    if results.state == "complete":
        return ""
    answered, whole = results.table["point_id"].nunique(), results.points_in_space
    of_all = f" of {whole:,}" if whole else ""
    return f"not all answers of the run are there ({results.state}): {answered:,}{of_all} points"


def varying_parameters(results, rows):
    """Parameters that tell these rows apart, those with most values first."""
    counts = {name: rows[name].nunique() for name in results.parameters}
    return sorted((name for name in counts if counts[name] > 1), key=lambda name: -counts[name])


def words_of(results, row, names):
    """A word or two for each of these parameters, those of the machine first where there are several."""
    words = [str(row["machine"])] if results.machines else []
    for name in names:
        value = row[name]
        if name == "machine" or value != value or value is None:
            continue  # said already, or nothing that this machine has
        words.append(setting(name.split(".", 1)[-1] if results.machines else name, value, results.units[name]))
    return words


def setting(name, value, unit):
    """'32 channels' of what is counted by its name, else 'vlen 2048' or 'frequency 350 MHz'."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.number)):
        text = {"True": "on", "False": "off"}.get(str(value), str(value))
        return f"{name} {text}"
    text = units.print_quantity(float(value), "" if units.is_count(unit) else unit)
    plural = unit in ("", "1") and name.endswith("s") and not name.endswith("ss") and "_" not in name
    if plural and float(value).is_integer():
        return f"{text} {name[:-1] if value == 1 else name}"
    return f"{name} {text}"


def _kinds(rows, names):
    """A number per row, the same for rows that agree in all of `names`."""
    codes = [pd.factorize(rows[name])[0] for name in names] or [np.zeros(len(rows), int)]
    return np.unique(np.column_stack(codes), axis=0, return_inverse=True)[1].ravel()


def telling(results, rows):
    """Parameters that tell these rows apart, as few as do; others that vary up to MOST_WORDS."""
    varying = varying_parameters(results, rows)
    chosen, goal = [], _kinds(rows, varying).max() if len(rows) else 0
    while _kinds(rows, chosen).max(initial=0) < goal:
        rest = [name for name in varying if name not in chosen]
        chosen.append(max(rest, key=lambda name: _kinds(rows, [*chosen, name]).max()))
    chosen += [name for name in varying if name not in chosen][: max(0, MOST_WORDS - len(chosen))]
    return [name for name in varying if name in chosen]


def distinct(results, rows, join=", ", among=None):
    """Each of these designs in the parameters in which they differ (or those of `among`, where they do not);
    with the number of its point where that leaves two alike."""
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
    """The different values of a column, numbers by size, words in the order of their names."""
    values = column.dropna().unique()
    return sorted(values, key=lambda value: (isinstance(value, str), value))
