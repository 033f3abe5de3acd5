"""Exports of a service: tables that LLMServingSim reads, and a timeline for Perfetto."""
import bisect
import csv
import itertools
import json

import pytest
from conftest import refused
from test_traffic_read import SPACE

LAYERS = 32  # of llama-3-8b


@pytest.fixture
def explored(pimdse, explored_once):
    explored_once(pimdse, SPACE, "s.h5")
    return pimdse


def rows(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def between(axis, value):
    """The two neighbours of a value on a sorted axis and the weight of the second; the last two beyond its end."""
    if value <= axis[0] or len(axis) == 1:
        return [(axis[0], 1.0)]
    at = min(bisect.bisect_left(axis, value), len(axis) - 1)
    low, high = axis[at - 1], axis[at]
    share = (value - low) / (high - low)
    return [(low, 1.0 - share), (high, share)]


class Tables:
    """Reads the tables as the simulator does: times are interpolated linearly along each axis."""

    def __init__(self, folder):
        self.dense, self.heads, self.attention = {}, {}, {}
        for row in rows(folder / "tp1/dense.csv"):
            self.dense.setdefault(row["layer"], {})[int(row["tokens"])] = float(row["time_us"])
        for row in rows(folder / "tp1/per_sequence.csv"):
            self.heads.setdefault(row["layer"], {})[int(row["sequences"])] = float(row["time_us"])
        names = ("prefill_chunk", "n_decode", "kv_prefill", "kv_decode")
        for row in rows(folder / "tp1/attention.csv"):
            self.attention[tuple(int(row[name]) for name in names)] = float(row["time_us"])
        self.axes = [sorted({key[axis] for key in self.attention}) for axis in range(4)]

    @staticmethod
    def along(table, value):
        return sum(weight * table[key] for key, weight in between(sorted(table), value))

    def attention_us(self, chunk, decoding, cached, context):
        total = 0.0
        pairs = [between(axis, value) for axis, value in zip(self.axes, (chunk, decoding))]
        for (pc, a), (nd, b) in itertools.product(*pairs):
            if pc + nd == 0:
                pc, nd = next((p, n) for p, n, *_ in sorted(self.attention) if (p, n) != (0, 0))
            kp = between(self.axes[2], cached) if pc else [(0, 1.0)]
            kd = between(self.axes[3][1:], context) if nd else [(0, 1.0)]
            total += a * b * sum(c * d * self.attention[pc, nd, p, k] for (p, c), (k, d) in itertools.product(kp, kd))
        return total

    def step_us(self, args):
        """Microseconds of a step; layernorm stands for two layers, and has no time here."""
        tokens = args["prompt_tokens"] + args["decoding"]
        dense = sum(self.along(table, tokens) for table in self.dense.values())
        context = args["decode_cached"] / args["decoding"] if args["decoding"] else 0
        attention = self.attention_us(args["prompt_tokens"], args["decoding"], args["prompt_cached"], context)
        return LAYERS * (dense + attention) + self.along(self.heads["lm_head"], args["decoding"] + args["prompts"])


def test_tables_have_the_times_of_the_steps(explored):
    said = explored.ok("export", "s.h5", "tables", "--point", 3, "--as", "llmservingsim")
    assert "tp1/dense.csv" in said and "tp1/attention.csv" in said and "h100" in said
    explored.ok("export", "s.h5", "trace.json", "--point", 3, "--as", "perfetto")
    folder = explored.folder / "tables"
    assert sorted(path.name for path in folder.rglob("*") if path.is_file()) == [
        "attention.csv", "dense.csv", "meta.yaml", "per_sequence.csv"]
    meta = (folder / "meta.yaml").read_text()
    assert "max_num_seqs: 64\n" in meta and "skew_fit:\n  enabled: false\n" in meta
    names = {row["layer"] for row in rows(folder / "tp1/dense.csv")}
    assert names >= {"embedding", "layernorm", "qkv_proj", "rotary_emb", "o_proj", "gate_up_proj", "act_fn",
                     "down_proj", "final_layernorm"}
    assert {row["layer"] for row in rows(folder / "tp1/per_sequence.csv")} == {"lm_head", "sampler"}
    tables = Tables(folder)
    events = json.loads((explored.folder / "trace.json").read_text())["traceEvents"]
    steps = [event for event in events if event["ph"] == "X" and event["pid"] == 1 and event["args"]["steps"] == 1]
    errors = {}
    for step in steps:
        errors.setdefault(step["name"], []).append(tables.step_us(step["args"]) / step["dur"] - 1.0)
    assert set(errors) >= {"decode", "mixed"}
    for kind, found in errors.items():
        found.sort(key=abs)
        assert abs(sum(found)) / len(found) < 0.02, (kind, sum(found) / len(found))
        assert abs(found[len(found) * 9 // 10]) < 0.05, (kind, found[-5:])


def test_a_timeline_has_every_step_and_every_request(explored):
    said = explored.ok("export", "s.h5", "trace.json", "--point", 2, "--as", "perfetto")
    assert "300 requests" in said
    events = json.loads((explored.folder / "trace.json").read_text())["traceEvents"]
    (service,) = explored.json("evaluate", "--from", "s.h5", "--point", 2)["services"]
    engine = [event for event in events if event["ph"] == "X" and event["pid"] == 1]
    assert sum(event["args"]["steps"] for event in engine) == service["steps"]
    ns = [(round(1e3 * event["ts"]), round(1e3 * event["dur"])) for event in engine]
    assert all(begin + duration <= then for (begin, duration), (then, _) in zip(ns, ns[1:]))
    assert {event["name"] for event in engine} <= {"prefill", "decode", "mixed"}
    requests = [event for event in events if event["ph"] == "X" and event["pid"] == 2]
    assert len({event["tid"] for event in requests}) == 300
    ttft = {}
    for event in requests:
        if event["name"] != "decode":
            ttft[event["tid"]] = ttft.get(event["tid"], 0.0) + event["dur"] / 1e6
    assert sum(ttft.values()) / len(ttft) == pytest.approx(service["times"]["ttft"]["mean"])
    assert {event["name"] for event in events if event["ph"] == "C"} == {"running", "waiting", "cache %"}


def test_a_point_without_traffic_is_refused(pimdse):
    (pimdse.folder / "b.toml").write_text(
        'schema = 1\narchitecture = "gpu"\nobjectives = ["latency"]\n[parameters]\ndevice = ["a100", "h100"]\n')
    pimdse.ok("explore", "b.toml", "-o", "b.h5", "--progress", "none")
    refused(pimdse("export", "b.h5", "t.json", "--point", 0, "--as", "perfetto"), 3, "point 0 of ", "traffic")
    assert not (pimdse.folder / "t.json").exists()


def test_existing_files_are_kept(explored):
    words = ("export", "s.h5", "t.json", "--point", 0, "--as", "perfetto")
    explored.ok(*words)
    refused(explored(*words), 2, "t.json", "--force")
    explored.ok(*words, "--force")
    words = ("export", "s.h5", "folder", "--point", 0, "--as", "llmservingsim")
    explored.ok(*words)
    before = {path: path.stat().st_mtime_ns for path in (explored.folder / "folder").rglob("*")}
    refused(explored(*words), 2, "meta.yaml", "--force")
    assert before == {path: path.stat().st_mtime_ns for path in (explored.folder / "folder").rglob("*")}
    explored.ok(*words, "--force")


@pytest.mark.parametrize("words, code, facts", [
    (["s.h5", "t", "--point", "0", "--as", "perfeto"], 2, ["--as: unknown value 'perfeto'", "'perfetto'"]),
    (["s.h5", "t", "--point", "0"], 2, ["as is missing"]),
    (["s.h5", "t", "--as", "perfetto"], 2, ["point is missing"]),
    (["s.h5", "--point", "0", "--as", "perfetto"], 2, ["to is missing"]),
    (["s.h5", "t", "--point", "99", "--as", "perfetto"], 2, ["--point", "99"]),
    (["none.h5", "t", "--point", "0", "--as", "perfetto"], 4, ["none.h5"]),
    (["s.h5", "t", "--point", "0", "--as", "perfetto", "--service", "servce"], 2, ["'servce'", "'service'"]),
    (["s.h5", "no/t", "--point", "0", "--as", "perfetto"], 7, ["no"]),
    (["s.h5", "s.h5/t", "--point", "0", "--as", "llmservingsim"], 7, ["s.h5/t"]),
    (["s.h5", "t", "--point", "0", "--as", "perfetto", "--set", "scheduler.memory_share=0"], 6,
     ["infeasible", "cache"]),
])
def test_mistakes_are_one_sentence(explored, words, code, facts):
    refused(explored("export", *words), code, *facts)
    assert not (explored.folder / "t").exists()


def test_a_mixture_of_experts_has_no_tables(pimdse):
    (pimdse.folder / "m.toml").write_text(
        SPACE.replace("llama-3-8b", "qwen3-30b-a3b").replace('["a100", "h100"]', '["h100"]'))
    pimdse.ok("explore", "m.toml", "-o", "m.h5", "--progress", "none")
    refused(pimdse("export", "m.h5", "t", "--point", 1, "--as", "llmservingsim"), 3, "mixture of experts")
    assert not (pimdse.folder / "t").exists()
    pimdse.ok("export", "m.h5", "t.json", "--point", 1, "--as", "perfetto")
