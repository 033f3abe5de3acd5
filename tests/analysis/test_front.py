import random

import numpy as np
import pytest
from pimdse_results import is_on_front


def reference(values, better):
    costs = [[-v if way == "maximize" else v for v, way in zip(row, better)] for row in values]
    valid = [not any(np.isnan(row)) for row in costs]

    def beats(a, b):
        return all(x <= y for x, y in zip(costs[a], costs[b])) and (costs[a] != costs[b] or a < b)

    rows = range(len(costs))
    return [valid[b] and not any(a != b and valid[a] and beats(a, b) for a in rows) for b in rows]


@pytest.mark.parametrize("dimensions", [1, 2, 3, 5])
@pytest.mark.parametrize("levels", [2, 5, 1000])
def test_front_is_what_nobody_dominates(dimensions, levels):
    source = random.Random(dimensions * 1000 + levels)
    for _ in range(20):
        values = [
            [float(source.randrange(levels)) if source.random() > 0.02 else float("nan") for _ in range(dimensions)]
            for _ in range(60)
        ]
        better = [source.choice(["minimize", "maximize"]) for _ in range(dimensions)]
        assert is_on_front(values, better).tolist() == reference(values, better)


def test_infinite_values_may_be_on_the_front():
    assert is_on_front([[1.0, np.inf], [2.0, np.inf]], ["minimize", "minimize"]).tolist() == [True, False]
    assert is_on_front([[1.0, -np.inf], [0.0, 5.0]], ["minimize", "minimize"]).tolist() == [True, True]


def test_nothing_has_no_front():
    assert is_on_front(np.empty((0, 2)), ["minimize", "minimize"]).tolist() == []
