"""Journals that somebody made up are one sentence; what is whole in a damaged one is kept."""
import json
import re
import struct
import subprocess

import pytest

from small_bench import HEAD, SPACE, bench, journal

HOSTILE = {
    "no JSON": b"not JSON",
    "not UTF-8": b'{"architecture": "\xff"}',
    "no keys": {},
    "an objective that is none": {**HEAD, "run": {"planned": 1, "objectives": [["no metric", "minimize"]]}},
    "objectives of another kind": {**HEAD, "run": {"planned": 1, "objectives": [7]}},
    "very many objectives": {**HEAD, "run": {"planned": 1, "objectives": [["latency", "minimize"]] * 50}},
    "a run that is no object": {**HEAD, "run": [1, 2]},
    "texts for numbers": {**HEAD, "run": {"planned": 1, "start": 7}},
    "a long head": None,
}


@pytest.mark.parametrize("what", HOSTILE)
def test_the_head_of_a_hostile_journal_is_one_sentence(bench, what):
    content = (
        journal(HEAD)[:12] + b"\xff\xff\xff\x7f" + journal(HEAD)[16:] + b"\x00" * 40 + b"x"
        if what == "a long head"
        else journal(HOSTILE[what])
    )
    (bench.folder / "a.h5.journal").write_bytes(content)
    done = bench("watch", "a.h5", "--once", timeout=60)
    assert done.returncode == 7, done.stderr
    assert "a.h5.journal" in done.stderr and "bug" not in done.stderr and done.stderr.count("\n") == 1


def answer(metrics, point=0):
    values = b"".join(struct.pack("<d", 1.0) for _ in range(metrics))
    return b"\x01" + struct.pack("<QBId", point, 0, 0, 0.0) + b"\x00" + struct.pack("<HB", metrics, 0) + values


@pytest.mark.parametrize(
    "payload",
    [answer(1), answer(9), b"\x63", b"\x01\x00"],
    ids=["too few metrics", "too many metrics", "unknown kind", "cut off"],
)
def test_a_hostile_record_is_one_sentence(bench, payload):
    (bench.folder / "a.h5.journal").write_bytes(journal(HEAD, payload))
    done = bench("watch", "a.h5", "--once", timeout=60)
    assert (
        done.returncode == 7 and "a.h5.journal cannot be read" in done.stderr and "bug" not in done.stderr
    ), done.stderr


def test_rules_that_are_no_text_are_shown(bench):
    rule = b"r\xff"
    infeasible = (
        b"\x01"
        + struct.pack("<QBId", 0, 0, 0, 0.0)
        + b"\x01"
        + struct.pack("<I", len(rule))
        + rule
        + struct.pack("<I", 0)
    )
    (bench.folder / "a.h5.journal").write_bytes(journal(HEAD, infeasible))
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
    path = rewritten(bench, b"\x01" + struct.pack("<QBId", 2000, 0, 0, 0.0) + b"\x01" + struct.pack("<II", 0, 0))
    before = path.read_bytes()
    done = bench("explore", "slow.toml", "-o", "a.h5", "--resume", "--progress", "none")
    assert done.returncode == 7 and "point 2000 of a space of 2000" in done.stderr, done.stderr
    assert path.read_bytes() == before


def test_a_flipped_bit_in_the_length_of_the_head_costs_no_answer(bench):
    path = rewritten(bench, *(answer(3, point) for point in range(50)))
    broken = bytearray(path.read_bytes())
    broken[15] ^= 1 << 4
    path.write_bytes(broken)
    refused = bench("explore", "slow.toml", "-o", "a.h5", "--resume", "--progress", "none")
    assert refused.returncode == 7 and "nothing was changed" in refused.stderr and path.read_bytes() == broken
    kept = bench(
        "explore",
        "slow.toml",
        "-o",
        "a.h5",
        "--resume",
        "--force",
        "--time-limit",
        "1 s",
        "--progress",
        "none",
        "--format",
        "json",
    )
    assert "names this space" in kept.stderr, kept.stderr
    after = bench("explore", "slow.toml", "-o", "a.h5", "--resume", "--dry-run").stdout
    answered = int(re.search(r"(\d+) answered already", after)[1])
    assert answered == 50 + json.loads(kept.stdout)["evaluated"], after
    assert (bench.folder / "a.h5.journal.damaged").read_bytes() == broken
