"""Pareto fronts and hypervolume."""
import numpy as np

from .errors import Refused
from .names import check_senses


def is_on_front(values, better):
    """True for the rows of `values` (one column per objective) that no other row dominates; of equal rows, the first.

    `better` has "minimize" or "maximize" for each column. A row with a NaN is never on the front.
    Raises Refused if a sense is misspelt or the number of senses differs from the number of columns.
    """
    costs = _columns(values, better).copy()
    for column, sense in enumerate(better):
        if sense == "maximize":
            costs[:, column] *= -1
    kept = np.zeros(len(costs), dtype=bool)
    candidates = np.flatnonzero(~np.isnan(costs).any(axis=1))
    # In lexicographic order only an earlier row can dominate a later one; the stable sort keeps the first of equals.
    candidates = candidates[np.lexsort(costs[candidates].T[::-1])]
    if len(better) == 2:
        best = np.inf
        for row in candidates:
            # The first candidate is kept even if its second value is infinite.
            if costs[row, 1] < best or not kept.any():
                kept[row] = True
                best = costs[row, 1]
        return kept
    front = np.empty((0, len(better)))
    for row in candidates:
        if not (front <= costs[row]).all(axis=1).any():
            kept[row] = True
            front = np.vstack([front, costs[row]])
    return kept


def _columns(values, better):
    """An array with a column per sense."""
    check_senses(better, Refused)
    values = np.asarray(values, dtype=float)
    given = values.shape[-1] if values.ndim > 1 or len(better) > 1 else 1
    if values.size and given != len(better):
        raise Refused(f"values has {given} columns, but better has {len(better)} senses"
                      " (one per column is required)")
    return values.reshape(-1, len(better))


def hypervolume(values, better, ideal, reference):
    """The share of the box from `ideal` to `reference` that the rows of `values` dominate, as in /front/history."""
    values = _columns(values, better)
    ideal, reference = np.asarray(ideal, dtype=float), np.asarray(reference, dtype=float)
    if not ideal.shape == reference.shape == (len(better),):
        raise Refused(f"ideal and reference must have {len(better)} values, one per objective")
    extent = np.where(reference == ideal, 1.0, reference - ideal)
    costs = (values - ideal) / extent
    costs = costs[~np.isnan(costs).any(axis=1)].clip(0.0, None)
    return _volume(costs[(costs < 1.0).all(axis=1)])


def _volume(costs):
    """The share of the unit box that `costs` dominate, slice by slice along the last column."""
    if not len(costs):
        return 0.0
    if costs.shape[1] == 1:
        return 1.0 - costs.min()
    if costs.shape[1] == 2:
        costs = costs[np.lexsort(costs.T[::-1])]
        lowest = np.minimum.accumulate(np.concatenate([[1.0], costs[:, 1]]))
        return float(((1.0 - costs[:, 0]) * -np.diff(lowest)).sum())
    costs = costs[np.argsort(costs[:, -1], kind="stable")]
    edges = np.append(costs[:, -1], 1.0)
    total, inside = 0.0, np.empty((0, costs.shape[1] - 1))
    for row, depth in zip(costs[:, :-1], np.diff(edges)):
        if not (inside <= row).all(axis=1).any():
            inside = np.vstack([inside[~(inside >= row).all(axis=1)], row])
        if depth > 0:
            total += depth * _volume(inside)
    return total
