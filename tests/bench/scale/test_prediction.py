"""What the scale model predicts and what real ranks do are near each other."""
import os
from pathlib import Path

import pytest

from compare import compared, measured

FOLDER = Path(os.environ["PIMDSE_BUILD"])


def quiet():
    """Whether times mean something here: processes that wait for a core delay every message, and the model knows of
    none."""
    return os.getloadavg()[0] < 1.5 * len(os.sched_getaffinity(0))


@pytest.mark.parametrize("ranks", [2, 6])
@pytest.mark.parametrize("cheapest,spread", [(5e-3, 1), (0.1e-3, 1000)])
def test_real_ranks_do_what_the_model_predicts(ranks, cheapest, spread):
    differences = []
    for _ in range(3):   # one run that nobody disturbed is enough
        real, model = compared(FOLDER, ranks, 2.0, cheapest, spread, os.environ.get("MPIEXEC", "mpirun"))
        assert real["told"] == real["points"] == model["points"]
        assert 0 < real["efficiency"] <= 1.001 and 0 < model["efficiency"] <= 1
        assert (
            0.4 < real["chunks"] / model["chunks"] < 2.5
        ), "work is cut into pieces as predicted, however loaded the machine is"
        differences.append(abs(real["efficiency"] - model["efficiency"]))
        if differences[-1] < 0.15:
            return
    if quiet():
        pytest.fail(f"off by {differences}: {real} {model}")


def test_every_thread_of_a_rank_has_a_long_point_to_work_on():
    """Two chunks per rank, each a single long point, would keep two threads of eight busy."""
    real = measured(FOLDER, 2, 160, 0.1, 1, os.environ.get("MPIEXEC", "mpirun"), threads=8)
    assert real["told"] == 160
    assert real["efficiency"] > 0.4
