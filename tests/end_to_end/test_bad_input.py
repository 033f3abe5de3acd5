"""Bad input gets one clear sentence with file and line, a documented exit code, and leaves nothing behind."""
import json

import pytest

from bad_input import HEAD, one_sentence

BROKEN = {
    "unknown key": (HEAD + "objectivs = 1\n", ["s.toml:4", "objectivs", "'objectives'"]),
    "unknown parameter": (HEAD + "[parameters]\nlora_rnk = 8\n", ["s.toml:5", "lora_rank"]),
    "unit of the wrong dimension": (HEAD + '[parameters]\nfrequency = "4 GB"\n', ["s.toml:5", "frequency", "data"]),
    "no unit": (HEAD + "[parameters]\nfrequency = 4\n", ["s.toml:5", "no unit"]),
    "empty list": (HEAD + "[parameters]\nlink_bits = []\n", ["s.toml:5", "empty"]),
    "duplicate value": (HEAD + "[parameters]\nlink_bits = [64, 64]\n", ["s.toml:5", "twice"]),
    "no permutation": (
        'schema = 1\narchitecture = "umdam"\nobjectives = ["ttft"]\n[parameters]\n'
        'mapping = { permute = ["row", "row"] }\n',
        ["s.toml:5", "permutation"],
    ),
    "model that is not there": (HEAD + '[parameters]\nllm = "llama-9"\n', ["s.toml:5", "llama-9"]),
    "constraint naming nothing": (
        HEAD + '[[constraint]]\nname = "x"\nexpr = "latncy < 1 s"\n',
        ["s.toml:6", "latncy", "latency"],
    ),
    "not toml": ("schema = = 1\n", ["s.toml:1", "TOML"]),
    "unknown architecture": (
        'schema = 1\narchitecture = "cim"\nobjectives = ["latency"]\n',
        ["s.toml:2", "unknown architecture"],
    ),
    "unknown strategy": (HEAD + '[search]\nstrategy = "magic"\n', ["s.toml:5", "unknown strategy"]),
    "unknown way to keep": (HEAD + '[search]\nkeep = "frnt"\n', ["s.toml:5", "frnt", "'front'"]),
    "fronts of a strategy that jumps": (
        HEAD + '[search]\nkeep = "front"\nstrategy = "random"\n',
        ["'random'", "'sweep'"],
    ),
    "range that goes nowhere": (HEAD + "[parameters]\nmesh_rows = { from = 8, to = 4 }\n", ["s.toml:5", "mesh_rows"]),
}


@pytest.mark.parametrize("what", BROKEN)
def test_broken_space_is_refused(pimdse, what):
    text, expected = BROKEN[what]
    (pimdse.folder / "s.toml").write_text(text)
    done = pimdse("explore", "s.toml", "-o", "out.h5")
    assert done.returncode == 3, done.stderr
    assert done.stdout == ""
    for piece in expected:
        assert piece in done.stderr
    assert [p.name for p in pimdse.folder.iterdir()] == ["s.toml"]


def test_every_mistake_is_reported_at_once(pimdse):
    (pimdse.folder / "s.toml").write_text(HEAD + '[parameters]\nlora_rnk = 8\nlink_bits = []\nfrequency = "4 GB"\n')
    done = pimdse("explore", "s.toml", "-o", "out.h5")
    assert len(done.stderr.strip().splitlines()) == 3


def test_existing_output_is_kept(pimdse, small_space):
    pimdse.ok("explore", small_space, "-o", "out.h5", "--budget", 5)
    before = (pimdse.folder / "out.h5").read_bytes()
    done = pimdse("explore", small_space, "-o", "out.h5")
    assert done.returncode == 2 and "--resume" in done.stderr and "--force" in done.stderr
    assert (pimdse.folder / "out.h5").read_bytes() == before
    pimdse.ok("explore", small_space, "-o", "out.h5", "--force", "--budget", 5)


def test_resume_refuses_the_file_of_another_space(pimdse, small_space):
    pimdse.ok("explore", small_space, "-o", "out.h5", "--budget", 5)
    done = pimdse("explore", small_space, "-o", "out.h5", "--resume", "--set", "lora_rank=8")
    assert done.returncode == 3 and "another space" in done.stderr


def test_unwritable_output_is_said_before_any_work(pimdse, small_space):
    done = pimdse("explore", small_space, "-o", "no/such/folder/out.h5")
    assert done.returncode == 7 and "no/such/folder" in done.stderr


def test_zero_feasible_points_is_exit_6(pimdse, small_space):
    small_space.write_text(small_space.read_text().replace("latency <= 10 s", "latency <= 1 ns"))
    done = pimdse("explore", small_space, "-o", "out.h5")
    assert done.returncode == 6
    assert (pimdse.folder / "out.h5").exists()   # the rows and their reasons are an answer


def test_missing_files_are_exit_4(pimdse):
    for words in [
        ("explore", "nowhere.toml", "-o", "x.h5"),
        ("front", "nowhere.h5"),
        ("verify", "nowhere.h5"),
        ("quick", "nowhere.toml"),
    ]:
        done = pimdse(*words)
        assert done.returncode == 4, words
        assert "nowhere" in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("explor",),
        ("explore", "--bugdet", "3"),
        ("explore", "x.toml"),
        ("list", "spacs"),
        ("evaluate",),
        ("front", "a", "b"),
        ("evaluate", "umdam", "--set", "channels"),
        ("evaluate", "umdam", "--format", "xml"),
        ("explore", "x.toml", "-o", "a.h5", "--bud", "3"),
    ],
)
def test_wrong_command_lines_are_exit_2(pimdse, words):
    done = pimdse(*words)
    assert done.returncode == 2, done.stderr
    assert done.stderr.strip()


def test_mistakes_of_evaluate_are_exit_3(pimdse):
    for words in [
        ("umdm",),
        ("umdam", "--set", "chanels=4"),
        ("umdam", "--model", "opt-7b"),
        ("umdam", "--set", "pim_mac_interval=4"),
        ("umdam", "--set", "baseline=nothing"),
    ]:
        done = pimdse("evaluate", *words)
        assert done.returncode == 3, words
        assert len(done.stderr.strip().splitlines()) == 1, done.stderr


DEEP = {
    "lists": "a = " + "[" * 50_000,
    "keys": "a" + ".a" * 200_000 + " = 1",
    "signs": HEAD + '[[constraint]]\nname = "x"\nexpr = "' + "-" * 40_000 + '1 < 2"\n',
    "nots": HEAD + '[[constraint]]\nname = "x"\nexpr = "' + "not " * 2_000_000 + 'true"\n',
}


@pytest.mark.parametrize("what", DEEP)
def test_what_is_nested_too_deeply_is_refused_before_it_takes_the_stack(pimdse, what):
    (pimdse.folder / "s.toml").write_text(DEEP[what])
    one_sentence(pimdse("explore", "s.toml", "-o", "out.h5"), 3)


def test_limits_are_part_of_what_describe_says(pimdse):
    text = json.loads(pimdse.ok("describe", "umdam", "--format", "json"))
    limits = {p["name"]: p.get("limits") for p in text["parameters"]}
    assert (
        limits["npu_buffer"] == [65536, 4294967296]
        and limits["pim_mac_interval"] == pytest.approx([1, 8])
        and limits["llm"] is None
    )
