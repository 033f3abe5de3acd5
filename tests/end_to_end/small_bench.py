"""A space of quick points in a folder of its own, and journals as anybody could write them."""
import json
import os
import struct
import zlib

import pytest

from conftest import Runner

SPACE = """schema = 1
architecture = "workbench"
objectives = ["latency", "energy"]
[parameters]
x = { from = 1, to = 2000 }
"""


@pytest.fixture
def bench(tmp_path):
    (tmp_path / "space.toml").write_text(SPACE)
    return Runner(tmp_path, os.environ["PIMDSE_WORKBENCH"])


def points_in(bench, name):
    return json.loads(bench.ok("watch", name, "--once", "--format", "json"))["answered"]


HEAD = {
    "architecture": "workbench",
    "metrics": ["latency", "energy"],
    "space": "",
    "space_text": "",
    "space_digest": "",
    "run": {"planned": 10, "objectives": []},
}


def journal(head, *payloads):
    text = head if isinstance(head, bytes) else json.dumps(head).encode()
    content = b"PIMDSEJ\n" + struct.pack("<III", 1, len(text), zlib.crc32(text)) + text
    for number, payload in enumerate(payloads, 1):
        checked = struct.pack("<Q", number) + payload
        content += struct.pack("<II", len(payload), zlib.crc32(checked)) + checked
    return content


def result(metrics, point=0):
    """A record of a feasible point."""
    values = b"".join(struct.pack("<d", 1.0) for _ in range(metrics))
    return b"\x01" + struct.pack("<QBId", point, 0, 0, 0.0) + b"\x00" + struct.pack("<HB", metrics, 0) + values


def infeasible(point, rule=b""):
    """A record of a point that breaks a rule."""
    return (b"\x01" + struct.pack("<QBId", point, 0, 0, 0.0) + b"\x01" + struct.pack("<I", len(rule)) + rule
            + struct.pack("<I", 0))
