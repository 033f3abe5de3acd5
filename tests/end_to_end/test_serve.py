"""`pimdse serve`: lines of JSON in, a reply each out, every answer kept."""
import json
import os
import re
import subprocess
import sys

import h5py
import pytest

from conftest import PIMDSE, ROOT, UPMEM_CLOCKS, same_file

sys.path.insert(0, str(ROOT) + "/analysis")
from pimdse import Explorer, Refused  # noqa: E402


@pytest.fixture
def space(pimdse):
    (pimdse.folder / "s.toml").write_text(UPMEM_CLOCKS)
    return pimdse.folder / "s.toml"


def served(space, lines, *flags, output="served.h5", text=True):
    """Replies to lines, whatever they are."""
    words = [PIMDSE, "serve", space.name, "-o", output, *flags]
    given = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    done = subprocess.run(words, input=given, capture_output=True, text=text, cwd=space.parent, timeout=120)
    return done, [json.loads(line) for line in done.stdout.splitlines()]


def test_all_points_served_make_the_file_that_a_sweep_makes(pimdse, space):
    pimdse.ok("explore", "s.toml", "-o", "swept.h5", "--progress", "none")
    ids = [str(i) for i in range(18)]
    requests = [{"verb": "evaluate", "tag": k, "ids": ids[k::3]} for k in range(3)]
    done, replies = served(space, [*requests, {"verb": "stop", "tag": "end"}])
    assert done.returncode == 0, done.stderr
    assert [reply["tag"] for reply in replies] == [0, 1, 2, "end"]
    assert pimdse.json("diff", "swept.h5", "served.h5")["equal"]
    assert same_file(space.parent, "swept.h5", "served.h5")
    with h5py.File(space.parent / "served.h5") as file:
        latency = dict(zip(file["point_id"][:].tolist(), file["metrics/latency"][:].tolist()))
    told = {int(a["id"]): a for reply in replies[:3] for a in reply["answers"]}
    assert len(told) == 18 and {a["status"] for a in told.values()} == {"ok", "infeasible"}
    for number, answer in told.items():
        if answer["status"] == "ok":
            assert answer["metrics"]["latency"] == latency[number]
        else:
            assert answer["rule"] and answer["reason"]


def test_points_by_their_parameters_are_those_of_their_ids(space):
    by_name = {"tasklets": 8, "dma_block": 1024, "frequency": "400 MHz"}
    done, replies = served(
        space,
        [
            {"verb": "describe", "tag": "d"},
            {"verb": "evaluate", "tag": "p", "points": [by_name, {**by_name, "frequency": 4e8}]},
            {"verb": "evaluate", "tag": "i", "ids": ["11", "11"], "fidelity": "cycle"},
        ],
    )
    described, points, ids = (next(r for r in replies if r["tag"] == tag) for tag in "dpi")
    assert described["points"] == "18" and described["machines"][0]["architecture"] == "upmem"
    assert {p["name"]: p.get("values") for p in described["machines"][0]["parameters"]}["tasklets"] == [4, 8, 16]
    assert [a["id"] for a in points["answers"]] == ["11", "11"]
    assert ids["answers"][0] == ids["answers"][1] != points["answers"][0]
    assert done.returncode == 0


@pytest.mark.parametrize(
    "line, fact",
    [
        ("no json", "JSON"),
        ('["verb"]', "JSON"),
        ({"tag": 1}, "verb"),
        ({"verb": "evalute", "ids": ["1"]}, "'evaluate'"),
        ({"verb": "evaluate"}, "ids"),
        ({"verb": "evaluate", "ids": []}, "ids"),
        ({"verb": "evaluate", "ids": ["18"]}, '"17"'),
        ({"verb": "evaluate", "ids": [-1]}, "-1"),
        ({"verb": "evaluate", "ids": ["1"], "fidelity": "best"}, "best"),
        ({"verb": "evaluate", "points": [{"tasklets": 8}]}, "dma_block"),
        ({"verb": "evaluate", "points": [{"tasklets": 5, "dma_block": 8, "frequency": 4e8}]}, "tasklets"),
        ({"verb": "evaluate", "points": [{"tasklet": 8}]}, "'tasklets'"),
        ({"verb": "front", "ids": ["1"]}, "ids"),
        ("[" * 100000, "deep"),
        ('{"verb": "front", "tag": ' + "[" * 65 + "]" * 65 + "}", "deep"),
    ],
)
def test_a_request_that_cannot_be_served_is_refused_in_one_line_and_the_run_goes_on(space, line, fact):
    done, replies = served(space, [line, {"verb": "evaluate", "tag": "after", "ids": ["1"]}])
    assert fact in replies[0]["error"] and "\n" not in replies[0]["error"]
    assert replies[1]["tag"] == "after" and replies[1]["answers"][0]["id"] == "1"
    assert done.returncode == 0


def test_a_line_of_a_hundred_megabytes_is_refused(space):
    done, replies = served(space, ["x" * 100_000_000, {"verb": "evaluate", "tag": 7, "ids": ["0"]}])
    assert re.search(r"\d", replies[0]["error"]) and replies[1]["tag"] == 7 and done.returncode == 0


def test_what_is_known_is_not_evaluated_again(pimdse, space):
    request = {"verb": "evaluate", "tag": 1, "ids": ["3", "4", "5"]}
    first, replies = served(space, [request])
    again, same = served(space, [request, {"verb": "stop"}], "--resume")
    assert replies[0]["answers"] == same[0]["answers"] and again.returncode == 0
    assert same[1]["points"] == 3 and pimdse("serve", "s.toml", "-o", "served.h5").returncode == 2


def test_a_client_in_python(space):
    with Explorer(space, space.parent / "c.h5", program=PIMDSE) as explorer:
        answers = explorer.evaluate(ids=range(18))
        assert len(answers) == 18
        with pytest.raises(Refused, match="99"):
            explorer.evaluate(ids=[99])
        front = {member["id"] for member in explorer.front()}
    with h5py.File(space.parent / "c.h5") as file:
        assert front == {str(i) for i in file["front/ids"][:]}


def test_deap_finds_a_front(space):
    pytest.importorskip("deap")
    words = [sys.executable, ROOT / "analysis/examples/with_deap.py", space, space.parent / "d.h5", "3"]
    environment = {**os.environ, "PATH": f"{os.path.dirname(PIMDSE)}:{os.environ['PATH']}"}
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, env=environment, timeout=120)
    assert done.returncode == 0 and done.stdout.strip(), done.stderr
