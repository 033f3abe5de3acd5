"""Designs in words: 'vlen 2048, 32 channels'."""
import numpy as np

from .. import units
from ..condition import known_name
from ..errors import NothingToDraw

MOST_WORDS = 3


def objectives_of(results):
    """Those of which more or less is better."""
    return {name: way for name, way in results.objectives.items() if way != "none"}


def choose_metrics(results, asked, least=1):
    """Metrics as asked, else the objectives."""
    for name in asked or ():
        known_name(name, results.metrics)
    chosen = list(asked or objectives_of(results))
    if len(chosen) < least:
        raise NothingToDraw(f"{results.path} has no objective (name metrics)")
    return chosen


def some(results, rows, where):
    """The rows, if there are any."""
    if rows.empty:
        why = " (the conditions leave none)" if where else ""
        raise NothingToDraw(f"no feasible point of {results.path} is left to draw{why}")
    return rows


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


def design(results, row, among, most=MOST_WORDS, join=", "):
    """What tells a design apart from others, of a machine of several from the others of its kind."""
    like = among[among["machine"] == row["machine"]] if results.machines else among
    names = varying_parameters(results, like)[:most]
    return join.join(words_of(results, row, names)) or f"point {row['point_id']}"


def distinct(results, rows):
    """Each of these designs in as many words as tell them apart."""
    for most in range(MOST_WORDS, len(results.parameters) + 1):
        texts = [design(results, row, rows, most) for _, row in rows.iterrows()]
        if len(set(texts)) == len(texts):
            return texts
    return [f"point {point}" for point in rows["point_id"]]


def ordered_values(column):
    """The different values of a column, numbers by size, words in the order of their names."""
    values = column.dropna().unique()
    return sorted(values, key=lambda value: (isinstance(value, str), value))
