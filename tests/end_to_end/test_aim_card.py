"""The AiM card against the rows that CENT's simulator gives for 32 channels a block (tests/data/cent.csv): the time of
a token, how it grows with the context, and the energy of a token as CENT counts it."""
import csv
import json
import statistics
import subprocess
from collections import defaultdict

import pytest
from conftest import PIMDSE, ROOT

HOST = 0.15  # ms of each token that are no machine's


def rows():
    with open(ROOT / "tests/data/cent.csv", encoding="utf-8") as file:
        lines = [line for line in file if not line.startswith("#")]
    return [row for row in csv.DictReader(lines)
            if row["channels_per_block"] == "32" and layers(row) % int(row["pp"]) == 0]


def layers(row):
    return {"Llama2-7B": 32, "Llama2-13B": 40, "Llama2-70B": 80}[row["model"]]


def settings(row):
    stages, context = int(row["pp"]), int(row["context"])
    return {"llm": row["model"].lower().replace("llama2", "llama-2"), "input": min(context - 1, 4094), "output": 2,
            "devices": stages * int(row["tp"]), "pipeline_parallel": stages, "one_standby": True}


def evaluate(points):
    done = subprocess.run([PIMDSE, "evaluate", "aim_card", "--batch", "--fidelity", "cycle"], check=True, text=True,
                          input=json.dumps({"points": points}) + "\n", capture_output=True)
    return [answer["metrics"] for line in done.stdout.splitlines() for answer in json.loads(line)["answers"]]


@pytest.fixture(scope="module")
def compared():
    """Each row with our milliseconds of a token, and millijoules with a sequence in every stage."""
    chosen = rows()
    alone = evaluate([settings(row) for row in chosen])
    full = evaluate([{**settings(row), "batch": int(row["pp"]), "micro_batches": int(row["pp"])} for row in chosen])
    return [(row, one["itl"] * 1e3, all_["decode_power"] * all_["itl"] / int(row["pp"]) * 1e3)
            for row, one, all_ in zip(chosen, alone, full, strict=True)]


def test_there_are_the_rows_of_all_models(compared):
    assert len(compared) > 300 and {row["model"] for row, _, _ in compared} == {"Llama2-7B", "Llama2-13B", "Llama2-70B"}


def test_times_are_within_the_band(compared):
    errors = [ms / (float(row["token_ms"]) - HOST) - 1 for row, ms, _ in compared]
    print(f"token: median {statistics.median(errors):+.1%}, {min(errors):+.1%} to {max(errors):+.1%}")
    assert abs(statistics.median(errors)) < 0.15
    assert max(map(abs, errors)) < 0.2


def test_times_grow_with_the_context_as_theirs_do(compared):
    groups = defaultdict(list)
    for row, ms, _ in compared:
        groups[row["model"], row["pp"], row["tp"]].append((int(row["context"]), float(row["token_ms"]), ms))
    errors = []
    for points in groups.values():
        (first, theirs_first, ours_first), (last, theirs_last, ours_last) = min(points), max(points)
        assert last > first
        errors.append((ours_last - ours_first) / (theirs_last - theirs_first) - 1)
    print(f"slope: median {statistics.median(errors):+.1%}, {min(errors):+.1%} to {max(errors):+.1%}")
    assert abs(statistics.median(errors)) < 0.15


def test_energies_are_within_the_band(compared):
    errors = [mj / float(row["token_mj"]) - 1 for row, _, mj in compared]
    print(f"energy: median {statistics.median(errors):+.1%}, {min(errors):+.1%} to {max(errors):+.1%}")
    assert abs(statistics.median(errors)) < 0.2
