"""What a full disk, a damaged journal and another run's journal do to an exploration: one sentence, and nothing that
was kept is lost."""
import json
import os
import re
import signal
import subprocess

import pytest

from conftest import MPIEXEC, Runner, in_campaign, refused, wait_for_answers

SPACE = """schema = 1
architecture = "workbench"
objectives = ["latency", "energy"]
[parameters]
x = { from = 1, to = 20000 }
"""


@pytest.fixture
def bench(tmp_path):
    (tmp_path / "space.toml").write_text(SPACE)
    return Runner(tmp_path, os.environ["PIMDSE_WORKBENCH"])


# Writing beyond 16 MB fails as on a full disk.
ON_A_SMALL_DISK = ["sh", "-c", 'trap "" XFSZ; ulimit -f 32768; exec "$@"', "sh"]


@pytest.mark.parametrize("ranks", [None, in_campaign(2)])
def test_a_full_disk_ends_the_run_and_what_was_kept_is_gone_on_with(bench, ranks):
    (bench.folder / "large.toml").write_text(SPACE.replace("20000 }", "20000 }\ny = { from = 1, to = 15 }"))
    launcher = [MPIEXEC, "-n", str(ranks), "--bind-to", "none"] if ranks else []
    done = subprocess.run(
        [*launcher, *ON_A_SMALL_DISK, bench.program, "explore", "large.toml", "-o", "a.h5", "--progress", "none"],
        cwd=bench.folder,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 7, done.stderr
    assert "a.h5.journal" in done.stderr and "File too large" in done.stderr
    assert not (bench.folder / "a.h5").exists() and 0 < (bench.folder / "a.h5.journal").stat().st_size <= 16 * 2**20
    rest = bench.json("explore", "large.toml", "-o", "a.h5", "--resume", "--progress", "none")
    assert rest["remembered"] > 1000 and rest["points"] == 300000
    assert rest["digest"] == bench.json("explore", "large.toml", "-o", "whole.h5")["digest"]


SLOW = SPACE.replace("20000", "4000") + 'cost = "0.3 ms"\nwork = "spin"\n'


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """A journal as kill -9 leaves it, made once for all tests."""
    bench = Runner(tmp_path_factory.mktemp("killed"), os.environ["PIMDSE_WORKBENCH"])
    (bench.folder / "slow.toml").write_text(SLOW)
    job = bench.start("explore", "slow.toml", "-o", "a.h5", "--threads", 1, "--progress", "none")
    wait_for_answers(job, bench.folder / "a.h5.journal", 1500)
    job.kill()
    job.communicate()
    return (bench.folder / "a.h5.journal").read_bytes()


@pytest.fixture
def journal(bench, killed):
    (bench.folder / "slow.toml").write_text(SLOW)
    path = bench.folder / "a.h5.journal"
    path.write_bytes(killed)
    return path


def test_a_damaged_record_is_reported_and_the_rest_can_be_kept(bench, journal):
    content = bytearray(journal.read_bytes())
    content[-20_000] ^= 0x40
    journal.write_bytes(content)
    refused(bench("explore", "slow.toml", "-o", "a.h5", "--resume"), 7, "a.h5.journal", "bytes", "records")
    assert journal.read_bytes() == content, "nothing was changed"
    kept = bench("explore", "slow.toml", "-o", "a.h5", "--resume", "--force", "--format", "json", "--progress", "none")
    assert kept.returncode == 0, kept.stderr
    (damaged,) = bench.folder.glob("*.damaged*")
    assert damaged.name in kept.stderr and damaged.read_bytes() == content
    summary = json.loads(kept.stdout)
    assert summary["points"] == 4000 and summary["remembered"] > 500
    assert summary["digest"] == bench.json("explore", "slow.toml", "-o", "whole.h5", "--progress", "none")["digest"]


def test_the_journal_of_another_space_is_not_touched(bench, journal):
    before = journal.read_bytes()
    refused(bench("explore", "space.toml", "-o", "a.h5", "--resume"), 3, "a.h5.journal")
    assert journal.read_bytes() == before


def test_a_second_run_waits_for_the_first_and_is_then_refused(bench):
    (bench.folder / "slow.toml").write_text(SPACE + 'cost = "2 ms"\n')
    job = bench.start("explore", "slow.toml", "-o", "a.h5", "--threads", 1, "--progress", "none")
    while not (bench.folder / "a.h5.journal").exists():
        assert job.poll() is None
    refused(bench("explore", "slow.toml", "-o", "a.h5", "--resume", "--progress", "none"), 7, "a.h5")
    job.send_signal(signal.SIGINT)
    assert job.wait(30) == 75


def test_a_dry_run_counts_what_a_killed_run_left(bench, journal):
    before = journal.read_bytes()
    out = bench.ok("explore", "slow.toml", "-o", "a.h5", "--resume", "--dry-run")
    answered = json.loads(bench("watch", "a.h5", "--once", "--format", "json").stdout)["answered"]
    assert answered > 500 and str(answered) in re.findall(r"\d+", out.splitlines()[0])
    assert journal.read_bytes() == before
