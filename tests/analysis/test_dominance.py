import random

import numpy as np
import pytest
from pimdse import hypervolume, is_on_front


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


@pytest.mark.parametrize("dimensions", [1, 2, 3, 4])
def test_hypervolume_is_the_share_of_a_grid_that_is_dominated(dimensions):
    source = random.Random(dimensions)
    cells = {1: 64, 2: 32, 3: 16, 4: 8}[dimensions]
    for count in (1, 2, 7, 25):
        better = [source.choice(["minimize", "maximize"]) for _ in range(dimensions)]
        values = np.array([[source.randrange(cells + 1) for _ in range(dimensions)] for _ in range(count)], float)
        least = np.array([way == "minimize" for way in better])
        ideal, reference = np.where(least, 0, cells), np.where(least, cells, 0)
        costs = np.where(least, values, cells - values)
        corners = np.indices([cells] * dimensions).reshape(dimensions, -1).T
        counted = (costs[:, None, :] <= corners[None, :, :]).all(axis=2).any(axis=0).mean()
        assert hypervolume(values, better, ideal, reference) == pytest.approx(counted, abs=1e-12)


def test_hypervolume_of_nothing_is_zero():
    assert hypervolume(np.empty((0, 2)), ["minimize", "minimize"], [0, 0], [1, 1]) == 0.0
    assert hypervolume([[np.nan, 0.0]], ["minimize", "minimize"], [0, 0], [1, 1]) == 0.0
