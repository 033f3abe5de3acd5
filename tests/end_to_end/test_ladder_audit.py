"""Ladders that come as near as asked, and that look again at what they closed."""
import json
import re

import h5py
import numpy as np
import pytest

from conftest import holds
from ladder_bench import FEW_BOXES, LADDER, SPACES, forge, front_of, space


def values_by_id(path):
    """Of feasible points at cycle level, objectives as columns; less is better in all of them here."""
    with h5py.File(path) as file:
        rows = (file["fidelity"][()] == 2) & (file["status"][()] == 0)
        names = file["front"].attrs["objectives"]
        return file["point_id"][()][rows], np.array([file["metrics"][str(n)][()][rows] for n in names]).T


@pytest.mark.parametrize("name", ["upmem", "dplena"])
def test_an_epsilon_costs_less_and_comes_as_near_to_every_point(pimdse, explored_once, name):
    epsilon = 0.2
    file = space(pimdse, name)
    exact = json.loads(pimdse.ok("explore", file, "-o", "exact.h5", *LADDER))["certificate"]
    near = json.loads(pimdse.ok("explore", file, "-o", "ladder.h5", "--epsilon", epsilon, *LADDER))["certificate"]
    assert near["open"] == exact["epsilon"] == 0 and near["epsilon"] == epsilon
    assert near["cycle_level"] < exact["cycle_level"]
    explored_once(pimdse, SPACES[name], "sweep.h5", "--fidelity", "cycle")
    ids, values = values_by_id(pimdse.folder / "ladder.h5")
    with h5py.File(pimdse.folder / "ladder.h5") as ladder:
        front = values[np.isin(ids, ladder["front/ids"][()])]
    for point in values_by_id(pimdse.folder / "sweep.h5")[1]:
        assert (front <= point * (1 + epsilon)).all(axis=1).any()
    assert holds(pimdse, "ladder.h5")["all_rows"]
    narrower = forge(pimdse, lambda certificate: certificate.attrs.__setitem__("epsilon", np.array([0.001])))
    assert pimdse("verify", narrower).returncode == 8


def test_an_audit_answers_closed_points_and_says_what_lower_bounds_would_have_cost(pimdse):
    file = space(pimdse, "upmem")
    exact = json.loads(pimdse.ok("explore", file, "-o", "exact.h5", *LADDER))["certificate"]
    text = pimdse.ok("explore", file, "-o", "ladder.h5", "--strategy", "ladder", "--audit", 25, "--progress", "none")
    assert re.search(r"\b0 of 25 .*\b95 %.*\b12 %", text) and "1, 2, 5, 10 %" in text, text
    assert front_of(pimdse.folder / "ladder.h5") == front_of(pimdse.folder / "exact.h5")
    with h5py.File(pimdse.folder / "ladder.h5") as ladder:
        certificate = ladder["certificate"]
        assert certificate.attrs["audited"] == 25 and certificate.attrs["audited_wrong"] == 0
        extra = 25 + int(certificate.attrs["audited_twins"])
        assert exact["cycle_level"] < certificate.attrs["runs"] <= exact["cycle_level"] + extra
        assert list(certificate["lower/share"][()]) == [0.01, 0.02, 0.05, 0.1]
        assert list(certificate["lower/runs"][()]) == sorted(certificate["lower/runs"][()])
    assert holds(pimdse, "ladder.h5")["all_rows"]


def test_an_audit_of_boxes_takes_points_out_of_them(pimdse):
    (pimdse.folder / "boxed.toml").write_text(FEW_BOXES % "[search]\nstrategy = 'ladder'\naudit = 40\n")
    text = pimdse.ok("explore", "boxed.toml", "-o", "ladder.h5", "--progress", "none")
    assert re.search(r"\b0 of 40 ", text) and "1, 2, 5, 10 %" not in text, text
    assert holds(pimdse, "ladder.h5")["all_rows"]
