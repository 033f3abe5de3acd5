"""Bad input gets one clear sentence with file and line, a documented exit code, and leaves nothing behind."""
import json
import os
import subprocess
from pathlib import Path

import pytest

HEAD = 'schema = 1\narchitecture = "cim_mesh"\nobjectives = ["latency"]\n'

BROKEN = {
    "unknown key": (HEAD + "objectivs = 1\n", ["s.toml:4", "objectivs", "'objectives'"]),
    "unknown parameter": (HEAD + "[parameters]\nlora_rnk = 8\n", ["s.toml:5", "lora_rank"]),
    "unit of the wrong dimension": (HEAD + '[parameters]\nfrequency = "4 GB"\n', ["s.toml:5", "frequency", "data"]),
    "no unit": (HEAD + "[parameters]\nfrequency = 4\n", ["s.toml:5", "no unit"]),
    "empty list": (HEAD + "[parameters]\nlink_bits = []\n", ["s.toml:5", "empty"]),
    "duplicate value": (HEAD + "[parameters]\nlink_bits = [64, 64]\n", ["s.toml:5", "twice"]),
    "no permutation": ('schema = 1\narchitecture = "umdam"\nobjectives = ["ttft"]\n[parameters]\nmapping = { permute = ["row", "row"] }\n', ["s.toml:5", "permutation"]),
    "model that is not there": (HEAD + '[parameters]\nllm = "llama-9"\n', ["s.toml:5", "llama-9"]),
    "constraint naming nothing": (HEAD + '[[constraint]]\nname = "x"\nexpr = "latncy < 1 s"\n', ["s.toml:6", "latncy", "latency"]),
    "not toml": ("schema = = 1\n", ["s.toml:1", "TOML"]),
    "unknown architecture": ('schema = 1\narchitecture = "cim"\nobjectives = ["latency"]\n', ["s.toml:2", "unknown architecture"]),
    "unknown strategy": (HEAD + '[search]\nstrategy = "magic"\n', ["s.toml:5", "unknown strategy"]),
    "unknown way to keep": (HEAD + '[search]\nkeep = "frnt"\n', ["s.toml:5", "frnt", "'front'"]),
    "fronts of a strategy that jumps": (HEAD + '[search]\nkeep = "front"\nstrategy = "random"\n', ["'random'", "'sweep'"]),
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
    for words in [("explore", "nowhere.toml", "-o", "x.h5"), ("front", "nowhere.h5"), ("verify", "nowhere.h5"), ("quick", "nowhere.toml")]:
        done = pimdse(*words)
        assert done.returncode == 4, words
        assert "nowhere" in done.stderr


@pytest.mark.parametrize("words", [(), ("explor",), ("explore", "--bugdet", "3"), ("explore", "x.toml"), ("list", "spacs"), ("evaluate",), ("front", "a", "b"),
                                   ("evaluate", "umdam", "--set", "channels"), ("evaluate", "umdam", "--format", "xml"), ("explore", "x.toml", "-o", "a.h5", "--bud", "3")])
def test_wrong_command_lines_are_exit_2(pimdse, words):
    done = pimdse(*words)
    assert done.returncode == 2, done.stderr
    assert done.stderr.strip()


def test_mistakes_of_evaluate_are_exit_3(pimdse):
    for words in [("umdm",), ("umdam", "--set", "chanels=4"), ("umdam", "--model", "opt-7b"), ("umdam", "--set", "pim_mac_interval=4"),
                  ("umdam", "--set", "baseline=nothing")]:
        done = pimdse("evaluate", *words)
        assert done.returncode == 3, words
        assert len(done.stderr.strip().splitlines()) == 1, done.stderr


EXPLORE = ("explore", "small.toml", "-o", "a.h5")
WRONG_VALUES = [
    (*EXPLORE, "--budget", "-1"), (*EXPLORE, "--threads", "-5"), (*EXPLORE, "--threads", "1000000"), (*EXPLORE, "--seed", "1.5"), (*EXPLORE, "--time-limit", "abc"),
    (*EXPLORE, "--time-limit", "1e300 s"), (*EXPLORE, "--fidelity", "nope"), (*EXPLORE, "--objectives", "nope"), (*EXPLORE, "--strategy", "nope"), (*EXPLORE, "--keep", "nope"),
    (*EXPLORE, "--shard", "0/-1"), (*EXPLORE, "--supervise", "--restarts", "-3"), (*EXPLORE, "--supervise", "--spare-nodes", "x"), (*EXPLORE, "--launch", "mpirun -n 2"),
    (*EXPLORE, "--restarts", "3"), (*EXPLORE, "--spare-nodes", "1"), ("quick", "small.toml", "--threads", "-1"), ("diff", "a.h5", "b.h5", "--relative", "nan"),
    ("diff", "a.h5", "b.h5", "--relative", "-1"), ("verify", "a.h5", "--sample", "-1"), ("verify", "a.h5", "--seed", "x"), ("watch", "a.h5", "--interval", "nan"),
    ("watch", "a.h5", "--interval", "-1"), ("evaluate", "umdam", "--fidelity", "exact"), ("dram", "replay", "--dram", "L5J", "--stream", "seq:4096", "--window", "-1"),
    ("dram", "replay", "--dram", "L5J", "--stream", "seq:4096", "--density", "-1"), ("dram", "replay", "--dram", "L5J", "--stream", "seq:4096", "--coll-bits", "-2"),
    ("dram", "replay", "--dram", "L5J", "--stream", "seq:4096", "--tries", "0"), ("noc", "replay", "--load", "nan"), ("noc", "replay", "--cycles", "9223372036854775807"),
    ("noc", "replay", "--warmup", "-1"), ("noc", "replay", "--seed", "-1"), ("noc", "check", "x.csv", "--packets", "-5"),
]


@pytest.mark.parametrize("words", WRONG_VALUES, ids=lambda words: " ".join(words[-2:]))
def test_what_a_flag_cannot_say_is_exit_2_and_one_sentence(pimdse, small_space, words):
    done = pimdse(*words, timeout=30)
    assert done.returncode == 2 and done.stdout == "", done.stderr
    assert len(done.stderr.strip().splitlines()) == 1 and done.stderr.startswith("pimdse: ")
    assert [path.name for path in pimdse.folder.iterdir()] == ["small.toml"]


def test_numbers_of_threads_in_the_environment_are_checked(pimdse, small_space):
    for variable, text in [("PIMDSE_THREADS", "abc"), ("PIMDSE_THREADS", "-1"), ("SLURM_CPUS_PER_TASK", "0"), ("SLURM_CPUS_PER_TASK", "99999999")]:
        done = pimdse(*EXPLORE, env={variable: text})
        assert done.returncode == 2 and variable in done.stderr and len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("rank", [0, 1])
def test_the_launcher_of_another_mpi_is_said_once_and_nothing_is_written(pimdse, small_space, rank):
    done = pimdse(*EXPLORE, env={"PMI_RANK": str(rank), "PMI_SIZE": "4"}, timeout=60)
    assert done.returncode == 2
    assert ("started 4 processes" in done.stderr and "knows of 1" in done.stderr) == (rank == 0)
    assert [path.name for path in pimdse.folder.iterdir()] == ["small.toml"]


LONG = "n" * 5000
NO_INPUTS = ["", "folder", "pipe", "/dev/zero", "n" * 256, LONG, "a/" * 2500 + "b", "loop", "small.toml/below"]


@pytest.mark.parametrize("name", NO_INPUTS, ids=lambda name: name[:12] + str(len(name)))
def test_what_cannot_be_read_is_exit_4_and_one_sentence(pimdse, small_space, name):
    (pimdse.folder / "folder").mkdir()
    (pimdse.folder / "loop").symlink_to("loop")
    os.mkfifo(pimdse.folder / "pipe")
    for words in [("explore", name, "-o", "a.h5"), ("quick", name, "-o", "a.h5"), ("front", name), ("verify", name), ("diff", name, name), ("merge", name, "-o", "m.h5"),
                  ("dram", "check", name), ("noc", "check", name), ("dram", "replay", "--dram", "L5J", "--trace", name), ("watch", name, "--once")]:
        done = pimdse(*words, timeout=30)
        assert done.returncode == 4, (words[0], done.returncode, done.stderr)
        assert len(done.stderr.strip().splitlines()) == 1 and len(done.stderr) < 400


@pytest.mark.parametrize("name", ["", "folder/", "pipe", "/dev/null", "small.toml", "./folder/../small.toml", "n" * 250, LONG])
def test_what_cannot_be_a_result_file_is_exit_2_and_stays_as_it_is(pimdse, small_space, name):
    (pimdse.folder / "folder").mkdir()
    os.mkfifo(pimdse.folder / "pipe")
    text = small_space.read_text()
    for words in [("explore", "small.toml", "-o", name, "--force", "--budget", 5), ("quick", "small.toml", "-o", name)]:
        done = pimdse(*words, timeout=30)
        assert done.returncode == 2, done.stderr
        assert len(done.stderr.strip().splitlines()) == 1 and len(done.stderr) < 400
    assert small_space.read_text() == text and Path("/dev/null").is_char_device()
    assert sorted(path.name for path in pimdse.folder.iterdir()) == ["folder", "pipe", "small.toml"]


def test_a_name_that_is_no_text_is_written_and_told_as_well_as_json_can(pimdse, small_space):
    name = b"a\xff\xfe.h5"
    command = [pimdse.program.encode(), b"explore", b"small.toml", b"-o", name, b"--budget", b"5", b"--format", b"json", b"--progress", b"none"]
    done = subprocess.run(command, cwd=pimdse.folder, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["points"] == 5
    assert (Path(os.fsdecode(os.fsencode(pimdse.folder) + b"/" + name))).exists()


def test_what_only_a_run_calls_says_so_to_a_person(pimdse):
    for words, given in [((), b""), (("x",), b"garbage" * 100)]:
        done = subprocess.run([pimdse.program, "answer-apart", *words], input=given, capture_output=True, timeout=30)
        assert done.returncode == 2 and done.stderr.count(b"\n") == 1 and b"bug" not in done.stderr


def test_odd_words_stay_on_one_line_and_do_not_fill_the_screen(pimdse):
    for words in [("list", "a\nb"), ("evaluate", LONG), ("evaluate", "umdam", "--set", f"llm={LONG}"), (LONG,), ("list", LONG)]:
        done = pimdse(*words)
        assert done.returncode in (2, 3) and len(done.stderr.splitlines()) == 1 and len(done.stderr) < 1100
