"""Environments and names of files that cannot be used: one sentence, and nothing is written."""
import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from conftest import refused

EXPLORE = ("explore", "small.toml", "-o", "a.h5")
def test_numbers_of_threads_in_the_environment_are_checked(pimdse, small_space):
    for variable, text in [
        ("PIMDSE_THREADS", "abc"),
        ("PIMDSE_THREADS", "-1"),
        ("SLURM_CPUS_PER_TASK", "0"),
        ("SLURM_CPUS_PER_TASK", "99999999"),
    ]:
        refused(pimdse(*EXPLORE, env={variable: text}), 2, variable, f"'{text}'")


@pytest.mark.parametrize("rank", [0, 1])
def test_the_launcher_of_another_mpi_is_reported_once_and_nothing_is_written(pimdse, small_space, rank):
    done = pimdse(*EXPLORE, env={"PMI_RANK": str(rank), "PMI_SIZE": "4"}, timeout=60)
    assert done.returncode == 2
    counts = re.findall(r"(?<![\d.v])\d+(?![\d.])", done.stderr)
    assert counts == (["4", "1"] if rank == 0 else []), done.stderr
    assert done.stderr.count("\n") == (rank == 0)
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
        refused(done, 4)
        assert len(done.stderr) < 400


@pytest.mark.parametrize(
    "name", ["", "folder/", "pipe", "/dev/null", "small.toml", "./folder/../small.toml", "n" * 250, LONG]
)
def test_what_cannot_be_a_result_file_is_exit_2_and_stays_as_it_is(pimdse, small_space, name):
    (pimdse.folder / "folder").mkdir()
    os.mkfifo(pimdse.folder / "pipe")
    text = small_space.read_text()
    for words in [("explore", "small.toml", "-o", name, "--force", "--budget", 5), ("quick", "small.toml", "-o", name)]:
        done = pimdse(*words, timeout=30)
        refused(done, 2)
        assert len(done.stderr) < 400
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


def test_the_verb_of_worker_processes_refuses_what_no_run_sends(pimdse):
    done = subprocess.run([pimdse.program, "evaluate-apart", "x"], input=b"garbage" * 100, capture_output=True,
                          timeout=30)
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
