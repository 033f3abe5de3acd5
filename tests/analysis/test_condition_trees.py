"""Conditions made at random, against the same evaluated row by row."""
import operator
import random
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from pimdse import Condition, ConditionError

COMPARE = {"<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt}


def some_results(rows=40, seed=5):
    source = np.random.default_rng(seed)
    table = pd.DataFrame({
        "size": source.integers(1, 9, rows) * 64,
        "clock": source.integers(1, 5, rows) * 1e9,
        "gated": source.random(rows) < 0.5,
        "mode": pd.Categorical(source.choice(["slow", "fast", "a-b"], rows)),
        "switch": pd.Categorical(np.where(source.random(rows) < 0.5, "true", "false")),
        "latency": source.integers(1, 9, rows) * 1e-3,
        "precision": source.integers(1, 5, rows) * 4.0,
        "busy": source.random(rows),
    })
    table.loc[source.random(rows) < 0.2, ["latency", "precision"]] = np.nan
    return SimpleNamespace(
        table=table, parameters=["size", "clock", "gated", "mode", "switch"], metrics=["latency", "precision", "busy"],
        choices={"mode": ["slow", "fast", "a-b", "never"]}, flags={"gated", "switch"}, integers={"size"},
        units={"size": "KiB", "clock": "Hz", "gated": "", "mode": "", "switch": "", "latency": "s", "precision": "bit",
               "busy": "1"})


class Maker:
    """Texts of conditions, and functions of a row that say whether it meets them: True, False, or None where that is
    unknown because a value is missing."""

    def __init__(self, seed):
        self.source = random.Random(seed)

    def truth(self, deep):
        kind = self.source.randrange(7 if deep else 3)
        if kind == 0:
            name = self.source.choice(["gated", "switch"])
            return name, lambda row: row[name] in (True, "true")
        if kind == 1:
            return self.choice()
        if kind == 2:
            return self.comparison(deep)
        if kind == 3:
            text, inner = self.truth(deep - 1)
            return f"not ({text})", lambda row: None if inner(row) is None else not inner(row)
        word, decides = self.source.choice([("and", False), ("or", True)])
        (left, a), (right, b) = self.truth(deep - 1), self.truth(deep - 1)
        return f"({left}) {word} ({right})", lambda row: self.joined({a(row), b(row)}, decides)

    @staticmethod
    def joined(truths, decides):
        return decides if decides in truths else None if None in truths else not decides

    def choice(self):
        wanted, symbol = self.source.choice(["slow", "fast", "a-b", "never"]), self.source.choice(["==", "=", "!="])
        text = f"'{wanted}'" if "-" in wanted or self.source.random() < 0.5 else wanted
        sides = ["mode", text] if self.source.random() < 0.5 else [text, "mode"]
        return f"{sides[0]} {symbol} {sides[1]}", lambda row: (
            (row["mode"] == wanted) == (symbol != "!="))

    def comparison(self, deep):
        dimension = self.source.choice(["data", "time", "rate", "plain"])
        (left, a), (right, b) = self.number(dimension, deep), self.number(dimension, deep)
        symbol = self.source.choice(["<=", ">=", "<", ">"])
        def compared(row):
            values = a(row), b(row)
            return None if any(np.isnan(values)) else bool(COMPARE[symbol](*values))

        return f"{left}{symbol}{right}", compared

    def number(self, dimension, deep):
        if deep and self.source.random() < 0.5:
            (left, a), (right, b) = self.number(dimension, deep - 1), self.number("plain", deep - 1)
            if self.source.random() < 0.5:
                return f"({left} * {right})", lambda row: a(row) * b(row)
            right, b = self.number(dimension, deep - 1)
            return f"({left} - -{right})", lambda row: a(row) + b(row)
        return self.source.choice(self.leaves(dimension))

    def leaves(self, dimension):
        many = self.source.randint(1, 9)
        written = {"data": [("64 KiB", 65536), ("8 bit", 1), ("0.5MB", 5e5)], "time": [("2 ms", 2e-3), ("5µs", 5e-6)],
                   "rate": [("1.5 GHz", 1.5e9), (".5e3 MHz", 5e8)], "plain": [("50 %", 0.5), (f"{many}", many)]}
        named = {"data": [("size", 1024), ("precision", 0.125)], "time": [("latency", 1)], "rate": [("clock", 1)],
                 "plain": [("busy", 1), ("(8 tokens)", None)]}
        leaves = [(text, lambda row, number=number: number) for text, number in written[dimension]]
        for name, scale in named[dimension]:
            if scale is None:
                leaves.append((name, lambda row: 8.0))
            else:
                leaves.append((name, lambda row, name=name, scale=scale: scale * row[name]))
        return leaves


@pytest.mark.parametrize("seed", range(40))
def test_a_condition_is_that_of_every_row(seed):
    results, maker = some_results(), Maker(seed)
    for _ in range(10):
        text, meets = maker.truth(3)
        with np.errstate(all="ignore"):
            met = Condition(text).mask(results, results.table)
        for index, row in results.table.iterrows():
            assert met[index] == (meets(row) is True), f"{text} at {row.to_dict()}"


@pytest.mark.parametrize("text, same", [
    ("not gated and switch", "(not gated) and switch"),
    ("gated or switch and busy > 0.5", "gated or (switch and busy > 0.5)"),
    ("busy - 0.25 - 0.25 > 0", "(busy - 0.25) - 0.25 > 0"),
    ("busy / 2 / 2 > 0.1", "(busy / 2) / 2 > 0.1"),
    ("-busy * 2 + 1 > 0", "((-busy) * 2) + 1 > 0"),
    ("not not gated", "gated"),
    ("latency<=4ms", "latency   <= 4 ms"),
    ("latency > 5 µs", "latency > 5 us"),
    ("size / 1 B > 1e5", "size > 1e5 B"),
    ("precision >= 8 bit", "precision >= 1 B"),
])
def test_conditions_that_mean_the_same(text, same):
    results = some_results(200)
    one, other = (Condition(each).mask(results, results.table) for each in (text, same))
    assert (one == other).all() and 0 < one.sum() < len(one)


@pytest.mark.parametrize("text, sentence", [
    ("-gated", "only numbers are negated"),
    ("-mode == fast", "only numbers are negated"),
    ("gated - gated", "only numbers are subtracted"),
    ("gated + gated", "only numbers are added"),
    ("mode + 1 > 0", "only numbers are added"),
    ("mode * 2 > 0", "only numbers are multiplied"),
    ("gated * 2 > 0", "only numbers are multiplied"),
    ("size > 3 mm^2", "data and area cannot be compared"),
    ("busy > 1 2", "is not understood here"),
    ("busy > ²", "is not understood here"),
    ("mode == slow == fast", "is not understood here"),
    ("(" * 3 + "gated" + ")" * 2, r"a '\)' is missing"),
    ("busy > 0.5 and", "it ends too early"),
    ("mode == slwo", "Did you mean 'slow'"),
])
def test_a_mistake_is_a_sentence_and_no_accident(text, sentence):
    results = some_results()
    with pytest.raises(ConditionError, match=sentence):
        Condition(text).mask(results, results.table)


def test_what_is_typed_at_random_is_a_mask_or_a_sentence():
    results, source = some_results(), random.Random(9)
    words = ["size", "gated", "mode", "latency", "slow", "'fast'", "3", "2 ms", "(", ")", "+", "-", "*", "/", "<", "==",
             "and", "or", "not", "true", "B", "%", "µs", "^", "@", "0", '"']
    for _ in range(3000):
        text = " ".join(source.choice(words) for _ in range(source.randint(1, 9)))
        try:
            met = Condition(text).mask(results, results.table)
        except ConditionError as error:
            assert "\n" not in str(error)
        else:
            assert met.shape == (len(results.table),) and met.dtype == bool
