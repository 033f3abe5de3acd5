"""Shares of variance against functions whose shares are known."""
import itertools
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from pimdse import NothingToDraw
from pimdse.sensitivity import sensitivity

LEVELS = [1.0, 2.0, 4.0, 7.0]


def asked(rows, points=None):
    """Results with these rows."""
    names = [name for name in rows if len(name) == 1]
    table = rows.assign(fidelity="analytic", status="ok")
    return SimpleNamespace(path="run.h5", table=table, parameters=names, machines=[],
                           points_in_space=len(rows) if points is None else points)


def grid(value_of):
    rows = pd.DataFrame(itertools.product(LEVELS, LEVELS, ["p", "q", "r"]), columns=list("abc"))
    return rows.assign(cost=[value_of(*row) for row in rows.itertuples(index=False)])


def shares(rows, **options):
    results = asked(rows, options.pop("points", None))
    found = sensitivity(results, results.table, ["cost"], **options)
    return found, found.table.set_index("parameter")


def brute_force(rows, name):
    """First-order and total share by their definitions."""
    others = [other for other in "abc" if other != name]
    variance = rows.cost.var(ddof=0)
    first = rows.groupby(name).cost.mean().var(ddof=0) / variance
    return first, rows.groupby(others).cost.var(ddof=0).mean() / variance


def test_a_full_grid_has_the_shares_of_the_definition():
    rows = grid(lambda a, b, c: a * b + {"p": 0, "q": 3, "r": 5}[c])
    found, table = shares(rows)
    assert found.exact
    for name in "abc":
        first, total = brute_force(rows, name)
        assert table.loc[name, "first"] == pytest.approx(first, rel=1e-9)
        assert table.loc[name, "total"] == pytest.approx(total, rel=1e-9)
        assert table.loc[name, "first_low"] == table.loc[name, "first"] == table.loc[name, "first_high"]
    assert table["first"].sum() < 1 < table["total"].sum()


def test_a_sum_has_no_interactions():
    _, table = shares(grid(lambda a, b, c: 3 * a + b))
    assert table["first"].sum() == pytest.approx(1) and (table["first"] - table["total"]).abs().max() < 1e-9
    assert table.loc["c", "first"] == pytest.approx(0, abs=1e-12)
    assert table.loc["a", "first"] == pytest.approx(0.9)


def test_a_product_is_a_sum_of_logarithms():
    _, table = shares(grid(lambda a, b, c: a * b**2), logarithm=True)
    assert table["first"].sum() == pytest.approx(1) and table.loc["b", "first"] == pytest.approx(0.8)


def test_intervals_of_a_sample_hold_the_true_shares():
    names = list("abcd")
    whole = pd.DataFrame(itertools.product(LEVELS, LEVELS, LEVELS, LEVELS, range(8)), columns=[*names, "e"])
    whole = whole.assign(cost=whole.a * whole.b + 2 * whole.c + 0.5 * whole.d)
    _, truth = shares(whole)
    misses = 0
    for seed in range(10):
        found, table = shares(whole.sample(700, random_state=seed), points=len(whole), seed=seed)
        assert not found.exact
        for name in [*names, "e"]:
            for kind in ("first", "total"):
                low, high = table.loc[name, f"{kind}_low"], table.loc[name, f"{kind}_high"]
                misses += not low - 0.01 <= truth.loc[name, kind] <= high + 0.01
    assert misses <= 15, "of a hundred intervals of 95 %"


def test_a_share_of_too_few_pairs_is_left_out():
    rows = grid(lambda a, b, c: a + b).sample(12, random_state=3)
    _, table = shares(rows, points=48)
    assert table["total"].isna().any() and table["first"].notna().all()


@pytest.mark.parametrize(
    "rows, named",
    [
        (grid(lambda a, b, c: 7.0), "cost"),
        (grid(lambda a, b, c: np.nan if c == "p" else a), "cost"),
        (grid(lambda a, b, c: 1.0).head(1), "run.h5"),
    ],
)
def test_what_has_no_shares_is_refused_by_name(rows, named):
    with pytest.raises(NothingToDraw, match=named):
        shares(rows)


def test_rules_that_leave_out_combinations_give_no_parameter_what_another_decides():
    rows = grid(lambda a, b, c: 10.0 * b)  # a decides nothing
    kept = rows[(rows.b > 1.0) | (rows.a < 3.0)]  # but is small more often where b is
    results = asked(rows)
    table = results.table
    results.table = table.assign(status=np.where(table.index.isin(kept.index), "ok", "infeasible"))
    found = sensitivity(results, results.table[results.table.status == "ok"], ["cost"])
    assert found.uneven == ["a", "b"]
    of = found.table.set_index("parameter")
    assert of.loc["a", "first"] == of.loc["a", "total"] == 0.0
    assert of.loc["b", "first"] > 0.7 and (of["first"] <= of["total"]).all()
    # Whole grids have no such thing.
    assert shares(rows)[0].uneven == []
