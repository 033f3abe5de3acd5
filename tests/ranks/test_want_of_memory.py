"""A host that refuses memory, threads or processes: the run ends with exit code 7 and one sentence, no point is stored
as failed, and --resume on a better host ends as if nothing had happened."""
import json
import os
import resource
import subprocess
from pathlib import Path

import pytest

from conftest import CAMPAIGN, MPIEXEC, PIMDSE, thinned
from failing_bench import bench, explore, only_failure, space  # noqa: F401

FEW_THREADS = str(Path(os.environ["PIMDSE_WORKBENCH"]).parent / "libfew_threads.so")
SPACE = """schema = 1
architecture = "umdam"
objectives = ["latency", "energy"]
[parameters]
llm = "opt-6.7b"
channels = [4, 16]
npu_buffer = ["1 MiB", "4 MiB"]
input = 64
output = 4
"""


def limited(folder, megabytes, *words, program=PIMDSE, ranks=None, env=None, asked=""):
    """The program with so much address space."""
    def limit():
        if megabytes:
            resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
    launcher = [MPIEXEC, "-n", str(ranks), "--bind-to", "none"] if ranks else []
    return subprocess.run([*launcher, program, *map(str, words)], cwd=folder, capture_output=True, text=True,
                          timeout=300, input=asked, preexec_fn=limit, env={**os.environ, **(env or {})})


def refused_by_host(done):
    """Exit code 7 and sentences of this program only: one for each process that could not go on."""
    said = [line for line in done.stderr.splitlines() if line.startswith("pimdse: ")]
    assert done.returncode == 7 and said, (done.returncode, done.stderr)
    assert "bug" not in done.stderr and "terminate called" not in done.stderr, done.stderr
    return said


def digest(done):
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["digest"]


def run(folder, megabytes, *more, output="a.h5", **options):
    return limited(folder, megabytes, "explore", "space.toml", "-o", output, "--format", "json", "--progress", "none",
                   "--threads", 4, *more, **options)


def test_with_any_address_space_a_run_is_right_or_ends_with_code_7_and_is_resumed(tmp_path):
    (tmp_path / "space.toml").write_text(SPACE)
    wanted, ended = digest(run(tmp_path, None, "--fidelity", "cycle", output="whole.h5")), []
    for step in thinned(2, range(6)):
        name = f"{step}.h5"
        done = run(tmp_path, 60 + 60 * step, "--fidelity", "cycle", output=name)
        ended.append(done.returncode)
        if done.returncode == 0:
            assert digest(done) == wanted
        else:
            refused_by_host(done)
        more = ["--resume"] if (tmp_path / f"{name}.journal").exists() or (tmp_path / name).exists() else []
        assert digest(run(tmp_path, None, "--fidelity", "cycle", *more, output=name)) == wanted, step
    assert 7 in ended, ended


@pytest.mark.parametrize("ranks", [None, 3])
def test_a_point_for_which_there_is_no_memory_is_not_stored(bench, ranks):  # noqa: F811
    words = (space(bench, "memory"), "-o", "a.h5", "--threads", 2)
    wanted = digest(explore(bench, words[0], "-o", "whole.h5"))
    for more in ([], ["--resume"]):  # where the points are, and in children
        refused_by_host(limited(bench.folder, 900, "explore", *words, "--format", "json", "--progress", "none", *more,
                                program=bench.program, ranks=ranks))
    done = explore(bench, *words, "--resume", ranks=ranks)
    assert digest(done) == wanted


def test_with_any_number_of_threads_a_run_is_right_or_ends_with_code_7_and_is_resumed(bench):  # noqa: F811
    name = space(bench, "thread")  # a point starts one, too
    wanted, ended = digest(explore(bench, name, "-o", "whole.h5")), []
    for allowed in range(0, 16, 1 if CAMPAIGN else 3):
        words = (name, "-o", f"{allowed}.h5", "--threads", 4)
        done = explore(bench, *words, env={"LD_PRELOAD": FEW_THREADS, "THREADS_ALLOWED": str(allowed)})
        ended.append(done.returncode)
        if done.returncode != 0:
            assert "ulimit -u" in refused_by_host(done)[0]
        more = ["--resume"] if (bench.folder / f"{allowed}.h5.journal").exists() or done.returncode == 0 else []
        assert digest(explore(bench, *words, *more)) == wanted, allowed
    assert 7 in ended and ended[-1] == 0, ended


def test_without_processes_no_point_is_blamed(bench):  # noqa: F811
    words = (space(bench, "crash"), "-o", "a.h5", "--threads", 2)
    assert explore(bench, *words).returncode not in (0, 5, 7)
    refused_by_host(explore(bench, *words, "--resume", env={"LD_PRELOAD": FEW_THREADS, "CHILDREN_ALLOWED": "0"}))
    assert only_failure(explore(bench, *words, "--resume"))["class"] == "crash"


@pytest.mark.parametrize("words", [["evaluate", "umdam", "--set", "llm=opt-6.7b"], ["front", "whole.h5"],
                                   ["verify", "whole.h5"], ["explain", "whole.h5", "0"]])
def test_other_verbs_say_it_too(tmp_path, words):
    (tmp_path / "space.toml").write_text(SPACE)
    run(tmp_path, None, output="whole.h5")
    codes = set()
    for megabytes in thinned(2, range(112, 32, -8)):
        done = limited(tmp_path, megabytes, *words)
        codes.add(done.returncode)
        if done.returncode not in (0, 127, -11):  # else the loader of the program got too little
            refused_by_host(done)
    assert 0 in codes, codes


def test_a_service_ends_with_it(bench):  # noqa: F811
    name = space(bench, "memory")
    asked = json.dumps({"verb": "evaluate", "tag": 1, "ids": [str(i) for i in range(100)]}) + "\n"
    done = limited(bench.folder, 900, "serve", name, "-o", "a.h5", program=bench.program, asked=asked)
    refused_by_host(done)
    again = limited(bench.folder, None, "serve", name, "-o", "a.h5", "--resume", program=bench.program, asked=asked)
    assert {answer["status"] for answer in json.loads(again.stdout)["answers"]} == {"ok"}
