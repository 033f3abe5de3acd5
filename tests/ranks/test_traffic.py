"""A space of requests that arrive over time has the same results on any number of ranks, killed and resumed."""
import json

import pytest

from conftest import wait_for_answers

SPACE = """schema = 2
architecture = "gpu"
objectives = ["max_rate", "energy_per_good_token", "silicon"]
[parameters]
device = ["a100", "rtx_4090"]
weights = ["fp16", "int8"]
scheduler.max_sequences = [4, 64]
scheduler.max_batched_tokens = [512, 2048]
scheduler.policy = ["fcfs", "shortest_prompt"]
[[scenario]]
name = "service"
llm = "llama-3-8b"
[scenario.traffic]
trace = "azure_2023_conv.csv"
requests = 40
[scenario.slo]
ttft = "1 s"
tpot = "50 ms"
"""
OPTIONS = ("--format", "json", "--progress", "none")


@pytest.fixture
def space(tmp_path):
    (tmp_path / "service.toml").write_text(SPACE)
    return tmp_path / "service.toml"


def digest(text):
    return json.loads(text)["digest"]


def killed(pimdse, *words, ranks=None):
    """Runs until some results are in the journal, and ends the run with SIGKILL."""
    run = pimdse.start("explore", *words, ranks=ranks)
    wait_for_answers(run, pimdse.folder / "part.h5.journal", 4)
    run.kill()
    run.communicate()


def test_any_number_of_ranks_gives_the_same_digest_also_after_a_kill(pimdse, space):
    digests = {
        digest(pimdse.ok("explore", space, "-o", f"{ranks}.h5", *OPTIONS, ranks=ranks)) for ranks in (None, 1, 2, 4)
    }
    assert len(digests) == 1
    killed(pimdse, space, "-o", "part.h5", "--threads", 1, "--progress", "none")
    assert digest(pimdse.ok("explore", space, "-o", "part.h5", "--resume", *OPTIONS)) in digests
    pimdse.ok("explore", space, "-o", "some.h5", "--budget", 12, *OPTIONS, ranks=2)
    assert digest(pimdse.ok("explore", space, "-o", "some.h5", "--budget", 0, "--resume", *OPTIONS)) in digests
