"""Mistakes in Python are said of what the caller gave: no file of ours, no traceback, and what was meant."""
import os
import re
import subprocess
import sys
import tempfile

import pytest

from conftest import PIMDSE, ROOT, UPMEM_CLOCKS

sys.path.insert(0, str(ROOT) + "/analysis")
import pimdse as package  # noqa: E402

MISSPELT = UPMEM_CLOCKS.replace("tasklets", "taskets")
LINE = 1 + MISSPELT.splitlines().index(next(line for line in MISSPELT.splitlines() if "taskets" in line))


@pytest.mark.parametrize(
    "ask, sentence",
    [
        (lambda: package.evaluate("dplena", [{"vlem": 8}]), r"^points: .*'vlem'.*'vlen'"),
        (lambda: package.evaluate("dplena", [{"hbm_bus": "compt"}]), r"^points: .*compt.*'compat'"),
        (lambda: package.evaluate("dplena", [{"vlen": "wide"}]), r"^points: .*wide"),
        (lambda: package.evaluate("dplena", [{"vlen": "3 kg"}]), r"^points: .*kg"),
        (lambda: package.evaluate("dplena", [{"vlen": None}]), r"^points\[0\]: .*vlen.*None"),
        (lambda: package.evaluate("dplena", [{"vlen": 8}, 5]), r"^points\[1\] .*dict"),
        (lambda: package.evaluate("dplena", {"vlen": 8}), "^points .*list of dicts"),
        (lambda: package.evaluate("dplena", vlen=[8, 16]), r"^vlen .*\[8, 16\]"),
        (lambda: package.evaluate("dplena", [{}], fidelity="cylce"), "cylce"),
        (lambda: package.evaluate("dplena")["latncy"], "^dplena .*'latncy'.*'latency'"),
        (lambda: package.explore(MISSPELT), rf"line {LINE}: .*'tasklets'"),
        (lambda: package.explore("schema = 1\n[parameters\n"), "line 2: "),
        (lambda: package.explore({"architecture": "dplena"}), "^space .*dict"),
        (lambda: package.explore(UPMEM_CLOCKS, where="x < 1"), "where"),
    ],
)
def test_a_mistake_speaks_of_what_was_given(ask, sentence):
    with pytest.raises(package.Refused) as told:
        ask()
    said = str(told.value)
    assert re.search(sentence, said), said
    assert tempfile.gettempdir() not in said and ".toml" not in said and told.value.code in (2, 3)


def test_points_may_be_of_numpy_and_any_text():
    numpy = pytest.importorskip("numpy")
    points = [{"vlen": numpy.int64(512)}, {"vlen": 1024}]
    table = package.evaluate("dplena", points, hbm_bus=numpy.str_("compat"))
    assert table.vlen.tolist() == [512, 1024] and (table.status == "ok").all()


def test_numbers_of_numpy_and_whole_floats_are_taken_everywhere(pimdse):
    numpy = pytest.importorskip("numpy")
    wanted = package.evaluate("dplena", vlen=512)["latency"]
    for value in (numpy.int64(512), numpy.float64(512), 512.0, numpy.array(512), numpy.int8(2) * numpy.int16(256)):
        assert package.evaluate("dplena", vlen=value)["latency"] == wanted
    same = package.evaluate("dplena", [{"vlen": 512}, {"vlen": 512.0}, {"vlen": numpy.uint32(512)}])
    assert same.latency.tolist() == [wanted] * 3
    (pimdse.folder / "s.toml").write_text(UPMEM_CLOCKS)
    with package.Explorer(pimdse.folder / "s.toml", pimdse.folder / "s.h5") as explorer:
        plain, typed = ({"tasklets": 8, "dma_block": 1024, "frequency": 4e8},
                        {"tasklets": numpy.int64(8), "dma_block": numpy.float32(1024), "frequency": numpy.float64(4e8)})
        (one,), (other,) = explorer.evaluate([plain]), explorer.evaluate((each for each in [typed]))
        assert one == other and one["status"] == "ok"
        for ids in (numpy.array([int(one["id"])]), [float(one["id"])], [one["id"]]):
            assert explorer.evaluate(ids=ids) == [one]
    some = package.explore(UPMEM_CLOCKS, budget=numpy.int64(2), strategy="random", seed=3.0,
                           set={"tasklets": numpy.array([4, 8]), "lock": "none"})
    assert len(some.table) == 2


@pytest.mark.parametrize("ask, sentence", [
    (lambda explorer: explorer.evaluate([{"tasklets": object()}]), r"points\[0\].*tasklets.*<object"),
    (lambda explorer: explorer.evaluate([{"tasklets": None}]), r"points\[0\].*tasklets.*None"),
    (lambda explorer: explorer.evaluate([{"tasklets": [8]}]), r"points\[0\].*tasklets.*\[8\]"),
    (lambda explorer: explorer.evaluate([{"tasklets": 8.5, "dma_block": 8, "frequency": "350 MHz"}]),
     "tasklets.*8.5"),
    (lambda explorer: explorer.evaluate([{"tasklets": float("nan")}]), r"points\[0\].*tasklets.*nan"),
    (lambda explorer: explorer.evaluate([{8: 8}]), r"points\[0\].*\b8\b"),
    (lambda explorer: explorer.evaluate({"tasklets": 8}), "points.*list of dicts"),
    (lambda explorer: explorer.evaluate(5), "points.*list of dicts"),
    (lambda explorer: explorer.evaluate([5]), r"points\[0\].*dict"),
    (lambda explorer: explorer.evaluate(ids=5), "ids.*5"),
    (lambda explorer: explorer.evaluate(ids=[2.5]), r"2\.5"),
    (lambda explorer: explorer.evaluate(ids=[0], fidelity=object()), "fidelity.*<object"),
])
def test_what_is_not_a_value_is_named_and_the_session_goes_on(served, ask, sentence):
    with pytest.raises(package.Refused, match=sentence):
        ask(served)
    assert served.evaluate(ids=[0])[0]["id"] == "0", "the session goes on"


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    (folder / "s.toml").write_text(UPMEM_CLOCKS)
    with package.Explorer(folder / "s.toml", folder / "s.h5") as explorer:
        yield explorer


def test_a_front_is_refined_from_a_file(pimdse):
    coarse = package.explore(UPMEM_CLOCKS, pimdse.folder / "coarse.h5")
    fine = package.explore(None, refine=coarse.path, fidelity="cycle")
    assert set(fine.table.point_id) == set(coarse.front_ids) and (fine.table.fidelity == "cycle").all()


def ended(folder, script, *words):
    """An example as it is typed: its exit code and the last line it wrote to standard error."""
    done = subprocess.run([sys.executable, ROOT / "analysis/examples" / script, *map(str, words)], cwd=folder,
                          capture_output=True, text=True, env={**os.environ, "PIMDSE": PIMDSE})
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stderr.strip().splitlines()[-1]


def test_the_example_with_deap_names_what_is_wrong(tmp_path):
    pytest.importorskip("deap")
    (tmp_path / "one.toml").write_text(UPMEM_CLOCKS.split("tasklets")[0] + "tasklets = 4\n")
    (tmp_path / "there.h5").write_text("mine")
    wanted = [(("none.toml", "a.h5"), 4, "none.toml"),
              ((ROOT / "spaces/quick.toml", "there.h5"), 2, "there.h5"),
              ((ROOT / "spaces/which_machine.toml", "b.h5"), 2, "umdam, upmem, dplena"),
              (("one.toml", "c.h5"), 2, "")]
    for words, code, sentence in wanted:
        told, said = ended(tmp_path, "with_deap.py", *words)
        assert told == code and said.startswith("with_deap.py: ") and sentence in said, (words, told, said)
    assert (tmp_path / "there.h5").read_text() == "mine"
