"""Which rows nobody dominates."""
import numpy as np


def is_on_front(values, better):
    """True for the rows of `values` (one column per objective) that no other row dominates; of equal rows, the first.

    `better` says "minimize" or "maximize" per column. A row with a NaN is never on the front.
    """
    costs = np.array(values, dtype=float, copy=True).reshape(-1, len(better))
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
