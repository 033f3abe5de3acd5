"""Requests with a past: sessions whose turns wait for each other, and prompts that begin alike."""
import json
import random
import subprocess
import sys

import pytest
from conftest import ROOT, refused

sys.path.insert(0, str(ROOT / "analysis"))

DRAWN = ("s=llm=llama-3.2-1b,traffic.rate=2 1/s,traffic.requests=120,traffic.input=300,traffic.output=40,"
         "traffic.session.turns={ geometric = 4 },traffic.session.think=0.2 s,traffic.session.shared_prefix=600,"
         "traffic.session.share=0.8,slo.ttft=1 s")
TABLES = """schema = 2
architecture = "gpu"
objectives = ["goodput", "energy_per_good_token"]
[parameters]
device = ["a100", "h100"]
scheduler.prefix_cache = ["off", "on"]
[[scenario]]
name = "s"
llm = "llama-3.2-1b"
[scenario.traffic]
rate = "2 1/s"
requests = 120
input = 300
output = 40
[scenario.traffic.session]
turns = { geometric = 4 }
think = "0.2 s"
shared_prefix = 600
share = 0.8
grows = { input = 300, output = 40 }
[scenario.slo]
ttft = "1 s"
"""


def service(pimdse, scenario, *settings):
    words = [word for setting in ("device=h100", *settings) for word in ("--set", setting)]
    (found,) = pimdse.json("evaluate", "gpu", *words, "--scenario", scenario)["services"]
    return found


def counted(requests, unit=16):
    """Tokens of prompts that a cache without end finds: whole units behind equal blocks, the last token never."""
    seen, found = set(), 0
    for request in requests:
        size, names, chain, units = 512, request["hash_ids"], (), []
        for k, name in enumerate(names):
            end = min((k + 1) * size, request["input_length"])
            chain = (*chain, (name, end - k * size))
            units += [(chain, u) for u in range(k * size // unit, end // unit)]
        known = 0
        while known < len(units) and units[known] in seen:
            known += 1
        found += min(known, (request["input_length"] - 1) // unit) * unit
        seen |= set(units)
    return found


def mooncake(seed, count):
    """Conversations whose prompts repeat what was said, with names of blocks as Mooncake has them."""
    draws, requests, talks, name = random.Random(seed), [], [], iter(range(10**9))
    for i in range(count):
        if not talks or draws.random() < 0.4:
            talks.append((draws.choice([[], [next(name)]]) if i % 3 else [10**6], 0))
        at = draws.randrange(len(talks))
        names, end = talks[at]
        end = max(end, 512 * len(names)) + draws.randrange(20, 3000)
        names = names + [next(name) for _ in range(-(-end // 512) - len(names))]
        requests.append({"timestamp": 400 * i, "input_length": end, "output_length": draws.randrange(1, 40),
                         "hash_ids": names})
        talks[at] = (names[:end // 512], 512 * (end // 512))
    return requests


def test_what_a_cache_without_end_finds_is_what_is_counted(pimdse):
    requests = mooncake(1, 150)
    (pimdse.folder / "t.jsonl").write_text("\n".join(map(json.dumps, requests)))
    scenario = "s=llm=llama-3.1-8b,traffic.trace=t.jsonl,slo.ttft=10 s"
    off = service(pimdse, scenario)
    tokens, found = sum(r["input_length"] for r in requests), counted(requests)
    assert 0.1 < found / tokens < 0.9
    assert f"finds {100 * found / tokens:.1f} %" in off["trace"]["text"]
    assert off["prompt_tokens_reused"] == 0 and off["prompt_tokens_computed"] == tokens
    shares = []
    for cache in (20_000, 60_000, 0):
        on = service(pimdse, scenario, "scheduler.prefix_cache=on", f"scheduler.cache_tokens={cache}")
        assert on["preemptions"] > 0 or on["prompt_tokens_reused"] + on["prompt_tokens_computed"] == tokens
        assert on["times"]["ttft"]["mean"] <= off["times"]["ttft"]["mean"]
        shares.append(on["reused_share"])
    assert shares == sorted(shares) and shares[0] < shares[-1]
    assert shares[-1] <= found / tokens


def test_a_stretch_of_a_published_trace_has_the_hits_that_are_counted(pimdse):
    """59 % of its blocks were there before in the stretch itself; of the whole trace, 64 % are said to be."""
    requests = []
    for line in (ROOT / "tests/data/traces/mooncake_synthetic_end.csv").read_text().splitlines()[3:]:
        *numbers, runs = line.split(",")
        ends = [[int(end) for end in run.split("-")] for run in runs.split()]
        names = [name for run in ends for name in range(run[0], run[-1] + 1)]
        requests.append(dict(zip(("timestamp", "input_length", "output_length"), map(int, numbers)), hash_ids=names))
        assert len(names) == -(-requests[-1]["input_length"] // 512)
    blocks = [name for request in requests for name in request["hash_ids"]]
    assert (len(blocks), len(blocks) - len(set(blocks))) == (1775, 1047)
    (pimdse.folder / "t.jsonl").write_text("\n".join(map(json.dumps, requests)))
    found, tokens = counted(requests), sum(r["input_length"] for r in requests)
    on = service(pimdse, "s=llm=llama-3.1-8b,traffic.trace=t.jsonl,traffic.rate=0.001 trace",
                 "scheduler.prefix_cache=on")
    assert f"finds {100 * found / tokens:.1f} %" in on["trace"]["text"] and not on["trace"]["noted"]
    assert on["evictions"] == on["preemptions"] == 0
    assert (on["prompt_tokens_reused"], on["prompt_tokens_computed"]) == (found, tokens - found)


def test_a_replay_outside_the_scheduler_finds_what_it_finds(pimdse):
    """Of requests that come one after the other."""
    from pimdse.drawing import hits

    rows = [{**row, "timestamp": 200_000 * i} for i, row in enumerate(mooncake(1, 40))]
    (pimdse.folder / "t.jsonl").write_text("\n".join(map(json.dumps, rows)))
    requests = hits.requests_of(pimdse.folder / "t.jsonl")
    least, whole = max(map(hits.blocks_of, requests)), sum(map(hits.blocks_of, requests))
    assert hits.lru(requests, whole) == hits.belady(requests, whole) == counted(rows)
    shares = []
    for blocks in (least, 2 * least):
        found = service(pimdse, "s=llm=llama-3.1-8b,traffic.trace=t.jsonl", "scheduler.prefix_cache=on",
                        f"scheduler.cache_tokens={16 * blocks}")
        assert found["prompt_tokens_reused"] == hits.lru(requests, blocks)
        assert hits.lru(requests, blocks) < hits.belady(requests, blocks) < hits.lru(requests, whole)
        shares.append(found["reused_share"])
    assert shares[0] < shares[1]
    drawn = subprocess.run(["/usr/bin/python3", "-B", ROOT / "analysis/hits.py", "t.jsonl", "-o", "hits.png"],
                           cwd=pimdse.folder, capture_output=True, text=True)
    assert drawn.returncode == 0, drawn.stderr
    assert f"{16 * least} tokens finds" in drawn.stdout and (pimdse.folder / "hits.png").stat().st_size > 10_000


def test_a_tier_gives_back_what_the_cache_evicts(pimdse):
    requests = mooncake(3, 120)
    (pimdse.folder / "t.jsonl").write_text("\n".join(map(json.dumps, requests)))
    asked = sum(r["input_length"] for r in requests)
    words = ("evaluate", ROOT / "tests/data/machines/h100_host.toml", "--scenario",
             "s=llm=llama-3.1-8b,traffic.trace=t.jsonl,slo.ttft=10 s", "--set", "scheduler.prefix_cache=on", "--set",
             "scheduler.cache_tokens=30000")
    found = []
    for memory in ("0 GiB", "2 GiB", "64 GiB"):
        (one,) = pimdse.json(*words, "--set", f"host_memory={memory}")["services"]
        assert one["preemptions"] > 0 or asked == sum(
            one[f"prompt_tokens_{how}"] for how in ("computed", "reused", "fetched"))
        found.append(one)
    assert [one["tier_bytes"] > 0 for one in found] == [False, True, True]
    shares = [one["fetched_share"] for one in found]
    assert shares == sorted(shares) and shares[0] == 0 and shares[-1] > 0.05
    assert found[-1]["prompt_tokens_computed"] < found[0]["prompt_tokens_computed"]
    text = pimdse.ok(*words, "--set", "host_memory=64 GiB")
    assert f"tier: {found[-1]['prompt_tokens_fetched']} tokens fetched" in text


def test_turns_wait_for_the_one_before(pimdse):
    lines = [{"session_id": "a", "timestamp": 0, "input_length": 100, "output_length": 50},
             {"session_id": "b", "timestamp": 10, "input_length": 100, "output_length": 5},
             {"session_id": "a", "delay": 3000, "input_length": 200, "output_length": 5},
             {"session_id": "b", "timestamp": 20, "input_length": 200, "output_length": 5}]
    (pimdse.folder / "t.jsonl").write_text("\n".join(map(json.dumps, lines)))
    found = service(pimdse, "s=llm=llama-3.2-1b,traffic.trace=t.jsonl,slo.ttft=1 s")
    assert "4 requests in 2 sessions, 100 sessions/s" in found["trace"]["text"]
    assert [turn["requests"] for turn in found["turns"]] == [2, 2]
    assert found["makespan"] > 3.0 and found["rate"] == pytest.approx(100)


def test_a_rejected_turn_ends_its_session(pimdse):
    lines = ["arrival_s,input_tokens,output_tokens,session", "0,100,5,a", "1,999999,5,a", "2,100,5,a", "3,100,5,b"]
    (pimdse.folder / "t.csv").write_text("\n".join(lines))
    found = service(pimdse, "s=llm=llama-3.2-1b,traffic.trace=t.csv,slo.ttft=1 s")
    assert (found["served"], found["rejected"], found["never_sent"]) == (2, 2, 1)


def test_drawn_sessions_are_told(pimdse):
    text = pimdse.ok("evaluate", "gpu", "--set", "device=h100", "--set", "scheduler.prefix_cache=on", "--scenario",
                     DRAWN, env={"COLUMNS": "90"})
    assert max(map(len, text.splitlines())) <= 90
    assert "sessions/s" in text and "prefixes: " in text and "TTFT mean" in text and "a cache without end" in text


def test_a_space_compares_both_and_is_resumed(pimdse):
    (pimdse.folder / "s.toml").write_text(TABLES)
    pimdse.ok("explore", "s.toml", "-o", "s.h5", "--progress", "none")
    pimdse.ok("verify", "s.h5")
    on = pimdse.json("evaluate", "--from", "s.h5", "--point", 1)
    off = pimdse.json("evaluate", "--from", "s.h5", "--point", 0)
    assert on["metrics"]["reused_share"]["value"] > 0.4 and off["metrics"]["reused_share"]["value"] == 0
    assert on["metrics"]["energy_per_good_token"]["value"] < off["metrics"]["energy_per_good_token"]["value"]


@pytest.mark.parametrize("old, new, facts", [
    ("turns = { geometric = 4 }\n", "", ["s.toml:", "traffic.session.turns", "missing"]),
    ("{ geometric = 4 }", "2.5", ["s.toml:16", "2.5", "geometric"]),
    ("{ geometric = 4 }", "0", ["s.toml:16", "traffic.session.turns"]),
    ("share = 0.8", "share = 2", ["s.toml:19", "traffic.session.share", "2"]),
    ("shared_prefix = 600\n", "", ["s.toml:18", "shared_prefix"]),
    ("think =", "thinks =", ["s.toml:17", "thinks", "think"]),
    ('"0.2 s"', '"-2 s"', ["s.toml:17", "traffic.session.think"]),
])
def test_wrong_sessions_are_named_with_their_line(pimdse, old, new, facts):
    (pimdse.folder / "s.toml").write_text(TABLES.replace(old, new))
    refused(pimdse("explore", "s.toml", "-o", "a.h5", "--progress", "none"), 3, *facts)


@pytest.mark.parametrize("lines, facts", [
    (["arrival_s,input_tokens,output_tokens,session,after_s", "0,10,5,a,", ",10,5,a,-1"], ["t.csv:3", "after_s", "-1"]),
    (["arrival_s,input_tokens,output_tokens,session,after_s", "0,10,5,a,", ",10,5,b,1"], ["t.csv:3", "arrival_s"]),
    (["arrival_s,input_tokens,output_tokens,session,after_s", "0,10,5,a,", ",10,5,a,x"], ["t.csv:3", "after_s", "'x'"]),
    (["arrival_s,input_tokens,output_tokens,request,parent", "0,10,5,r0,r1", "1,10,5,r1,"], ["t.csv:2", "r1", "above"]),
    (["arrival_s,input_tokens,output_tokens,request,parent", "0,10,5,r,", "1,10,5,r,"], ["t.csv:3", "r", "above"]),
])
def test_wrong_pasts_are_named_with_their_line(pimdse, lines, facts):
    (pimdse.folder / "t.csv").write_text("\n".join(lines))
    refused(pimdse("evaluate", "gpu", "--scenario", "s=llm=llama-3.2-1b,traffic.trace=t.csv"), 2, *facts)


def test_recommend_keeps_what_prompts_of_a_trace_share(pimdse):
    (pimdse.folder / "t.jsonl").write_text("\n".join(map(json.dumps, mooncake(2, 40))))
    words = ("recommend", "--model", "llama-3.1-8b", "--trace", "t.jsonl", "--machines", "gpu", "--devices", "1",
             "--ttft", "20 s", "--progress", "none")
    pimdse.ok(*words, "-o", "with")
    space = (pimdse.folder / "with/space.toml").read_text()
    assert 'prefix_cache = "on"' in space
    apart = space.replace('prefix_cache = "on"', 'prefix_cache = "off"')
    (pimdse.folder / "apart.toml").write_text(apart)
    pimdse.ok("explore", "apart.toml", "-o", "apart.h5", "--progress", "none")
    keys, metric = ("with/answer.h5", "apart.h5"), "cost_per_million_tokens"
    kept, dropped = (pimdse.json("front", file)["front"][0]["metrics"][metric]["value"] for file in keys)
    assert kept < dropped
