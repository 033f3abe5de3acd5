"""What the Python tests share: the built binary, MPI launches and comparisons of result files."""
import json
import os
import shutil
import signal
import struct
import subprocess
import time
from pathlib import Path

import h5py
import pytest

PIMDSE = os.environ["PIMDSE"]
ROOT = Path(os.environ["PIMDSE_ROOT"])
MPIEXEC = os.environ.get("MPIEXEC", "mpirun")
CAMPAIGN = os.environ.get("PIMDSE_CAMPAIGN") == "1"


def pytest_configure(config):
    config.addinivalue_line("markers", "campaign: takes long; the campaign runs it, the normal test does not")


def pytest_collection_modifyitems(items):
    """Of files that are dealt into several tests (PIMDSE_PART=2/3), those that belong to this one."""
    part, parts = map(int, os.environ.get("PIMDSE_PART", "1/1").split("/"))
    files = sorted({item.path for item in items})
    items[:] = [item for item in items if files.index(item.path) % parts == part - 1]


def one_of(every, values):
    """Parameters of a test: the normal test has the first of every so many, the campaign all."""
    return [value if i % every == 0 else pytest.param(value, marks=pytest.mark.campaign)
            for i, value in enumerate(values)]


def thinned(every, values):
    """Steps of a loop: the normal test takes the first of every so many, the campaign all."""
    return list(values)[::1 if CAMPAIGN else every]


def in_campaign(*values):
    """Parameters, or several parameters at once, that only the campaign has."""
    return pytest.param(*values, marks=pytest.mark.campaign)

# Of space files of several tests.
UPMEM_CLOCKS = """schema = 1
architecture = "upmem"
objectives = ["latency", "energy"]
[parameters]
tasklets  = [4, 8, 16]
dma_block = [8, 12, 1024]
frequency = ["350 MHz", "400 MHz"]
"""
UPMEM_STREAMS = """schema = 1
architecture = "upmem"
objectives = ["latency", "energy"]
[parameters]
kernel = "va"
elements = [65536, 262144]
streams = [1, 2, 4, 8]
tasklets = [1, 4, 8, 11, 16]
lock = ["none", "exclusive"]
"""
# Parameters along which the lower bounds of cim_mesh have a direction.
ROUTER_AXES = """frequency = { from = "0.25 GHz", to = "2 GHz", step = "0.25 GHz" }
dmacs = { from = 1, to = 128, times = 2 }
fifo_bytes = [32, 64, 128, 256, 512]
scratchpad = [16384, 32768, 65536, 131072]
context_tile = { from = 1, to = 128, times = 2 }
smac_cycles = [0, 1, 2, 4, 8, 16, 32]
lora_rank = [4, 8, 16]
"""


def heed_signals():
    """As in a terminal, although the tests may run in the background, where some signals are ignored."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


class Runner:
    """Runs pimdse in a folder of its own."""

    def __init__(self, folder, program=PIMDSE):
        self.folder, self.program = folder, program

    def __call__(self, *words, ranks=None, timeout=3600 if CAMPAIGN else 240, env=None):
        launcher = [MPIEXEC, "-n", str(ranks), "--bind-to", "none"] if ranks else []
        return subprocess.run(
            [*launcher, self.program, *map(str, words)],
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=timeout,
            stdin=subprocess.DEVNULL,
            env={**os.environ, **(env or {})},
        )

    def ok(self, *words, **options):
        done = self(*words, **options)
        assert done.returncode == 0, f"{words}: rc {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def json(self, *words, **options):
        """What a verb prints with --format json."""
        return json.loads(self.ok(*words, "--format", "json", **options))

    def start(self, *words, ranks=None):
        launcher = [MPIEXEC, "-n", str(ranks), "--bind-to", "none"] if ranks else []
        return subprocess.Popen(
            [*launcher, self.program, *map(str, words)],
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            stdin=subprocess.DEVNULL,
            preexec_fn=heed_signals,
        )


def answers_in(journal):
    """The number of whole records with results in a journal (docs/file_format.md), also while it is written."""
    content = journal.read_bytes() if journal.exists() else b""
    at = 20 + struct.unpack_from("<I", content, 12)[0] if len(content) >= 20 else len(content)
    found = 0
    while at + 16 < len(content):
        end = at + 16 + struct.unpack_from("<I", content, at)[0]
        found += end <= len(content) and content[at + 16] in (1, 3, 4)   # a result, a block of results, a part of one
        at = end
    return found


def wait_for_answers(run, journal, answers=1, seconds=120):
    """Until the journal of a run holds so many answers: its first records only say what was started."""
    until = time.monotonic() + seconds
    while answers_in(journal) < answers:
        assert run.poll() is None and time.monotonic() < until
        time.sleep(0.01)


def refused(done, code, *facts):
    """The exit code, and one line on standard error that states these facts: names, figures, FILE:LINE, suggestions."""
    assert done.returncode == code, f"rc {done.returncode}\n{done.stdout}\n{done.stderr}"
    assert done.stderr.count("\n") == 1 and done.stderr.startswith("pimdse: "), done.stderr[:2000]
    assert len(done.stderr) < 1000 and "bug" not in done.stderr
    assert [fact for fact in facts if str(fact) not in done.stderr] == [], done.stderr


def holds(pimdse, name, *words):
    """What verify prints of a result file that holds."""
    printed = pimdse.json("verify", name, *words)
    assert printed["holds"] and printed["problems"] == [] and printed["evaluated_again"] > 0
    return printed


@pytest.fixture
def pimdse(tmp_path):
    return Runner(tmp_path)


@pytest.fixture(scope="session")
def explored_once(tmp_path_factory):
    """explored_once(runner, text, output, *flags): the result file of a space, explored once for all tests."""
    folder, known = tmp_path_factory.mktemp("explored"), {}

    def explored(runner, text, output, *flags):
        key = (runner.program, text, flags)
        if key not in known:
            known[key] = folder / f"{len(known)}.h5"
            (folder / "space.toml").write_text(text)
            words = ("explore", "space.toml", "-o", known[key].name, "--progress", "none", *flags)
            Runner(folder, runner.program).ok(*words)
        shutil.copy(known[key], runner.folder / output)

    return explored


def same_file(folder, left, right):
    """True if two result files say the same outside /timing and /provenance: h5diff finds nothing, and no empty dataset
    hides a difference."""
    done = subprocess.run(
        ["h5diff", "--exclude-path", "/timing", "--exclude-path", "/provenance", left, right],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode in (0, 1), done.stderr
    return done.returncode == 0 and shapes(folder / left) == shapes(folder / right)


def shapes(path):
    found = {}
    with h5py.File(path) as file:
        file.visititems(
            lambda name, item: found.update({name: getattr(item, "shape", None)})
            if not name.startswith(("timing", "provenance"))
            else None
        )
    return found


SMALL = """schema = 1
architecture = "cim_mesh"
workload = { input = 128, output = 64 }
objectives = ["latency", "power"]
[parameters]
llm       = ["llama-3.2-1b", "llama-2-13b"]
lora_rank = [0, 8, 64]
gating    = ["srpg", "none"]
mesh_rows = { from = 16, to = 64, step = 16 }
mesh_cols = { from = 16, to = 64, step = 8 }
[[constraint]]
name = "short"
expr = "latency <= 10 s"
"""


@pytest.fixture
def small_space(tmp_path):
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return path
