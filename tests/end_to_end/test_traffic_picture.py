"""analysis/service.py: a picture of designs that serve requests."""
import os
import subprocess
import sys

import pytest
from conftest import CAMPAIGN, PIMDSE, ROOT, in_campaign
from test_traffic_read import SPACE

SCRIPT = ROOT / "analysis/service.py"
CLOSED = """schema = 2
architecture = "gpu"
objectives = ["output_rate", "silicon"]
[parameters]
device = ["a100", "h100"]
[[scenario]]
name = "users"
llm = "llama-3-8b"
[scenario.traffic]
arrivals = "closed"
concurrency = 4
requests = 40
input = 100
output = 20
"""


def drawn(pimdse, *words):
    env = {**os.environ, "PIMDSE": PIMDSE, "MPLBACKEND": "Agg"}
    return subprocess.run([sys.executable, "-B", SCRIPT, *map(str, words)], cwd=pimdse.folder, capture_output=True,
                          text=True, timeout=240, env=env)


@pytest.fixture
def explored(pimdse, explored_once):
    explored_once(pimdse, SPACE, "s.h5")
    return pimdse


def test_designs_are_drawn(explored):
    import matplotlib.image

    done = drawn(explored, "s.h5", "--point", "0,3", "-o", "s.png")
    assert done.returncode == 0, done.stderr
    assert done.stderr == "" and "2 designs" in done.stdout and "saturated: point 0" in done.stdout
    picture = matplotlib.image.imread(explored.folder / "s.png")
    assert picture.shape[0] > 900 and picture.shape[1] > 1200
    assert 0.01 < (picture[..., :3].min(axis=2) < 0.9).mean() < 0.5
    done = drawn(explored, "s.h5", *(() if CAMPAIGN else ("--point", 3)))
    assert done.returncode == 0 and (explored.folder / "s-service.png").exists(), done.stderr


def test_a_closed_loop_has_no_rates(pimdse):
    (pimdse.folder / "c.toml").write_text(CLOSED)
    pimdse.ok("explore", "c.toml", "-o", "c.h5", "--progress", "none")
    done = drawn(pimdse, "c.h5", "--point", "1", "-o", "c.svg")
    assert done.returncode == 0, done.stderr
    assert "closed loop" in (pimdse.folder / "c.svg").read_text()


def test_sessions_are_drawn_by_turn(pimdse):
    (pimdse.folder / "t.toml").write_text(CLOSED + "[scenario.traffic.session]\nturns = 4\n")
    pimdse.ok("explore", "t.toml", "-o", "t.h5", "--progress", "none")
    done = drawn(pimdse, "t.h5", "--point", "1", "-o", "t.svg")
    assert done.returncode == 0, done.stderr
    assert "turn of the session" in (pimdse.folder / "t.svg").read_text()


@pytest.mark.parametrize("words, code, fact", [
    in_campaign(["s.h5", "--point", "x"], 2, "--point"),
    in_campaign(["s.h5", "--point", "99"], 2, "99"),
    (["s.h5", "--scenario", "servce"], 2, "'service'"),
    (["none.h5"], 4, "none.h5"),
])
def test_mistakes_are_one_sentence(explored, words, code, fact):
    done = drawn(explored, *words)
    assert done.returncode == code and fact in done.stderr and done.stderr.count("\n") == 1, done.stderr
    assert not list(explored.folder.glob("*.png"))


def test_a_file_without_traffic_is_refused(pimdse):
    (pimdse.folder / "b.toml").write_text(
        'schema = 1\narchitecture = "gpu"\nobjectives = ["latency"]\n[parameters]\ndevice = ["a100", "h100"]\n')
    pimdse.ok("explore", "b.toml", "-o", "b.h5", "--progress", "none")
    done = drawn(pimdse, "b.h5")
    assert done.returncode == 2 and "traffic" in done.stderr and done.stderr.count("\n") == 1
