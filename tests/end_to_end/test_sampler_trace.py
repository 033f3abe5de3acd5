"""What `evaluate --trace` writes is what trace viewers read."""
import json
import math

import pytest

from conftest import refused


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


def test_the_trace_of_a_whole_generation_ends_with_it(pimdse):
    answer, trace = trace_of(pimdse, "scope=end_to_end", "output=64", "steps=2", "batch=1")
    bars = [e for e in trace["traceEvents"] if e["ph"] == "X"]
    assert max(bar["ts"] + bar["dur"] for bar in bars) == pytest.approx(
        1e6 * answer["metrics"]["latency"]["value"], rel=1e-6
    )


def test_a_trace_that_cannot_be_written_is_named(pimdse):
    refused(pimdse("evaluate", "dplena", "--trace", "none/trace.json"), 7, "none/trace.json cannot be written")


def test_a_serial_trace_has_no_gap_and_no_overlap(pimdse):
    _, trace = trace_of(pimdse, "vlen=512", "batch=4", "vocab=4096")
    now = 0.0
    for bar in sorted((e for e in trace["traceEvents"] if e["ph"] == "X"), key=lambda e: e["ts"]):
        assert bar["ts"] == pytest.approx(now, abs=1e-6)
        now = bar["ts"] + bar["dur"]


def kept_by_perfetto(bars):
    """The bars of each track that Perfetto shows there: it reads begin and duration to the nearest nanosecond, one by
    one, and a bar that ends behind an open one goes elsewhere (json_trace_tokenizer.cc, slice_tracker.cc)."""
    kept, open_until = [], {}
    nanoseconds = lambda microseconds: math.floor(1e3 * microseconds + 0.5)  # noqa: E731
    for bar in bars:
        begin, duration = nanoseconds(bar["ts"]), nanoseconds(bar["dur"])
        track = (bar["pid"], bar["tid"])
        if begin < open_until.get(track, 0) < begin + duration:
            continue
        open_until[track] = begin + duration
        kept.append(bar)
    return kept


@pytest.mark.parametrize("machine", ["cim_mesh", "umdam", "upmem", "lpddr5x_pim"])
def test_no_bar_is_open_when_the_next_one_of_its_unit_begins(pimdse, machine):
    pimdse.ok("evaluate", machine, "--fidelity", "cycle", "--trace", "trace.json")
    events = json.loads((pimdse.folder / "trace.json").read_text())["traceEvents"]
    bars = sorted((e for e in events if e["ph"] == "X"), key=lambda e: (e["tid"], e["ts"], -e["dur"]))
    assert bars and kept_by_perfetto(bars) == bars
    assert all(abs(1e3 * bar[key] - round(1e3 * bar[key])) < 1e-6 for bar in bars for key in ("ts", "dur"))


def test_a_bar_that_laps_by_a_nanosecond_is_found():
    bars = [{"pid": 1, "tid": 1, "ts": 0.0006, "dur": 0.0018}, {"pid": 1, "tid": 1, "ts": 0.0024, "dur": 0.0018}]
    assert kept_by_perfetto(bars) == bars[:1]
