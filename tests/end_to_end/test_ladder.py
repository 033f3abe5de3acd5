"""Ladders over shipped architectures: the front of the exhaustive sweep, a certificate that an independent program
checks, and one sentence where a space does not suit."""
import json

import h5py
import numpy as np
import pytest

from conftest import ROOT
from ladder_bench import BOXED, LADDER, SPACES, checked, forge, front_of, space


@pytest.mark.parametrize("name", SPACES)
def test_front_is_that_of_the_exhaustive_sweep(pimdse, name):
    file = space(pimdse, name)
    summary = json.loads(pimdse.ok("explore", file, "-o", "ladder.h5", *LADDER))
    pimdse.ok("explore", file, "-o", "sweep.h5", "--fidelity", "cycle", "--progress", "none")
    assert front_of(pimdse.folder / "ladder.h5") == front_of(pimdse.folder / "sweep.h5")
    certificate = summary["certificate"]
    assert certificate["open"] == 0 and certificate["statement"].startswith("front exact")
    sums = [certificate[part] for part in ("cycle_level", "closed", "twins", "infeasible", "open")]
    assert sum(sums) == certificate["points"]
    assert "the certificate holds" in pimdse.ok("verify", "ladder.h5")
    done = checked(pimdse, "ladder.h5")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", SPACES)
def test_the_progress_line_says_where_the_search_stands(pimdse, name):
    done = pimdse("explore", space(pimdse, name), "-o", "a.h5", *LADDER[:4], "--progress", "bar")
    closed = json.loads(done.stdout)["certificate"]["closed"]
    assert done.stderr.rstrip().endswith(f"; closed {closed}, flying 0, open 0, gap 0.00 %"), done.stderr


@pytest.mark.parametrize("speed, condition", [
    ("latency", ""), ("tokens_per_second", ""), ("tokens_per_second", "tokens_per_second >= 1000 Hz")])
def test_boxes_have_the_front_of_the_sweep_of_all_points(pimdse, speed, condition):
    """Under serial collectives the analytic level of cim_mesh is exact, so its sweep says what the front is."""
    conditions = f'[[constraint]]\nname = "pace"\nexpr = "{condition}"\n' if condition else ""
    (pimdse.folder / "boxed.toml").write_text(BOXED.replace("latency", speed) % conditions)
    summary = json.loads(pimdse.ok("explore", "boxed.toml", "-o", "ladder.h5", *LADDER))
    certificate = summary["certificate"]
    assert certificate["statement"] == "front exact (proved lows)"
    assert certificate["points"] > 400_000 and summary["points"] < 1000, "coarse answers are not kept"
    sums = [certificate[part] for part in ("cycle_level", "closed", "twins", "infeasible", "open")]
    assert sum(sums) == certificate["points"] and (certificate["infeasible"] > 10_000) == bool(condition)
    pimdse.ok("explore", "boxed.toml", "-o", "sweep.h5", "--keep", "front", "--progress", "none")
    with h5py.File(pimdse.folder / "sweep.h5") as sweep, h5py.File(pimdse.folder / "ladder.h5") as ladder:
        assert list(sweep["front/ids"][()]) == list(ladder["front/ids"][()])
        assert len(ladder["certificate/closed/point_id"]) < certificate["closed"] / 50, "boxes, not points"
    assert "the certificate holds" in pimdse.ok("verify", "ladder.h5")
    done = checked(pimdse, "ladder.h5")
    assert done.returncode == 0, done.stderr


def longer_box(certificate):
    extents = certificate["closed/extents"]
    extents[int(np.argmax(extents[()] > 1))] -= 1


def better_box(certificate):
    name = list(certificate["closed/best"])[0]
    certificate["closed/best"][name][0] *= 2


def test_boxes_of_what_has_no_direction_are_refused(pimdse):
    many = 'from = 1, to = 4096 }\n'
    text = BOXED.replace("lora_rank = [4, 8, 16]", 'mesh_rows = { from = 8, to = 64 }\nparallel_columns = { ' + many)
    text = text.replace("mesh_cols = [24, 32]", "mesh_cols = { from = 8, to = 72 }")
    (pimdse.folder / "boxed.toml").write_text(text % "")
    done = pimdse("explore", "boxed.toml", "-o", "ladder.h5", *LADDER)
    assert done.returncode == 3 and done.stderr.count("\n") == 1, done.stderr
    assert "no direction is declared along" in done.stderr and "parallel_columns" in done.stderr


def wrong_witness(certificate):
    certificate["closed/witness"][0] = certificate["closed/point_id"][0]


def better_than_stated(certificate):
    name = list(certificate["closed/best"])[0]
    certificate["closed/best"][name][0] *= 2


def twice(certificate):
    certificate["closed/point_id"][1] = certificate["closed/point_id"][0]


def forgotten_infeasible(certificate):
    certificate.attrs["infeasible"] = certificate.attrs["infeasible"] + np.uint64(1)


@pytest.mark.parametrize("change", [wrong_witness, better_than_stated, twice, forgotten_infeasible])
def test_a_forged_certificate_is_noticed_by_both_checkers(pimdse, change):
    pimdse.ok("explore", space(pimdse, "upmem"), "-o", "ladder.h5", *LADDER)
    with h5py.File(pimdse.folder / "ladder.h5") as file:
        assert len(file["certificate/closed/point_id"]) > 1
    name = forge(pimdse, change)
    done = pimdse("verify", name)
    assert done.returncode == 8 and "certificate" in done.stdout, (done.stdout, done.stderr)
    assert checked(pimdse, name).returncode == 8


@pytest.mark.parametrize("change", [longer_box, better_box, wrong_witness])
def test_forged_boxes_are_noticed(pimdse, change):
    (pimdse.folder / "boxed.toml").write_text(BOXED % '[search]\nbudget = 20\n')
    pimdse("explore", "boxed.toml", "-o", "ladder.h5", *LADDER)
    assert checked(pimdse, "ladder.h5").returncode == 0 and "holds" in pimdse.ok("verify", "ladder.h5")
    done = pimdse("verify", forge(pimdse, change))
    assert done.returncode == 8 and "certificate" in done.stdout, (done.stdout, done.stderr)
    bounds_are_taken_from_the_program = change is better_box
    assert bounds_are_taken_from_the_program or checked(pimdse, "forged.h5").returncode == 8


@pytest.mark.parametrize(
    "words,code,say",
    [
        (("--shard", "0/2"), 3, "shards"),
        (("--fidelity", "analytic"), 2, "ends at cycle"),
        (("--keep", "front"), 3, "keeping fronts"),
        (("--epsilon", "2"), 2, "0.02 is 2 %"),
        (("--epsilon", "-0.1"), 2, "--epsilon"),
        (("--audit", "-1"), 2, "--audit"),
        (("--strategy", "sweep", "--epsilon", "0.1"), 3, "goes with strategy 'ladder'"),
        (("--strategy", "sobol", "--audit", "5"), 3, "goes with strategy 'ladder'"),
    ],
)
def test_what_does_not_suit_a_ladder_is_refused_in_one_sentence(pimdse, words, code, say):
    strategy = () if "--strategy" in words else LADDER[:2]
    done = pimdse("explore", space(pimdse, "upmem"), "-o", "a.h5", *strategy, *LADDER[2:], *words)
    assert done.returncode == code and done.stderr.count("\n") == 1 and say in done.stderr, done.stderr


@pytest.mark.parametrize(
    "settings,line,say",
    [
        ('strategy = "sweep"\nepsilon = 0.1', 9, "goes with strategy 'ladder'"),
        ('audit = 5\nstrategy = "nsga2"', 8, "goes with strategy 'ladder'"),
        ('strategy = "ladder"\nepsilon = 2', 9, "no share from 0 to less than 1"),
        ('strategy = "ladder"\nkeep = "front"', 9, "keeping fronts"),
    ],
)
def test_settings_that_do_not_go_together_are_said_at_their_line(pimdse, settings, line, say):
    text = 'schema = 1\narchitecture = "dplena"\nobjectives = ["latency"]\n\n[parameters]\nvlen = [64, 128]\n[search]\n'
    (pimdse.folder / "bad.toml").write_text(text + settings + "\n")
    done = pimdse("explore", "bad.toml", "-o", "a.h5")
    assert done.returncode == 3 and done.stderr.count("\n") == 1, done.stderr
    assert f"bad.toml:{line}: " in done.stderr and say in done.stderr, done.stderr


def test_a_flag_says_the_strategy_that_a_file_leaves_open(pimdse):
    (pimdse.folder / "open.toml").write_text(SPACES["upmem"] + "[search]\nepsilon = 0.05\n")
    assert "within 5 %" in pimdse.ok("explore", "open.toml", "-o", "a.h5", *LADDER)
    done = pimdse("explore", "open.toml", "-o", "b.h5", "--strategy", "sweep")
    assert done.returncode == 3 and "goes with strategy 'ladder'" in done.stderr


def test_a_merge_of_one_file_keeps_its_certificate(pimdse):
    pimdse.ok("explore", space(pimdse, "upmem"), "-o", "ladder.h5", *LADDER)
    pimdse.ok("merge", "ladder.h5", "-o", "alone.h5")
    assert "the certificate holds" in pimdse.ok("verify", "alone.h5")
    assert checked(pimdse, "alone.h5").returncode == 0


def test_a_merge_of_several_files_says_that_it_has_no_certificate_and_how_to_get_one(pimdse):
    file = space(pimdse, "upmem")
    whole = json.loads(pimdse.ok("explore", file, "-o", "ladder.h5", *LADDER))
    pimdse("explore", file, "-o", "part.h5", *LADDER, "--budget", 3)
    pimdse.ok("explore", file, "-o", "sweep.h5", "--progress", "none")
    done = pimdse("merge", "part.h5", "sweep.h5", "-o", "both.h5")
    assert done.returncode == 0 and done.stderr.count("\n") == 1, done.stderr
    assert "certificate of part.h5" in done.stderr and "--resume" in done.stderr
    with h5py.File(pimdse.folder / "both.h5") as both:
        assert "certificate" not in both
    again = json.loads(pimdse.ok("explore", file, "-o", "both.h5", *LADDER, "--resume"))
    assert again["certificate"] == whole["certificate"] and again["remembered"] > 3
    assert checked(pimdse, "both.h5").returncode == 0
    (pimdse.folder / "copy.h5").write_bytes((pimdse.folder / "sweep.h5").read_bytes())
    plain = pimdse("merge", "sweep.h5", "copy.h5", "-o", "plain.h5")
    assert plain.returncode == 0 and plain.stderr == ""


def test_an_architecture_without_cycle_level_is_refused(pimdse):
    done = pimdse("explore", ROOT / "spaces" / "gpu_batch.toml", "-o", "a.h5", *LADDER)
    assert done.returncode == 3 and done.stderr.count("\n") == 1 and "cycle level" in done.stderr, done.stderr


def test_a_file_without_certificate_is_refused_by_the_checker(pimdse):
    pimdse.ok("explore", space(pimdse, "upmem"), "-o", "sweep.h5", "--progress", "none")
    done = checked(pimdse, "sweep.h5")
    assert done.returncode == 4 and "no certificate" in done.stderr
