"""Ladders over shipped architectures: the front of the exhaustive sweep, a certificate that holds, and one sentence
where a space does not suit."""
import json
import re

import h5py
import numpy as np
import pytest

from conftest import holds, in_campaign, one_of, refused
from ladder_bench import FEW_BOXES, LADDER, LISTED, SPACES, forge, front_of, space


@pytest.mark.parametrize("name", SPACES)
def test_front_is_that_of_the_exhaustive_sweep(pimdse, explored_once, name):
    file = space(pimdse, name)
    certificate = json.loads(pimdse.ok("explore", file, "-o", "ladder.h5", *LADDER))["certificate"]
    explored_once(pimdse, SPACES[name], "sweep.h5", "--fidelity", "cycle")
    assert front_of(pimdse.folder / "ladder.h5") == front_of(pimdse.folder / "sweep.h5")
    assert certificate["open"] == certificate["epsilon"] == 0
    sums = [certificate[part] for part in ("cycle_level", "closed", "twins", "infeasible", "open")]
    assert sum(sums) == certificate["points"]
    assert holds(pimdse, "ladder.h5")["all_rows"]


@pytest.mark.parametrize("name", one_of(3, SPACES))
def test_the_progress_line_ends_with_the_figures_of_the_certificate(pimdse, name):
    done = pimdse("explore", space(pimdse, name), "-o", "a.h5", *LADDER[:4], "--progress", "bar")
    closed = json.loads(done.stdout)["certificate"]["closed"]
    assert re.findall(r"[\d.]+", done.stderr.rsplit(";", 1)[1]) == [str(closed), "0", "0", "0.00"], done.stderr


@pytest.mark.parametrize("speed, condition", [
    ("latency", ""), in_campaign("tokens_per_second", ""), ("tokens_per_second", "tokens_per_second >= 1000 Hz")])
def test_boxes_have_the_front_of_the_sweep_of_all_points(pimdse, speed, condition):
    """Under serial collectives the analytic level of cim_mesh is exact, so its sweep says what the front is."""
    conditions = f'[[constraint]]\nname = "pace"\nexpr = "{condition}"\n' if condition else ""
    (pimdse.folder / "boxed.toml").write_text(FEW_BOXES.replace("latency", speed) % conditions)
    summary = json.loads(pimdse.ok("explore", "boxed.toml", "-o", "ladder.h5", *LADDER))
    certificate = summary["certificate"]
    assert certificate["open"] == certificate["epsilon"] == 0
    assert certificate["points"] > LISTED and summary["points"] < 1000, "coarse answers are not kept"
    sums = [certificate[part] for part in ("cycle_level", "closed", "twins", "infeasible", "open")]
    assert sum(sums) == certificate["points"] and (certificate["infeasible"] > 10_000) == bool(condition)
    pimdse.ok("explore", "boxed.toml", "-o", "sweep.h5", "--keep", "front", "--progress", "none")
    with h5py.File(pimdse.folder / "sweep.h5") as sweep, h5py.File(pimdse.folder / "ladder.h5") as ladder:
        assert list(sweep["front/ids"][()]) == list(ladder["front/ids"][()])
        assert len(ladder["certificate/closed/point"]) < certificate["closed"] / 50, "boxes, not points"
    assert holds(pimdse, "ladder.h5")["all_rows"]


def longer_box(certificate):
    extents = certificate["closed/extents"]
    extents[int(np.argmax(extents[()] > 1))] -= 1


def better_box(certificate):
    name = list(certificate["closed/best"])[0]
    certificate["closed/best"][name][0] *= 2


def wrong_witness(certificate):
    certificate["closed/witness"][0] = certificate["closed/point"][0]


def better_than_stated(certificate):
    name = list(certificate["closed/best"])[0]
    certificate["closed/best"][name][0] *= 2


def twice(certificate):
    certificate["closed/point"][1] = certificate["closed/point"][0]


def forgotten_infeasible(certificate):
    certificate.attrs["infeasible"] = certificate.attrs["infeasible"] + np.uint64(1)


@pytest.mark.parametrize("change", [wrong_witness, better_than_stated, twice, forgotten_infeasible])
def test_a_forged_certificate_is_noticed(pimdse, explored_once, change):
    explored_once(pimdse, SPACES["upmem"], "ladder.h5", "--strategy", "ladder")
    with h5py.File(pimdse.folder / "ladder.h5") as file:
        assert len(file["certificate/closed/point"]) > 1
    name = forge(pimdse, change)
    done = pimdse("verify", name, "--format", "json")
    said = json.loads(done.stdout)
    assert done.returncode == 8 and not said["holds"] and "certificate" in " ".join(said["problems"]), said


@pytest.mark.parametrize("change", [longer_box, better_box, wrong_witness])
def test_forged_boxes_are_noticed(pimdse, change):
    (pimdse.folder / "boxed.toml").write_text(FEW_BOXES % '[search]\nbudget = 20\n')
    pimdse("explore", "boxed.toml", "-o", "ladder.h5", *LADDER)
    assert holds(pimdse, "ladder.h5")
    done = pimdse("verify", forge(pimdse, change), "--format", "json")
    assert done.returncode == 8 and "certificate" in " ".join(json.loads(done.stdout)["problems"]), done.stdout


def test_the_strategy_that_a_file_leaves_open_is_given_by_a_flag(pimdse):
    """What does not suit a ladder is in message_cases_of_*.py."""
    (pimdse.folder / "open.toml").write_text(SPACES["upmem"] + "[search]\nepsilon = 0.05\n")
    assert json.loads(pimdse.ok("explore", "open.toml", "-o", "a.h5", *LADDER))["certificate"]["epsilon"] == 0.05
    refused(pimdse("explore", "open.toml", "-o", "b.h5", "--strategy", "sweep"), 3, "epsilon", "'ladder'")


def test_a_merge_of_one_file_keeps_its_certificate(pimdse, explored_once):
    explored_once(pimdse, SPACES["upmem"], "ladder.h5", "--strategy", "ladder")
    pimdse.ok("merge", "ladder.h5", "-o", "alone.h5")
    assert holds(pimdse, "alone.h5")["all_rows"]


def test_a_merge_of_several_files_has_no_certificate_and_names_the_flag_to_get_one(pimdse):
    file = space(pimdse, "upmem")
    whole = json.loads(pimdse.ok("explore", file, "-o", "ladder.h5", *LADDER))
    pimdse("explore", file, "-o", "part.h5", *LADDER, "--budget", 3)
    pimdse.ok("explore", file, "-o", "sweep.h5", "--progress", "none")
    done = pimdse("merge", "part.h5", "sweep.h5", "-o", "both.h5")
    refused(done, 0, "part.h5", "--resume")  # a note
    with h5py.File(pimdse.folder / "both.h5") as both:
        assert "certificate" not in both
    again = json.loads(pimdse.ok("explore", file, "-o", "both.h5", *LADDER, "--resume"))
    assert again["certificate"] == whole["certificate"] and again["remembered"] > 3
    assert holds(pimdse, "both.h5")["all_rows"]
    (pimdse.folder / "copy.h5").write_bytes((pimdse.folder / "sweep.h5").read_bytes())
    plain = pimdse("merge", "sweep.h5", "copy.h5", "-o", "plain.h5")
    assert plain.returncode == 0 and plain.stderr == ""
