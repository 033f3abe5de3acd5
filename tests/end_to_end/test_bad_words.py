"""What flags, environments and names of files cannot say: one sentence, and nothing is written."""
import json
import os
import subprocess
from pathlib import Path

import pytest

EXPLORE = ("explore", "small.toml", "-o", "a.h5")
WRONG_VALUES = [
    (*EXPLORE, "--budget", "-1"),
    (*EXPLORE, "--threads", "-5"),
    (*EXPLORE, "--threads", "1000000"),
    (*EXPLORE, "--seed", "1.5"),
    (*EXPLORE, "--time-limit", "abc"),
    (*EXPLORE, "--time-limit", "1e300 s"),
    (*EXPLORE, "--fidelity", "nope"),
    (*EXPLORE, "--objectives", "nope"),
    (*EXPLORE, "--strategy", "nope"),
    (*EXPLORE, "--keep", "nope"),
    (*EXPLORE, "--shard", "0/-1"),
    (*EXPLORE, "--supervise", "--restarts", "-3"),
    (*EXPLORE, "--supervise", "--spare-nodes", "x"),
    (*EXPLORE, "--launch", "mpirun -n 2"),
    (*EXPLORE, "--restarts", "3"),
    (*EXPLORE, "--spare-nodes", "1"),
    ("quick", "small.toml", "--threads", "-1"),
    ("diff", "a.h5", "b.h5", "--relative", "nan"),
    ("diff", "a.h5", "b.h5", "--relative", "-1"),
    ("verify", "a.h5", "--sample", "-1"),
    ("verify", "a.h5", "--seed", "x"),
    ("watch", "a.h5", "--interval", "nan"),
    ("watch", "a.h5", "--interval", "-1"),
    ("evaluate", "umdam", "--fidelity", "exact"),
    ("dram", "replay", "--dram", "L5J", "--stream", "seq:4096", "--window", "-1"),
    ("dram", "replay", "--dram", "L5J", "--stream", "seq:4096", "--density", "-1"),
    ("dram", "replay", "--dram", "L5J", "--stream", "seq:4096", "--coll-bits", "-2"),
    ("dram", "replay", "--dram", "L5J", "--stream", "seq:4096", "--tries", "0"),
    ("noc", "replay", "--load", "nan"),
    ("noc", "replay", "--cycles", "9223372036854775807"),
    ("noc", "replay", "--warmup", "-1"),
    ("noc", "replay", "--seed", "-1"),
    ("noc", "check", "x.csv", "--packets", "-5"),
]


@pytest.mark.parametrize("words", WRONG_VALUES, ids=lambda words: " ".join(words[-2:]))
def test_what_a_flag_cannot_say_is_exit_2_and_one_sentence(pimdse, small_space, words):
    done = pimdse(*words, timeout=30)
    assert done.returncode == 2 and done.stdout == "", done.stderr
    assert len(done.stderr.strip().splitlines()) == 1 and done.stderr.startswith("pimdse: ")
    assert [path.name for path in pimdse.folder.iterdir()] == ["small.toml"]


@pytest.mark.parametrize("words", [("evaluate", "umdam"), EXPLORE, ("flips", "small.toml")], ids=lambda words: words[0])
def test_an_unknown_assumption_is_exit_3_wherever_it_is_named(pimdse, small_space, words):
    done = pimdse(*words, "--assume", "node=3nm", timeout=30)
    assert done.returncode == 3 and done.stdout == ""
    assert "--assume node=3nm" in done.stderr and "'5nm'" in done.stderr


def test_numbers_of_threads_in_the_environment_are_checked(pimdse, small_space):
    for variable, text in [
        ("PIMDSE_THREADS", "abc"),
        ("PIMDSE_THREADS", "-1"),
        ("SLURM_CPUS_PER_TASK", "0"),
        ("SLURM_CPUS_PER_TASK", "99999999"),
    ]:
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
    for words in [
        ("explore", name, "-o", "a.h5"),
        ("quick", name, "-o", "a.h5"),
        ("front", name),
        ("verify", name),
        ("diff", name, name),
        ("merge", name, "-o", "m.h5"),
        ("dram", "check", name),
        ("noc", "check", name),
        ("dram", "replay", "--dram", "L5J", "--trace", name),
        ("watch", name, "--once"),
    ]:
        done = pimdse(*words, timeout=30)
        assert done.returncode == 4, (words[0], done.returncode, done.stderr)
        assert len(done.stderr.strip().splitlines()) == 1 and len(done.stderr) < 400


@pytest.mark.parametrize(
    "name", ["", "folder/", "pipe", "/dev/null", "small.toml", "./folder/../small.toml", "n" * 250, LONG]
)
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
    command = [
        pimdse.program.encode(),
        b"explore",
        b"small.toml",
        b"-o",
        name,
        b"--budget",
        b"5",
        b"--format",
        b"json",
        b"--progress",
        b"none",
    ]
    done = subprocess.run(command, cwd=pimdse.folder, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["points"] == 5
    assert (Path(os.fsdecode(os.fsencode(pimdse.folder) + b"/" + name))).exists()


def test_what_only_a_run_calls_says_so_to_a_person(pimdse):
    for words, given in [((), b""), (("x",), b"garbage" * 100)]:
        done = subprocess.run([pimdse.program, "answer-apart", *words], input=given, capture_output=True, timeout=30)
        assert done.returncode == 2 and done.stderr.count(b"\n") == 1 and b"bug" not in done.stderr


def test_odd_words_stay_on_one_line_and_do_not_fill_the_screen(pimdse):
    for words in [
        ("list", "a\nb"),
        ("evaluate", LONG),
        ("evaluate", "umdam", "--set", f"llm={LONG}"),
        (LONG,),
        ("list", LONG),
    ]:
        done = pimdse(*words)
        assert done.returncode in (2, 3) and len(done.stderr.splitlines()) == 1 and len(done.stderr) < 1100
