"""A space of several machines has the same answers on any number of ranks, stopped and resumed."""
import json

import pytest

SPACE = """schema = 2
objectives = ["latency", "energy"]
[[machine]]
architecture = "umdam"
[machine.parameters]
channels = [1, 2, 4, 8]
ranks = [1, 2]
[[machine]]
architecture = "cim_mesh"
[machine.parameters]
mesh_rows = { from = 8, to = 64, step = 8 }
[[scenario]]
name = "chat"
llm = "llama-3.2-1b"
input = [32, 64]
output = 8
"""


@pytest.fixture
def space(tmp_path):
    (tmp_path / "machines.toml").write_text(SPACE)
    return tmp_path / "machines.toml"


def digest(text):
    return json.loads(text)["digest"]


def test_any_number_of_ranks_gives_the_same_digest(pimdse, space):
    options = ("--format", "json", "--progress", "none")
    digests = {
        digest(pimdse.ok("explore", space, "-o", f"{ranks}.h5", *options, ranks=ranks)) for ranks in (None, 2, 4)
    }
    assert len(digests) == 1
    pimdse.ok("explore", space, "-o", "part.h5", "--budget", 7, *options, ranks=2)
    assert digest(pimdse.ok("explore", space, "-o", "part.h5", "--budget", 0, "--resume", *options)) in digests
