"""/timing/progress: how a run went on; outside the digest, and of bounded size."""
import sys

import h5py
import numpy as np
import pytest
from conftest import ROOT, same_file

sys.path.insert(0, str(ROOT / "analysis"))


def progress(path):
    with h5py.File(path) as file:
        group = file["timing/progress"]
        assert group["seconds"].attrs["unit"] in ("s", b"s")
        return group["seconds"][()], group["answers"][()]


@pytest.mark.parametrize("ranks", [None, 2])
def test_it_ascends_and_ends_with_every_answer(pimdse, ranks):
    pimdse.ok("explore", "quick", "-o", "a.h5", "--progress", "none", ranks=ranks)
    seconds, answers = progress(pimdse.folder / "a.h5")
    assert 1 <= len(seconds) <= 1024 and (np.diff(seconds) >= 0).all() and (np.diff(answers.astype(int)) >= 0).all()
    assert answers[-1] == 168 and seconds[-1] > 0


def test_files_of_equal_runs_stay_equal(pimdse):
    for output in ("a.h5", "b.h5"):
        pimdse.ok("explore", "quick", "-o", output, "--progress", "none")
    assert same_file(pimdse.folder, "a.h5", "b.h5")
    assert pimdse.json("diff", "a.h5", "b.h5")["equal"]
    pimdse.ok("verify", "a.h5")


def test_a_master_has_it_and_its_parts_have_not(pimdse):
    pimdse.ok("explore", "quick", "-o", "a.h5", "--part-rows", "100", "--progress", "none")
    assert progress(pimdse.folder / "a.h5")[1][-1] == 168
    for part in (pimdse.folder / "a.h5.parts").iterdir():
        with h5py.File(part) as file:
            assert "progress" not in file["timing"]


def test_python_reads_it_and_the_times_of_points(pimdse):
    import pimdse as package

    pimdse.ok("explore", "quick", "-o", "a.h5", "--progress", "none")
    results = package.load(pimdse.folder / "a.h5")
    assert results.progress.answers.iloc[-1] == 168 and list(results.progress.columns) == ["seconds", "answers"]
    assert len(results.timing) == len(results.table) and (results.timing.seconds >= 0).all()
    pimdse.ok("merge", "a.h5", "-o", "m.h5")
    assert package.load(pimdse.folder / "m.h5").progress.empty
