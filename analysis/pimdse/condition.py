"""Conditions on rows in the language of space files and `pimdse front --where` (docs/spaces.md, Conditions).

The program parses a condition and prints its tree (`pimdse condition`, dse/space/expression_bounds.hpp); this module
evaluates the tree for all rows with numpy. A missing value is unknown (Kleene's three-valued logic): truth values are
1, 0 or, if unknown, NaN, and a row meets a condition only if the condition is true."""
import json
import operator

import numpy as np
import pandas as pd

from . import program
from .errors import MISTAKE, ConditionError, Refused


class Condition:
    """A condition on parameters and metrics. Text that starts and ends with spaces is the same condition."""

    def __init__(self, text):
        self.text = text.strip()

    def mask(self, results, rows):
        """True for the rows (a part of results.table) that meet the condition. Raises ConditionError for a mistake in
        it, NotFound if the program that parses it is missing."""
        tree = parsed(results.path, self.text)["tree"]
        met = evaluated(tree, lambda leaf: column(results, rows, leaf))
        return np.broadcast_to(met == 1, len(rows)).copy()


def parsed(path, text, *flags):
    """The output of `pimdse condition` for the columns of a result file. Raises ConditionError and NotFound."""
    try:
        return json.loads(program.call(["condition", *flags, "--", path, text]))
    except Refused as error:
        if error.code == MISTAKE:
            raise ConditionError(str(error)) from None
        raise


def _known(compare):
    def compared(a, b):
        return np.where(pd.isna(a) | pd.isna(b), np.nan, compare(a, b))

    return compared


_OPERATORS = {
    "and": lambda a, b: np.where((a == 0) | (b == 0), 0.0, a * b),
    "or": lambda a, b: np.where((a == 1) | (b == 1), 1.0, np.maximum(a, b)),
    "not": lambda a: 1.0 - a,
    "-": lambda a, b=None: np.negative(a) if b is None else np.subtract(a, b),
    "+": np.add, "*": np.multiply, "/": np.true_divide,
    "<": _known(operator.lt), "<=": _known(operator.le), ">": _known(operator.gt), ">=": _known(operator.ge),
    "==": _known(operator.eq), "!=": _known(operator.ne),
}


def evaluated(tree, values_of):
    """The values of a tree: a number, or an array with a value per row. `values_of(leaf)` are those of a column."""
    if isinstance(tree, dict):
        return values_of(tree)
    if not isinstance(tree, list):
        return np.float64(tree) if isinstance(tree, (int, float)) else tree
    name, *operands = tree
    with np.errstate(all="ignore"):
        return _OPERATORS[name](*(evaluated(operand, values_of) for operand in operands))


def column(results, rows, leaf):
    """The values of a parameter or metric in SI, those of a flag as truth values, those of a choice as texts. A missing
    value is NaN."""
    name, scale = leaf.get("metric") or leaf["parameter"], leaf.get("scale", 1.0)
    if "end" in leaf:
        return _interval_end(results, rows, name, leaf["end"] == "upper") * scale
    if pd.api.types.is_numeric_dtype(rows[name]):
        return rows[name].to_numpy(float) * scale
    texts = rows[name].to_numpy(object)
    return np.where(pd.isna(texts), np.nan, texts == "true").astype(float) if name in results.flags else texts


def _interval_end(results, rows, metric, upper):
    """Bounds of a metric; NaN where the metric does not apply or the end has no bound (kind `none`)."""
    bounds = results.bounds.loc[rows.index]
    kinds = bounds[f"{metric}_kind"].astype(object).fillna("none").str.split("_").str[-1 if upper else 0]
    known = (kinds != "none") & rows[metric].notna()
    return np.where(known, bounds[f"{metric}_{'high' if upper else 'low'}"].to_numpy(float), np.nan)
