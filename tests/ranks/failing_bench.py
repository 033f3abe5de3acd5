"""Points that fail on request, and runs over them."""
import json
import os
import time
from pathlib import Path

import pytest

from conftest import Runner

SPACE = """schema = 1
architecture = "workbench"
objectives = ["latency", "energy"]
[parameters]
x = {{ from = 1, to = {points} }}
trouble = "{trouble}"
trouble_at = 37
cost = "{cost}"
"""


@pytest.fixture
def bench(tmp_path):
    return Runner(tmp_path, os.environ["PIMDSE_WORKBENCH"])


def space(bench, trouble="none", points=100, cost="0 s", name="space.toml"):
    (bench.folder / name).write_text(SPACE.format(trouble=trouble, points=points, cost=cost))
    return name


def explore(bench, *words, **options):
    return bench("explore", *words, "--format", "json", "--progress", "none", **options)


def only_failure(done):
    assert done.returncode == 5, done.stderr
    failures = json.loads(done.stdout)["failures"]
    assert [f["point"] for f in failures] == [36]
    return failures[0]


def ranks_of(job):
    children = Path(f"/proc/{job.pid}/task/{job.pid}/children").read_text().split()
    return [int(c) for c in children]


def start(bench, *words, ranks):
    job = bench.start("explore", *words, "--format", "json", "--progress", "none", ranks=ranks)
    until = time.monotonic() + 30
    while not (bench.folder / "a.h5.journal").exists() or len(ranks_of(job)) < ranks:
        assert time.monotonic() < until
        time.sleep(0.02)
    time.sleep(0.5)
    return job
