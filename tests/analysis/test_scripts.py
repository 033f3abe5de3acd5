import os
import subprocess
import sys
from pathlib import Path

import matplotlib.image
import pytest
from conftest import run_script

ANALYSIS = Path(os.environ["PIMDSE_ROOT"]) / "analysis"
FRONT = ANALYSIS / "front.py"
PICTURES = ["breakdown", "compare", "curves", "fidelity", "front", "history", "hits", "parallel", "robust",
            "sensitivity", "service", "timeline"]


def front(*words, python=sys.executable, **env):
    return subprocess.run(
        [python, str(FRONT), *map(str, words)], capture_output=True, text=True, env={**os.environ, **env}
    )


def test_draws_a_picture(sample, tmp_path):
    done = front(sample, "-o", tmp_path / "front.png")
    assert done.returncode == 0, done.stderr
    assert "latency" in done.stdout and "energy" in done.stdout and str(tmp_path / "front.png") in done.stdout
    picture = matplotlib.image.imread(tmp_path / "front.png")
    assert picture.shape[0] > 500 and picture.shape[1] > 800
    assert 0.02 < (picture[..., :3].min(axis=2) < 0.9).mean() < 0.6, "something is drawn, and not everything is ink"


def test_takes_other_axes_conditions_and_formats(sample, tmp_path):
    done = run_script(FRONT, sample, "-o", tmp_path / "front.svg", "--x", "speed", "--y", "energy", "--where",
                      "mode == fast", "--where", "size <= 2 KiB", "--fidelity", "analytic")
    assert done.returncode == 0, done.stderr
    svg = (tmp_path / "front.svg").read_text()
    assert svg.startswith("<?xml")
    assert "speed" in done.stdout and "energy" in done.stdout


@pytest.mark.parametrize("name", PICTURES)
def test_a_script_is_executable_and_shows_an_example(name):
    script = ANALYSIS / f"{name}.py"
    assert os.access(script, os.X_OK) and script.read_text().startswith("#!/usr/bin/python3\n")
    done = subprocess.run([script, "--help"], capture_output=True, text=True)
    assert done.returncode == 0 and f"example: {name}.py " in done.stdout


@pytest.mark.parametrize("name", ["curves", "front", "history", "parallel", "sensitivity"])
def test_a_script_writes_a_picture_beside_the_file(sample, tmp_path, name):
    copy = tmp_path / "run.h5"
    copy.write_bytes(sample.read_bytes())
    done = run_script(ANALYSIS / f"{name}.py", copy, "--fidelity", "analytic")
    assert done.returncode == 0, done.stderr
    (picture,) = tmp_path.glob("*.png")
    assert picture.name == ("run.png" if name == "front" else f"run-{name}.png") and str(picture) in done.stdout
    assert matplotlib.image.imread(picture).shape[0] > 300


@pytest.mark.parametrize(
    "words, code, fact",
    [
        (["--x", "speeed"], 2, "'speed'"),
        (["--where", "latency <= 1 ps"], 2, "sample.h5"),
        (["--where", "latency"], 3, '"latency"'),
        (["--colour", "hue"], 2, "'hue'"),
    ],
)
def test_a_mistake_is_one_sentence_and_no_picture(sample, tmp_path, words, code, fact):
    done = run_script(FRONT, sample, "-o", tmp_path / "front.png", *words)
    assert done.returncode == code and fact in done.stderr and done.stderr.count("\n") == 1
    assert not (tmp_path / "front.png").exists()


def test_a_missing_file_is_one_sentence(tmp_path):
    done = run_script(FRONT, tmp_path / "none.h5")
    assert done.returncode == 4 and "none.h5" in done.stderr and done.stderr.count("\n") == 1


def test_an_unwritable_picture_is_one_sentence(sample):
    done = run_script(FRONT, sample, "-o", "/proc/no/front.png")
    assert done.returncode == 7 and "/proc/no/front.png" in done.stderr and done.stderr.count("\n") == 1


def test_without_h5py_it_says_what_to_install(sample, tmp_path):
    (tmp_path / "h5py.py").write_text("raise ImportError('No module named h5py')\n")
    done = front(sample, PYTHONPATH=str(tmp_path))
    assert done.returncode == 2 and "python3-h5py" in done.stderr and "Traceback" not in done.stderr
