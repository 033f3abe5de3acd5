"""Conditions on rows: 'footprint <= 16 GiB', 'mapping == umdam', 'gated == true'."""
import difflib
import operator
import re

from .units import parse_quantity

_OPERATORS = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
    "==": operator.eq,
    "=": operator.eq,
    "!=": operator.ne,
}


class SelectionError(Exception):
    """A condition that cannot be read, in one sentence."""


def known_name(name, names):
    """`name`, if it is one of `names`; else SelectionError with a suggestion."""
    if name in names:
        return name
    near = difflib.get_close_matches(name, names, 1)
    hint = f" Did you mean '{near[0]}'?" if near else f" Known: {', '.join(names)}."
    raise SelectionError(f"unknown name '{name}' (it is no parameter or metric of this file).{hint}")


class Selection:
    """One condition NAME OPERATOR VALUE; several are joined by 'and'."""

    def __init__(self, text):
        self.text = text
        self.parts = []
        for part in re.split(r"\s+and\s+", text.strip()):
            match = re.fullmatch(r"\s*([\w.@-]+?)\s*(<=|>=|==|!=|<|>|=)\s*(.+?)\s*", part)
            if not match:
                raise SelectionError(f"'{part}' is no condition (write NAME <= VALUE, NAME == TEXT ...)")
            self.parts.append((match[1], match[2], match[3].strip("\"'")))

    def mask(self, results, rows):
        """True for the rows (a part of results.table) that meet it."""
        met = None
        for name, symbol, value in self.parts:
            column = rows[known_name(name, results.parameters + results.metrics)]
            part = _OPERATORS[symbol](column, self._value(results, name, symbol, value, column))
            met = part if met is None else met & part
        return met

    def _value(self, results, name, symbol, value, column):
        if column.dtype == bool:
            if value.lower() not in ("true", "false"):
                raise SelectionError(f"'{self.text}': {name} is true or false")
            return value.lower() == "true"
        if not hasattr(column, "cat"):
            return self._number(results, name, value)
        if symbol not in ("==", "=", "!="):
            raise SelectionError(f"'{self.text}': {name} is a text (it can be == or != only)")
        if value not in column.cat.categories:
            known = ", ".join(map(str, column.cat.categories))
            raise SelectionError(f"'{self.text}': {name} is never '{value}' in this file. Known: {known}.")
        return value

    def _number(self, results, name, value):
        try:
            number, unit = parse_quantity(value)
        except (ValueError, KeyError) as error:
            raise SelectionError(f"'{self.text}': {error}") from error
        wanted = results.units[name]
        if unit != "" and unit != wanted:
            raise SelectionError(f"'{self.text}': {name} is in {wanted or 'plain numbers'}, not in {unit}")
        if unit == "" and wanted in ("s", "J", "W", "Hz", "B/s", "m2", "FLOP/s") and number != 0:
            raise SelectionError(f"'{self.text}': {value} has no unit ({name} is in {wanted})")
        return number
