"""What `evaluate dplena --trace` writes is what trace viewers read."""
import json

import pytest


def trace_of(pimdse, *settings):
    words = [word for setting in settings for word in ("--set", setting)]
    answer = json.loads(
        pimdse.ok("evaluate", "dplena", "--fidelity", "cycle", *words, "--trace", "trace.json", "--format", "json")
    )
    return answer, json.loads((pimdse.folder / "trace.json").read_text())


@pytest.mark.parametrize("settings", [("vlen=512", "batch=4", "vocab=4096"), ("overlap=prefetch", "buffers=2")])
def test_trace_is_valid_for_viewers(pimdse, settings):
    answer, trace = trace_of(pimdse, *settings)
    events = trace["traceEvents"]
    names = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    bars = [e for e in events if e["ph"] == "X"]
    assert {e["ph"] for e in events} == {"M", "X"} and bars
    for e in events:
        assert type(e["pid"]) is int and type(e["tid"]) is int and isinstance(e["name"], str) and e["name"]
    for bar in bars:
        assert (bar["pid"], bar["tid"]) in names and bar["dur"] >= 0 and bar["ts"] >= 0
    units = {"HBM", "VEC+SCA"} if "overlap=prefetch" in settings else {"HBM", "VEC", "SCA", "CTL"}
    assert units <= set(names.values())
    # Microseconds: the last bar ends with the run.
    assert max(bar["ts"] + bar["dur"] for bar in bars) == pytest.approx(
        1e6 * answer["metrics"]["latency"]["value"], rel=1e-9
    )


def test_a_serial_trace_has_no_gap_and_no_overlap(pimdse):
    _, trace = trace_of(pimdse, "vlen=512", "batch=4", "vocab=4096")
    now = 0.0
    for bar in sorted((e for e in trace["traceEvents"] if e["ph"] == "X"), key=lambda e: e["ts"]):
        assert bar["ts"] == pytest.approx(now, abs=1e-6)
        now = bar["ts"] + bar["dur"]
