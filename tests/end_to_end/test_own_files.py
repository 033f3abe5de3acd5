"""Models, DRAM standards and kernels of a user's own, named by a path."""
import json
import shutil

import h5py
import pytest
from conftest import ROOT, holds, refused

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
    assert "va.s" in pimdse("verify", "a.h5").stderr
    done = explore(pimdse, own, "upmem", 'kernel = "kernel.toml"\nelements = 65536', "a.h5", "--resume")
    refused(done, 8, "va.s")


OWN_CONSTANTS = '[frequency]\nvalue = 2\nunit = "GHz"\nsource = "a guess"\n'
CHANNELS = 'constants = "./constants.toml"\narchitecture = "dplena"\nobjectives = ["latency", "area"]\n' \
           '[parameters]\nvlen = [64, 128]\nvocab = 10000\n'


def test_constants_of_ones_own_go_with_the_space_into_the_file_and_out_again(pimdse, own):
    (own / "constants.toml").write_text(OWN_CONSTANTS)
    (own / "space.toml").write_text(CHANNELS)
    pimdse.ok("explore", "mine/space.toml", "-o", "own.h5", "--progress", "none")
    (own / "space.toml").write_text(CHANNELS.partition("\n")[2])
    pimdse.ok("explore", "mine/space.toml", "-o", "shipped.h5", "--progress", "none")
    with h5py.File(pimdse.folder / "own.h5") as file, h5py.File(pimdse.folder / "shipped.h5") as shipped:
        assert (file["metrics/latency"][()] < shipped["metrics/latency"][()]).all()
        assert str(own / "constants.toml") in {text.decode() for text in file["inputs/file"][()]}
        first = float(file["metrics/latency"][0])
    words = ("--fidelity", "analytic", "--format", "json")
    named = json.loads(pimdse.ok("evaluate", "dplena", "--set", "vlen=64", "--set", "vocab=10000",
                                 "--constants", "mine/constants.toml", *words))
    again = json.loads(pimdse.ok("evaluate", "--from", "own.h5", "--point", 0, *words))
    for answer in (named, again):
        assert answer["metrics"]["latency"]["value"] == first
    assert holds(pimdse, "own.h5")["changed_input"] is None
    (own / "space.toml").write_text(CHANNELS + '[[constraint]]\nname = "none"\nexpr = "area <= 1 mm2"\n')
    assert pimdse("explore", "mine/space.toml", "-o", "none.h5", "--progress", "none").returncode == 6
    assert f"--constants {own / 'constants.toml'}" in pimdse.ok("failures", "none.h5")
    (own / "constants.toml").write_text(OWN_CONSTANTS.replace("2", "3", 1))
    assert "constants.toml" in pimdse("verify", "own.h5").stderr


def test_machines_that_differ_in_their_constants_are_compared_in_one_space(pimdse, own):
    (own / "constants.toml").write_text(OWN_CONSTANTS)
    machine = '[[machine]]\nname = "{}"\narchitecture = "dplena"\n{}[machine.parameters]\nvlen = [64, 128]\n'
    (own / "space.toml").write_text('schema = 2\nobjectives = ["latency"]\n' + machine.format("shipped", "") +
                                    machine.format("fast", 'constants = "constants.toml"\n'))
    pimdse.ok("explore", "mine/space.toml", "-o", "both.h5", "--progress", "none", ranks=2)
    front = json.loads(pimdse.ok("front", "both.h5", "--format", "json"))
    assert [design["parameters"]["machine"] for design in front["front"]] == ["fast"]
    pimdse.ok("verify", "both.h5")


def test_constants_that_are_none_of_the_machine_are_refused(pimdse, own):
    (own / "constants.toml").write_text(OWN_CONSTANTS.replace("frequency", "frequncy"))
    (own / "space.toml").write_text(CHANNELS)
    refused(pimdse("explore", "mine/space.toml", "-o", "a.h5"), 3, "constants.toml:1", "'frequency'")
    words = ("evaluate", "dplena", "--constants")
    refused(pimdse(*words, "mine/constants.toml"), 3, "constants.toml:1")
    refused(pimdse(*words, "mine/nowhere.toml"), 4, "nowhere.toml")
    (own / "space.toml").write_text(CHANNELS.replace(".toml", ".json", 1))
    refused(pimdse("explore", "mine/space.toml", "-o", "a.h5"), 3, "space.toml:1", "constants.json", ".toml")


def test_conditions_call_them_as_the_space_does(pimdse, own):
    condition = '[[constraint]]\nname = "own"\nexpr = \'llm == "{}"\'\n'
    for name in ("model.toml", "./model.toml", "mine/model.toml"):
        done = explore(pimdse, own, "umdam", 'llm = ["./model.toml", "opt-1.3b"]\n' + condition.format(name), "a.h5",
                       "--force", "--format", "json")
        assert done.returncode == 0 and json.loads(done.stdout)["feasible"] == 1, done.stderr
        assert len(pimdse.json("front", "a.h5", "--where", f'llm == "{name}"')["front"]) == 1


def test_whatever_is_evaluated_next_to_a_file_names_a_model_that_has_changed(pimdse, own):
    assert explore(pimdse, own, "umdam", 'llm = "./model.toml"\nchannels = [2, 4]').returncode == 0
    asking = (("evaluate", "--from", "a.h5", "--point", 0), ("explain", "a.h5", 0), ("report", "a.h5", "-o", "a.html"),
              ("explore", "--refine", "a.h5", "--fidelity", "cycle", "-o", "fine.h5", "--force"))
    assert all("model.toml" not in pimdse(*words).stderr for words in asking)
    (own / "model.toml").write_text((own / "model.toml").read_text() + "# another layer\n")
    for words in asking:
        done = pimdse(*words)
        refused(done, 0, "mine/model.toml", "a.h5")  # a note


def test_mistakes_are_reported_with_file_and_line(pimdse, own):
    refused(explore(pimdse, own, "umdam", 'llm = "./modle.toml"'), 4, "space.toml:5", "modle.toml",
            "model.toml'?")
    text = (own / "model.toml").read_text()
    (own / "model.toml").write_text(text.replace("heads", "haeds", 1))
    line = 1 + text[:text.index("heads")].count("\n")
    done = explore(pimdse, own, "umdam", 'llm = "./model.toml"')
    assert done.returncode == 3 and f"model.toml:{line}" in done.stderr and "haeds" in done.stderr, done.stderr
    (own / "model.toml").write_text("layers = \n")
    refused(explore(pimdse, own, "gpu", 'llm = "./model.toml"'), 3, "model.toml:1")
    shutil.copy(ROOT / "models/dram/D4_2400.toml", own / "dram.toml")
    refused(explore(pimdse, own, "umdam", 'dram = "dram.toml"'), 3, "dram.toml", "LPDDR5")
    refused(explore(pimdse, own, "umdam", 'llm = "model.tml"'), 3, "space.toml:5", "model.tml", ".toml")


MOVED = [
    ("umdam", 'llm = "../models/model.toml"\nchannels = [2, 4]\ninput = 64\noutput = 8'),
    ("umdam", 'dram = "../models/dram.toml"\nllm = "opt-125m"\nchannels = [2, 4]\ninput = 64\noutput = 8'),
    ("upmem", 'kernel = "../models/kernel.toml"\nelements = 65536\ntasklets = [8, 16]'),
    ("gpu", 'devices = [1, 2]\n[[scenario]]\nname = "chat"\nllm = "../models/model.toml"'),
    ("dplena", 'vlen = [64, 128]\nvocab = 10000'),
]


@pytest.mark.parametrize("architecture, parameters", MOVED)
def test_a_project_folder_may_move(pimdse, own, architecture, parameters):
    project, moved = pimdse.folder / "proj", pimdse.folder / "elsewhere" / "proj2"
    (project / "spaces").mkdir(parents=True)
    shutil.copytree(own, project / "models")
    (project / "models/constants.toml").write_text(OWN_CONSTANTS)
    text = SPACE.format(architecture, parameters)
    if architecture == "dplena":
        text = text.replace("[parameters]", 'constants = "../models/constants.toml"\n[parameters]')
    (project / "spaces/s.toml").write_text(text)
    explore = ("explore", "{}/spaces/s.toml", "-o", "{}/out/r.h5", "--progress", "none", "--format", "json")

    def run(folder, *more):
        (folder / "out").mkdir(exist_ok=True)
        return json.loads(pimdse.ok(*[word.format(folder) for word in explore], *more))

    whole = run(project)
    shutil.copytree(project, pimdse.folder / "kept")
    moved.parent.mkdir()
    project.rename(moved)
    again = run(moved, "--resume")
    assert again["digest"] == whole["digest"] and again["evaluated"] == 0
    shutil.copy(pimdse.folder / "kept/out/r.h5", moved / "out/r.h5")
    assert holds(pimdse, moved / "out/r.h5")["changed_input"] is None
    for words in (("explain", moved / "out/r.h5", 0), ("report", moved / "out/r.h5", "-o", "r.html"),
                  ("evaluate", "--from", moved / "out/r.h5", "--point", 0)):
        done = pimdse(*words)
        assert done.returncode == 0 and "changed" not in done.stderr, (words, done.stderr)
    assert run(moved, "--force")["digest"] == whole["digest"], "a digest is of contents"


def test_shards_made_in_two_places_are_merged_and_compared(pimdse, own):
    text = SPACE.format("umdam", 'llm = "./model.toml"\nchannels = [2, 4]\ninput = 64\noutput = 8')
    for place in ("a", "b"):
        shutil.copytree(own, pimdse.folder / place)
        (pimdse.folder / place / "s.toml").write_text(text)
    for shard, place in enumerate(("a", "b")):
        pimdse.ok("explore", f"{place}/s.toml", "--shard", f"{shard}/2", "-o", f"{place}.h5", "--progress", "none")
        pimdse.ok("explore", f"{place}/s.toml", "-o", f"{place}/whole.h5", "--progress", "none")
    pimdse.ok("merge", "-o", "ab.h5", "a.h5", "b.h5")
    assert pimdse.ok("diff", "ab.h5", "a/whole.h5") == pimdse.ok("diff", "a/whole.h5", "b/whole.h5") == "equal\n"
    (pimdse.folder / "b/model.toml").write_text((own / "model.toml").read_text() + "# another\n")
    pimdse.ok("explore", "b/s.toml", "--shard", "1/2", "-o", "b.h5", "--force", "--progress", "none")
    done = pimdse("merge", "-o", "c.h5", "a.h5", "b.h5")
    refused(done, 3, "a.h5", "b.h5", "llm")


def test_an_own_file_that_changed_is_named_wherever_it_is(pimdse, own):
    words = 'llm = "./model.toml"\nchannels = [2, 4]\ninput = 64\noutput = 8'
    assert explore(pimdse, own, "umdam", words).returncode == 0
    (own / "model.toml").write_text((own / "model.toml").read_text() + "# another layer\n")
    refused(explore(pimdse, own, "umdam", words, "a.h5", "--resume"), 8, "model.toml")
    (own / "model.toml").rename(own / "gone.toml")
    done = pimdse("verify", "a.h5")
    assert done.returncode == 4 and "model.toml" in done.stderr and done.stderr.count("\n") == 1, done.stderr
