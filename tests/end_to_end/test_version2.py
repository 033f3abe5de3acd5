"""A file of schema 2, in which every scenario has columns of its own, is read as what it was."""
import lzma
import os
import sys
from pathlib import Path

import h5py
import pandas as pd
import pytest

from conftest import ROOT
from joint_space import JOINT

sys.path.insert(0, str(ROOT / "analysis"))
from pimdse import load  # noqa: E402

DATA = Path(os.environ["PIMDSE_ROOT"]) / "tests" / "data" / "version2"


@pytest.fixture
def old(pimdse):
    (pimdse.folder / "old.h5").write_bytes(lzma.decompress((DATA / "result.h5.xz").read_bytes()))
    return pimdse


def test_a_file_with_a_group_per_scenario_is_rewritten_with_tables_and_the_same_digest(old):
    merged = old.json("merge", "old.h5", "-o", "new.h5")
    with h5py.File(old.folder / "old.h5") as before, h5py.File(old.folder / "new.h5") as after:
        assert before.attrs["schema"] == 2 and after.attrs["schema"] == 3
        assert before.attrs["digest"] == after.attrs["digest"] == merged["digest"]
        for at, scenario in enumerate(("chat", "long")):
            for name in ("metrics/latency", "metrics/energy", "bounds/latency_low", "bounds/energy_kind"):
                assert (before[f"scenarios/{scenario}/{name}"][()] == after[f"scenarios/{name}"][:, at]).all()
    assert old.json("diff", "old.h5", "new.h5")["equal"]
    assert old.json("front", "old.h5")["front"] == old.json("front", "new.h5")["front"]
    sizes = [(old.folder / name).stat().st_size for name in ("old.h5", "new.h5")]
    assert sizes[1] < 0.7 * sizes[0]


def test_python_reads_both_alike(old):
    old.ok("merge", "old.h5", "-o", "new.h5")
    before, after = (load(old.folder / name) for name in ("old.h5", "new.h5"))
    pd.testing.assert_frame_equal(before.table, after.table)
    pd.testing.assert_frame_equal(before.bounds, after.bounds)
    assert (before.units, before.meanings, before.assumed) == (after.units, after.meanings, after.assumed)


def test_a_rewritten_file_has_the_same_certificate(old):
    old.ok("merge", "old.h5", "-o", "new.h5")
    with h5py.File(old.folder / "old.h5") as before, h5py.File(old.folder / "new.h5") as after:
        assert before["certificate"].attrs["statement"] == after["certificate"].attrs["statement"]
        for was, now in (("closed/point_id", "closed/point"), ("closed/witness",) * 2, ("open",) * 2,
                         ("twins/point_id", "twins/point"), ("twins/representative",) * 2):
            assert (before["certificate"][was][()] == after["certificate"][now][()]).all()


def test_a_file_with_many_scenarios_takes_bytes_for_its_numbers_and_not_for_each_scenario(pimdse):
    """8 bytes for each of 20 metrics, with interval and kind, would be 500 bytes a scenario and design."""
    text = JOINT.split("[[machine]]")[0] + 'architecture = "gpu"\n[parameters]\ndevices = [1, 2]\n'
    for number in range(100):
        text += f'[[scenario]]\nname = "s{number}"\nllm = "opt-125m"\ninput = {16 + number}\noutput = 8\n'
    (pimdse.folder / "space.toml").write_text(text)
    pimdse.ok("explore", "space.toml", "-o", "many.h5", "--progress", "none")
    (pimdse.folder / "one.toml").write_text(text[:text.index("[[scenario]]", text.index("[[scenario]]") + 1)])
    pimdse.ok("explore", "one.toml", "-o", "one.h5", "--progress", "none")
    one, many = ((pimdse.folder / name).stat().st_size for name in ("one.h5", "many.h5"))
    assert (many - one) / 99 < 10_000
    assert pimdse.json("front", "many.h5", "--objectives", "latency@s7,energy")["front"]
