"""Conditions on rows, in the language of space files and `pimdse front --where`: names, numbers with units, text for
choices, + - * /, comparisons, and, or, not, parentheses. METRIC.upper and METRIC.lower are the ends of its interval.

A missing value is unknown (Kleene's three-valued logic): arithmetic and comparisons with it are unknown, `true or
unknown` is true, `false and unknown` is false, and a row meets a condition that is true, not one that is unknown."""
import operator
import re
from typing import NamedTuple

import numpy as np

from .errors import ConditionError, UnknownName
from .names import MOST_NAMED, hint
from .units import Unit, combined, dimension_name, parse_unit, unit_of

_COMPARE = {"<=": operator.le, ">=": operator.ge, "==": operator.eq, "!=": operator.ne, "<": operator.lt,
            ">": operator.gt, "=": operator.eq}
_NUMBER = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)
_DECIMALS = re.compile(r",(\d+)", re.ASCII)
_WORD = re.compile(r"[A-Za-z_%][\w.]*", re.ASCII)
_RECIPROCAL = re.compile(r"1(?=/([A-Za-z_%][\w.]*))", re.ASCII)
_NAME = re.compile(r"[A-Za-z_%][\w.]*(?:@[\w.-]*)?", re.ASCII)
_UNIT = re.compile(r"(?![0-9])[0-9A-Za-z%^\u0080-\U0010ffff]+")  # mm², mm^2 and µs, too
_PLAIN_NUMBER = Unit().dimension


def known_name(name, names):
    """`name`, if it is one of `names`; else UnknownName with a suggestion."""
    if name in names:
        return name
    raise UnknownName(_unknown(name, names))


def _unknown(name, names):
    return f"'{name}' names neither a parameter nor a metric of this file.{hint(name, names)}"


def known_metric(results, name):
    """`name`, if it is a metric, or a formula of metrics, which is one from then on; else UnknownName that says what
    else it is, or what was meant."""
    results.take_formula(name)
    if name in results.metrics:
        return name
    if name in results.parameters:
        raise UnknownName(f"'{name}' is a parameter, and a metric is asked for (known:"
                          f" {', '.join(results.metrics[:MOST_NAMED])})")
    raise UnknownName(f"'{name}' is no metric of this file.{hint(name, results.metrics)}")


class _Part(NamedTuple):
    """A piece of a condition: what it is of all rows."""

    kind: str  # truth, number, choice, text
    values: object  # of a truth: 1, 0 or, where it is unknown, NaN
    dimension: tuple = _PLAIN_NUMBER
    zero: bool = False
    sign: int = 0  # of a number: 1 not negative, -1 not positive, 0 that is not known; metrics are not negative
    ways: tuple = ()  # (metric, 1 up, -1 down or 0 unknown): which way it goes when that metric grows


def _and(left, right):
    return np.where((left == 0) | (right == 0), 0.0, np.minimum(left, right))


def _or(left, right):
    return np.where((left == 1) | (right == 1), 1.0, np.maximum(left, right))


def joined_ways(one, times, other, times_other):
    """Of what is made of two parts; 0 where they go different ways with a metric."""
    found = {name: way * times for name, way in one}
    for name, way in other:
        found[name] = way * times_other if found.get(name, way * times_other) == way * times_other else 0
    return tuple(found.items())


def _truth(values, unknown):
    return _Part("truth", np.where(unknown, np.nan, values))


class Condition:
    """Text that rows meet or not."""

    def __init__(self, text):
        self.text = text.strip()

    def mask(self, results, rows):
        """True for the rows (a part of results.table) that meet it. Raises ConditionError."""
        return Reader(self.text, results, rows).mask()


class Reader:
    """Recursive descent: or < and < not < comparison < sum < product < sign < atom."""

    def __init__(self, text, results, rows):
        self.text, self.at = text, 0
        self.results, self.rows = results, rows
        self.names = [*results.parameters, *results.metrics]

    def mask(self):
        met = self.disjunction()
        if not self.at_end():
            self.fail(f"'{self.text[self.at:]}' is not understood here")
        if met.kind != "truth":
            self.fail("it is no condition (compare it with something, such as <= 16 GiB)")
        return np.broadcast_to(met.values == 1, len(self.rows)).copy()

    def fail(self, why):
        raise ConditionError(f'condition "{self.text}": {why}')

    def at_end(self):
        while self.text[self.at : self.at + 1] == " ":
            self.at += 1
        return self.at == len(self.text)

    def take(self, symbol):
        found = not self.at_end() and self.text.startswith(symbol, self.at)
        self.at += len(symbol) if found else 0
        return found

    def take_word(self, word):
        return not self.at_end() and bool(re.match(rf"{word}(?![\w.])", self.text[self.at :])) and self.take(word)

    def joined(self, word, inner, join):
        left = inner()
        while self.take_word(word):
            right = inner()
            if left.kind != "truth" or right.kind != "truth":
                self.fail(f"both sides of '{word}' must be conditions")
            left = _Part("truth", join(left.values, right.values))
        return left

    def disjunction(self):
        return self.joined("or", self.conjunction, _or)

    def conjunction(self):
        return self.joined("and", self.negation, _and)

    def negation(self):
        if not self.take_word("not"):
            return self.comparison()
        inner = self.negation()
        if inner.kind != "truth":
            self.fail("'not' stands before a condition")
        return _Part("truth", 1.0 - inner.values)

    def comparison(self):
        left = self.sum()
        for symbol, compare in _COMPARE.items():
            if self.take(symbol):
                return self.compared(left, self.sum(), symbol, compare)
        self.refuse_text(left)
        return left

    def compared(self, left, right, symbol, compare):
        if "choice" in (left.kind, right.kind):
            return self.choice_compared(left, right, symbol)
        self.refuse_text(left, right)
        self.need_same(left, right, "compared")
        return _truth(compare(left.values, right.values), np.isnan(left.values) | np.isnan(right.values))

    def choice_compared(self, left, right, symbol):
        if symbol not in ("==", "=", "!="):
            self.fail("names of choices are compared with == or != only")
        choice, word = (left, right) if left.kind == "choice" else (right, left)
        if word.kind != "text":
            self.fail("a choice is compared with one of its names")
        name, column = choice.values
        known = self.results.choices.get(name) or list(column.cat.categories)
        if word.values not in known:
            self.fail(f"'{word.values}' is no value of {name}.{hint(word.values, known)}")
        equal = (column == word.values).to_numpy()
        return _truth(~equal if symbol == "!=" else equal, column.isna().to_numpy())

    def refuse_text(self, *parts):
        for part in parts:
            if part.kind == "text":
                if part.values not in self.names:
                    self.fail(_unknown(part.values, self.names))
                self.fail(f"'{part.values}' is not understood here")

    def need_numbers(self, left, right, what):
        self.refuse_text(left, right)
        if left.kind != "number" or right.kind != "number":
            self.fail(f"only numbers are {what}")

    def need_same(self, left, right, what):
        if left.kind == right.kind == "truth":
            return
        if left.kind != "number" or right.kind != "number":
            self.fail(f"a condition and a number cannot be {what}")
        if left.dimension != right.dimension and not left.zero and not right.zero:
            names = dimension_name(left.dimension), dimension_name(right.dimension)
            missing = ""
            if _PLAIN_NUMBER in (left.dimension, right.dimension):
                measured = right.dimension if left.dimension == _PLAIN_NUMBER else left.dimension
                missing = f". Does the number lack its unit, such as {unit_of(measured).replace('*', ' * 1 ')}?"
            self.fail(f"{names[0]} and {names[1]} cannot be {what} (units differ){missing}")

    def sum(self):
        left = self.product()
        while True:
            plus = self.take("+")
            if not plus and not self.take("-"):
                return left
            right = self.product()
            what = "added" if plus else "subtracted"
            self.need_numbers(left, right, what)
            self.need_same(left, right, what)
            values = left.values + right.values if plus else left.values - right.values
            turned = 1 if plus else -1
            left = _Part("number", values, right.dimension if left.zero else left.dimension, False,
                         left.sign if left.sign == turned * right.sign else 0,
                         joined_ways(left.ways, 1, right.ways, turned))

    def product(self):
        left = self.sign()
        while True:
            times = self.take("*")
            if not times and not self.take("/"):
                return left
            right = self.sign()
            self.need_numbers(left, right, "multiplied and divided")
            with np.errstate(divide="ignore", invalid="ignore"):
                values = left.values * right.values if times else np.true_divide(left.values, right.values)
            of_right = left.sign if times else -left.sign if right.sign else 0
            left = _Part("number", values, combined(left.dimension, right.dimension, 1 if times else -1), False,
                         left.sign * right.sign, joined_ways(left.ways, right.sign, right.ways, of_right))

    def sign(self):
        if not self.take("-"):
            return self.atom()
        inner = self.sign()
        self.need_numbers(inner, inner, "negated")
        return inner._replace(values=-inner.values, sign=-inner.sign, ways=joined_ways(inner.ways, -1, (), 1))

    def atom(self):
        if self.at_end():
            self.fail("it ends too early")
        if self.take("("):
            inner = self.disjunction()
            if not self.take(")"):
                self.fail("a ')' is missing")
            return inner
        if self.text[self.at] in "\"'":
            return self.quoted()
        if number := _NUMBER.match(self.text, self.at):
            return self.number(number)
        if name := _NAME.match(self.text, self.at):
            self.at = name.end()
            return self.named(name[0])
        return self.fail(f"'{self.text[self.at:]}' is not understood here")

    def quoted(self):
        end = self.text.find(self.text[self.at], self.at + 1)
        if end < 0:
            self.fail("a quote is not closed")
        inside, self.at = self.text[self.at + 1 : end], end + 1
        return _Part("text", inside)

    def number(self, match):
        self.at = match.end()
        if comma := _DECIMALS.match(self.text, self.at):
            self.fail(f"{match[0]}{comma[0]} has a decimal comma (numbers are written with a point)."
                      f" Write {match[0]}.{comma[1]}?")
        unit, value = self.unit(), float(match[0])
        return _Part("number", np.float64(value * unit.in_si), unit.dimension, value == 0, 1)

    def unit(self):
        """The unit after a number, such as GiB, GB/s or 1/s; a plain number's where no word follows."""
        before = self.at
        word = "" if self.at_end() else self.unit_at(self.at)
        one = _RECIPROCAL.match(self.text, self.at)
        if one and self.is_unit(one[1]):
            word = one[0]
        if word in ("", "and", "or"):
            self.at = before
            return Unit()
        if not self.is_unit(word):
            self.fail(f"unknown unit '{word}' (known: s, Hz, J, W, B, bit, m2, FLOP with SI prefixes, KiB/MiB/GiB,"
                      " cycles, tokens)")
        start, self.at = self.at, self.at + len(word)
        while self.text[self.at : self.at + 1] == "/":
            word = self.unit_at(self.at + 1)
            if not word or not self.is_unit(word):
                break
            self.at += 1 + len(word)
        return parse_unit(self.text[start : self.at])

    def unit_at(self, place):
        found = [match[0] for one in (_WORD, _UNIT) if (match := one.match(self.text, place))]
        return max(found, key=len, default="")

    @staticmethod
    def is_unit(text):
        try:
            parse_unit(text)
            return True
        except ValueError:
            return False

    def named(self, name):
        if name in ("true", "false"):
            return _Part("truth", np.float64(name == "true"))
        if name not in self.names:
            return self.interval_end(name) or _Part("text", name)
        column = self.rows[name]
        missing = column.isna().to_numpy()
        if column.dtype == bool:
            return _Part("truth", column.to_numpy(float))
        if hasattr(column, "cat"):
            flag = set(column.cat.categories) <= {"true", "false"} and name in self.results.flags
            return _truth((column == "true").to_numpy(), missing) if flag else _Part("choice", (name, column))
        unit = parse_unit(self.results.units[name] or "1")
        in_its_unit = name in self.results.integers or name in self.results.metrics
        scale = unit.in_si if in_its_unit else 1.0
        ways = ((name, 1),) if name in self.results.metrics else ()
        return _Part("number", self.numbers_of(name, column) * scale, unit.dimension, False, 1 if ways else 0, ways)

    def numbers_of(self, _, column):
        return column.to_numpy(float)

    def interval_end(self, name):
        """METRIC.upper or METRIC.lower; unknown where nothing stands behind that end. None of any other name."""
        metric, _, end = name.rpartition(".")
        if end not in ("upper", "lower") or metric not in self.results.metrics:
            return None
        bounds = self.results.bounds.loc[self.rows.index]
        unit = parse_unit(self.results.units[metric] or "1")
        values = bounds[f"{metric}_{'high' if end == 'upper' else 'low'}"].to_numpy(float) * unit.in_si
        known = bounds[f"{metric}_kind"].map(lambda kinds: kinds.split("_")[-1 if end == "upper" else 0] != "none")
        known = known.to_numpy(object) == True  # noqa: E712 (missing is not known)
        return _Part("number", np.where(known & ~self.rows[metric].isna().to_numpy(), values, np.nan), unit.dimension)
