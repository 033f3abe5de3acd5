"""Every verb under a launcher: some use all ranks, the others run on the first one, and the job always ends."""
import json
import os
import re
import signal
import subprocess
import sys
import time

import h5py
import pytest

from conftest import MPIEXEC, PIMDSE, ROOT, UPMEM_STREAMS, in_campaign, same_file

sys.path.insert(0, str(ROOT) + "/analysis")
from pimdse import Explorer, Refused  # noqa: E402

WORKBENCH = os.environ["PIMDSE_WORKBENCH"]
SLOW = """schema = 1
architecture = "workbench"
objectives = ["latency", "energy"]
[parameters]
x = { from = 1, to = 200 }
cost = "50 ms"
"""
RANKS = [in_campaign(1), 2, in_campaign(4)]


def launched(ranks, program=PIMDSE):
    return [MPIEXEC, "-n", str(ranks), "--bind-to", "none", program] if ranks else [program]


def served(folder, lines, output, ranks=None):
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    done = subprocess.run([*launched(ranks), "serve", "s.toml", "-o", output], input=text, capture_output=True,
                          text=True, cwd=folder, timeout=60)
    replies = [json.loads(line) for line in done.stdout.splitlines()]
    return done, sorted(replies, key=lambda reply: str(reply["tag"]))


@pytest.mark.parametrize("ranks", RANKS)
def test_replies_and_the_file_of_served_points_are_those_of_one_process(pimdse, ranks):
    (pimdse.folder / "s.toml").write_text(UPMEM_STREAMS)
    ids = [str(number) for number in range(80)]
    lines = [{"verb": "describe", "tag": "d"}]
    lines += [{"verb": "evaluate", "tag": k, "ids": ids[k::4], "fidelity": f} for k, f in
              enumerate(["analytic", "analytic", "analytic", "cycle"])]
    lines += ["no JSON", {"verb": "evaluate", "tag": "outside", "ids": ["80"]}]
    alone, expected = served(pimdse.folder, lines, "alone.h5")
    job, replies = served(pimdse.folder, lines, "ranks.h5", ranks)
    assert alone.returncode == job.returncode == 0, job.stderr
    assert replies == expected and len(replies) == 7
    assert same_file(pimdse.folder, "alone.h5", "ranks.h5")


@pytest.mark.parametrize("ranks", RANKS)
def test_the_end_of_an_empty_input_ends_every_rank(pimdse, ranks):
    (pimdse.folder / "s.toml").write_text(UPMEM_STREAMS)
    done, replies = served(pimdse.folder, [], "s.h5", ranks)
    assert done.returncode == 0 and replies == [] and (pimdse.folder / "s.h5").exists(), done.stderr


@pytest.mark.parametrize("ranks", [2, in_campaign(4)])
def test_requests_that_come_while_ranks_evaluate_are_replied_to_in_their_turn(tmp_path, ranks):
    (tmp_path / "s.toml").write_text(SLOW)
    flags = ("--threads", 1)
    with Explorer(tmp_path / "s.toml", tmp_path / "s.h5", *flags, program=WORKBENCH,
                  launcher=launched(ranks)[:-1]) as explorer:
        first = explorer.begin(ids=range(20))
        second = explorer.begin(ids=range(10, 30))
        with pytest.raises(Refused, match="999"):
            explorer.evaluate(ids=[999])
        assert [answer["id"] for answer in explorer.end(second)] == [str(i) for i in range(10, 30)]
        assert len(explorer.end(first)) == 20
    with h5py.File(tmp_path / "s.h5") as file:
        assert file["point_id"][:].tolist() == list(range(30))


@pytest.mark.parametrize("number", [signal.SIGUSR1, in_campaign(signal.SIGUSR2)])
def test_a_signal_ends_served_ranks_in_order(tmp_path, number):
    (tmp_path / "s.toml").write_text(SLOW)
    words = [*launched(2, WORKBENCH), "serve", "s.toml", "-o", "s.h5", "--threads", "1"]
    job = subprocess.Popen(words, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           text=True)
    job.stdin.write('{"verb": "evaluate", "tag": 1, "ids": ["0"]}\n')
    job.stdin.flush()
    assert json.loads(job.stdout.readline())["tag"] == 1
    job.send_signal(number)
    until = time.monotonic() + 30
    while job.poll() is None and time.monotonic() < until:
        time.sleep(0.05)
    job.stdin.close()
    assert job.wait(timeout=10) == 75, job.stderr.read()
    assert (tmp_path / "s.h5").exists() and not (tmp_path / "s.h5.journal").exists()


@pytest.mark.parametrize("words, code", [
    (["serve", "s.toml", "-o", "s.h5", "--no-such-flag"], 2),
    in_campaign(["serve", "fronts.toml", "-o", "s.h5"], 3),
    in_campaign(["serve", "missing.toml", "-o", "s.h5"], 4),
    (["explore", "missing.toml", "-o", "s.h5"], 4),
])
def test_a_mistake_ends_every_rank_and_is_said_once(pimdse, words, code):
    (pimdse.folder / "s.toml").write_text(UPMEM_STREAMS)
    (pimdse.folder / "fronts.toml").write_text(UPMEM_STREAMS + '[search]\nkeep = "front"\n')
    alone, job = pimdse(*words, timeout=30), pimdse(*words, ranks=2, timeout=30)
    assert alone.returncode == job.returncode == code, job.stderr
    sentences = [line for line in job.stderr.splitlines() if line.startswith("pimdse:")]
    assert sentences == alone.stderr.splitlines()


@pytest.mark.parametrize("ranks", [in_campaign(1), 2, in_campaign(4)])
def test_verbs_of_one_process_run_once(pimdse, ranks):
    pimdse.ok("explore", ROOT / "spaces/quick.toml", "-o", "q.h5", "--progress", "none")
    for words in (["front", "q.h5"], ["watch", "q.h5", "--once"], ["list", "spaces"], ["explore", "--help"],
                  ["serve", "--help"], ["--version"], ["help"],
                  ["evaluate", "gpu", "--format", "json"], ["front", "missing.h5"], ["no-such-verb"]):
        alone, job = pimdse(*words), pimdse(*words, ranks=ranks)
        assert (job.returncode, job.stdout) == (alone.returncode, alone.stdout), words


def test_ranks_that_outnumber_cores_are_counted(pimdse):
    """Two ranks that may use one core between them."""
    words = ["explore", str(ROOT / "spaces/quick.toml"), "-o", "q.h5", "--force", "--progress", "none"]
    core = str(min(os.sched_getaffinity(0)))
    run = lambda *start: subprocess.run([*start, *launched(2), *words], cwd=pimdse.folder, capture_output=True,
                                        text=True, stdin=subprocess.DEVNULL, timeout=60)
    crowded = run("taskset", "-c", core)
    assert crowded.returncode == 0 and re.search(r"pimdse: 2 ranks .*\b1 core of ", crowded.stderr), crowded.stderr
    if len(os.sched_getaffinity(0)) > 1:
        assert run().stderr == ""
