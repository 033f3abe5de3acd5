"""How much of a metric's variance each parameter explains, from the results in a file (Sobol indices).

All designs have the same weight. The first-order share of a parameter is the variance of the means over its values.
Its total share is the mean variance that remains if all other parameters are fixed, from pairs of designs that differ
only in this parameter. Both are exact if all designs are present. For a random sample they are estimates (the variance
between values is corrected for the part that is due to chance), with confidence intervals by a bootstrap over designs.

Where rules exclude some combinations of two parameters, the means over the values of one parameter contain effects of
the other one. The pairs do not. The first-order share cannot exceed the total share, so it is limited to it there."""
import itertools
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from .errors import NothingToDraw

FEWEST_PAIRS = 30


@dataclass
class Indices:
    """`table`: a row per parameter and metric with first, first_low, first_high, total, total_low, total_high (shares
    of the variance; NaN if there are too few pairs). `uneven`: parameters whose values are not combined equally often
    with those of another parameter, although all designs were evaluated."""

    table: pd.DataFrame
    exact: bool
    rows: int
    uneven: list = field(default_factory=list)


def sensitivity(results, rows, metrics, logarithm=False, resamples=200, seed=1):
    """Indices of these rows. They are exact if all designs of the space were evaluated."""
    if results.machines and rows["machine"].nunique() > 1:
        raise NothingToDraw(f"{results.path} has several machines, but the shares are those of one"
                            f" (select it with --where 'machine == {rows['machine'].iloc[0]}')")
    names = [name for name in results.parameters if rows[name].nunique() > 1]
    if not names:
        raise NothingToDraw(f"no parameter of {results.path} varies")
    asked = results.table[results.table.fidelity == rows.fidelity.iloc[0]]
    exact = len(asked) == results.points_in_space
    codes = np.column_stack([pd.factorize(rows[name], sort=True)[0] for name in names])
    pairs = [_pairs(codes, column) for column in range(len(names))]
    found = []
    for metric in metrics:
        values = rows[metric].to_numpy(float)
        if not np.isfinite(values).all():
            raise NothingToDraw(f"{metric} does not apply to all of these designs")
        values = _logarithms(metric, values) if logarithm else values
        found += _of_metric(names, codes, pairs, values, metric, exact, resamples, seed)
    table, uneven = pd.DataFrame(found), _uneven(names, codes) if exact else []
    for end in ("", "_low", "_high") if uneven else ():
        table[f"first{end}"] = table[[f"first{end}", f"total{end}"]].min(axis=1)
    return Indices(table, exact, len(rows), uneven)


def _uneven(names, codes):
    """The parameters whose values are not combined equally often with the values of another parameter."""
    found = set()
    for one, other in itertools.combinations(range(len(names)), 2):
        met = pd.crosstab(codes[:, one], codes[:, other]).to_numpy()
        even = np.outer(met.sum(axis=1), met.sum(axis=0)) / met.sum()
        if not np.allclose(met, even):
            found |= {one, other}
    return [names[place] for place in sorted(found)]


def _logarithms(metric, values):
    if (values <= 0).any():
        raise NothingToDraw(f"{metric} has values that are not above zero, so it has no logarithm")
    return np.log(values)


def _of_metric(names, codes, pairs, values, metric, exact, resamples, seed):
    ones = np.ones(len(values))
    if values.var() <= 1e-24 * max(values.mean() ** 2, 1e-300):
        raise NothingToDraw(f"{metric} is the same in all of these designs")
    weights = [] if exact else _bootstrap(len(values), resamples, seed)
    found = []
    for column, name in enumerate(names):
        group, own = codes[:, column], pairs[column]
        row = {"metric": metric, "parameter": name, "first": _first(group, values, ones, exact),
               "total": _total(group, own, values, ones)}
        for kind, share in (("first", lambda w: _first(group, values, w, exact)),
                            ("total", lambda w: _total(group, own, values, w))):
            again = [share(w) for w in weights] if np.isfinite(row[kind]) else []
            ends = np.nanpercentile(again, [2.5, 97.5]) if len(again) else (row[kind], row[kind])
            row[f"{kind}_low"], row[f"{kind}_high"] = ends
        found.append(row)
    return found


def _bootstrap(count, resamples, seed):
    """How often each design is drawn; one array per resample."""
    chance = np.random.default_rng(seed)
    return [np.bincount(chance.integers(0, count, count), minlength=count).astype(float) for _ in range(resamples)]


def _first(group, values, weights, exact):
    """Variance of the means over the values of a parameter, divided by the variance of all designs."""
    total = weights.sum()
    centred = values - (weights * values).sum() / total
    spread = (weights * centred**2).sum()
    per = np.bincount(group, weights)
    means = np.divide(np.bincount(group, weights * centred), per, out=np.zeros(len(per)), where=per > 0)
    between, levels = (per * means**2).sum(), (per > 0).sum()
    if not exact:
        between -= (levels - 1) * (spread - between) / max(total - levels, 1.0)
    return between / spread


def _pairs(codes, column):
    """Pairs of rows that differ only in this parameter: two lists of row numbers."""
    others = np.delete(codes, column, axis=1)
    group = np.unique(others, axis=0, return_inverse=True)[1].ravel() if others.shape[1] else np.zeros(len(codes), int)
    order = np.lexsort([codes[:, column], group])
    ordered, one, other = group[order], [], []
    for distance in range(1, int(codes[:, column].max()) + 1):
        same = np.flatnonzero(ordered[distance:] == ordered[:-distance])
        one.append(order[same])
        other.append(order[same + distance])
    return np.concatenate(one), np.concatenate(other)


def _total(group, pairs, values, weights):
    """Half the mean squared difference between two designs that agree in all other parameters, divided by the variance
    of all designs. The estimator draws the two values of the parameter independently, so that they may be equal, with
    difference zero; the factor 1 - 1/levels accounts for these pairs."""
    one, other = pairs
    both = weights[one] * weights[other]
    if len(one) < FEWEST_PAIRS or not both.sum():
        return np.nan
    mean = (weights * values).sum() / weights.sum()
    variance = (weights * (values - mean) ** 2).sum() / weights.sum()
    levels = len(np.unique(group))
    return 0.5 * (1 - 1 / levels) * (both * (values[one] - values[other]) ** 2).sum() / both.sum() / variance
