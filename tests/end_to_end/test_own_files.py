"""Models, DRAM standards and kernels of a user's own, named by a path."""
import json
import shutil

import h5py
import pytest
from bad_input import one_sentence
from conftest import ROOT

SPACE = """schema = 2
architecture = "{}"
objectives = ["latency", "energy"]
[parameters]
{}
"""


@pytest.fixture
def own(pimdse):
    """Files beside a space in a folder that is not the current one."""
    folder = pimdse.folder / "mine"
    folder.mkdir()
    shutil.copy(ROOT / "models/llm/opt-1.3b.toml", folder / "model.toml")
    shutil.copy(ROOT / "models/dram/L5J.toml", folder / "dram.toml")
    shutil.copy(ROOT / "models/upmem/kernels/va.toml", folder / "kernel.toml")
    shutil.copy(ROOT / "models/upmem/kernels/va.s", folder / "va.s")
    return folder


def explore(pimdse, folder, architecture, parameters, output="a.h5", *flags):
    (folder / "space.toml").write_text(SPACE.format(architecture, parameters))
    return pimdse("explore", "mine/space.toml", "-o", output, "--progress", "none", *flags)


def answers(path):
    with h5py.File(path) as file:
        return {name: file[f"metrics/{name}"][()].tolist() for name in ("latency", "energy")}


@pytest.mark.parametrize(
    "architecture, parameters, named",
    [
        ("umdam", 'llm = "{}"', ("./model.toml", "opt-1.3b")),
        ("umdam", 'dram = "{}"', ("dram.toml", "L5J")),
        ("upmem", 'kernel = "{}"\nelements = 65536', ("./kernel.toml", "va")),
        ("upmem", 'scope = "end_to_end"\nllm = "{}"\ndpus = 64', ("model.toml", "opt-1.3b")),
        ("cim_mesh", 'llm = "{}"', ("./model.toml", "opt-1.3b")),
        ("gpu", 'llm = "{}"', ("./model.toml", "opt-1.3b")),
        ("dplena", 'scope = "end_to_end"\nllm = "{}"', ("./model.toml", "opt-1.3b")),
    ],
)
def test_a_copy_of_a_shipped_file_answers_as_that_does(pimdse, own, architecture, parameters, named):
    for output, name in zip(("own.h5", "shipped.h5"), named):
        done = explore(pimdse, own, architecture, parameters.format(name), output)
        assert done.returncode in (0, 6), done.stderr
    if done.returncode == 0:
        assert answers(pimdse.folder / "own.h5") == answers(pimdse.folder / "shipped.h5")
    pimdse.ok("verify", "own.h5")


def test_paths_begin_at_the_space_and_on_the_command_line_where_one_is(pimdse, own):
    assert explore(pimdse, own, "umdam", 'llm = ["./model.toml", "opt-1.3b"]').returncode == 0
    assert pimdse.ok("evaluate", "umdam", "--model", "mine/model.toml") == pimdse.ok(
        "evaluate", "umdam", "--model", "opt-1.3b").replace("opt-1.3b", "mine/model.toml")
    done = explore(pimdse, own, "umdam", "input = 64", "b.h5", "--set", "llm=mine/model.toml")
    assert done.returncode == 0, done.stderr
    done = explore(pimdse, own, "umdam", f'llm = "{own / "model.toml"}"', "c.h5")
    assert done.returncode == 0, done.stderr


def test_scenarios_and_streams_take_them_too(pimdse, own):
    done = explore(pimdse, own, "umdam", 'channels = [2, 4]\n[[scenario]]\nname = "own"\nllm = "./model.toml"\n')
    assert done.returncode == 0, done.stderr
    words = ("dram", "replay", "--stream", "seq:65536", "--format", "json", "--dram")
    cycles = [json.loads(pimdse.ok(*words, name))["cycles"] for name in ("mine/dram.toml", "L5J")]
    assert cycles[0] == cycles[1]


def test_what_they_hold_is_hashed_into_the_file(pimdse, own):
    assert explore(pimdse, own, "upmem", 'kernel = "kernel.toml"\nelements = 65536').returncode == 0
    with h5py.File(pimdse.folder / "a.h5") as file:
        names = {text.decode() for text in file["inputs/file"][()]}
    assert str(own / "kernel.toml") in names and str(own / "va.s") in names
    (own / "va.s").write_text((own / "va.s").read_text() + "\n// changed\n")
    assert "va.s has changed" in pimdse("verify", "a.h5").stderr
    done = explore(pimdse, own, "upmem", 'kernel = "kernel.toml"\nelements = 65536', "a.h5", "--resume")
    assert done.returncode == 8 and "va.s" in done.stderr


def test_mistakes_are_said_with_file_and_line(pimdse, own):
    one_sentence(explore(pimdse, own, "umdam", 'llm = "./modle.toml"'), 3, "space.toml:5", "modle.toml", "no such file")
    text = (own / "model.toml").read_text()
    (own / "model.toml").write_text(text.replace("heads", "haeds", 1))
    done = explore(pimdse, own, "umdam", 'llm = "./model.toml"')
    assert done.returncode == 3 and "model.toml" in done.stderr and "haeds" in done.stderr
    (own / "model.toml").write_text("layers = \n")
    one_sentence(explore(pimdse, own, "gpu", 'llm = "./model.toml"'), 3, "model.toml:1")
    shutil.copy(ROOT / "models/dram/D4_2400.toml", own / "dram.toml")
    one_sentence(explore(pimdse, own, "umdam", 'dram = "dram.toml"'), 3, "is no LPDDR5")
    one_sentence(explore(pimdse, own, "umdam", 'llm = "model.tml"'), 3, "no path that ends in .toml")
