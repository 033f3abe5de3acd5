"""What is whole in a damaged journal is kept (journals that somebody made up are in message_cases_of_*.py)."""
import json
import struct
import subprocess

from conftest import refused
from small_bench import HEAD, SPACE, bench, infeasible, journal, result


def test_rules_that_are_no_text_are_shown(bench):
    (bench.folder / "a.h5.journal").write_bytes(journal(HEAD, infeasible(0, b"r\xff")))
    done = subprocess.run(
        [bench.program, "watch", "a.h5", "--once", "--format", "json"],
        cwd=bench.folder,
        capture_output=True,
        timeout=60,
    )
    assert done.returncode == 75, done.stderr
    assert list(json.loads(done.stdout)["rules"].values()) == [1]


def rewritten(bench, *payloads):
    """The journal of a killed run, with these records for its own."""
    (bench.folder / "slow.toml").write_text(SPACE + 'cost = "5 ms"\n')
    job = bench.start("explore", "slow.toml", "-o", "a.h5", "--progress", "none")
    path = bench.folder / "a.h5.journal"
    while not path.exists():
        assert job.poll() is None
    job.kill()
    job.communicate()
    length = struct.unpack_from("<I", path.read_bytes(), 12)[0]
    path.write_bytes(path.read_bytes()[:20 + length] + journal(HEAD, *payloads)[len(journal(HEAD)):])
    return path


def test_an_answer_beyond_the_space_is_refused(bench):
    path = rewritten(bench, infeasible(2000))
    before = path.read_bytes()
    refused(bench("explore", "slow.toml", "-o", "a.h5", "--resume", "--progress", "none"), 7, "a.h5.journal", "2000")
    assert path.read_bytes() == before


def test_a_flipped_bit_in_the_length_of_the_head_costs_no_answer(bench):
    path = rewritten(bench, *(result(3, point) for point in range(50)))
    broken = bytearray(path.read_bytes())
    broken[15] ^= 1 << 4
    path.write_bytes(broken)
    explore = ("explore", "slow.toml", "-o", "a.h5", "--resume", "--progress", "none")
    refused(bench(*explore), 7, "a.h5.journal")
    assert path.read_bytes() == broken
    kept = bench(*explore, "--force", "--time-limit", "1 s", "--format", "json")
    assert "a.h5.journal" in kept.stderr, kept.stderr
    watched = json.loads(bench("watch", "a.h5", "--once", "--format", "json").stdout)
    assert watched["answered"] == 50 + json.loads(kept.stdout)["evaluated"]
    assert (bench.folder / "a.h5.journal.damaged").read_bytes() == broken
