"""Traces as they are published: each is read without conversion, and a line says what was read."""
import gzip
import json

import pytest
from conftest import refused

LIMITS = ",slo.ttft=1 s,slo.tpot=50 ms"
AZURE = ("TIMESTAMP,ContextTokens,GeneratedTokens\n2024-05-10 00:00:00.009930+00:00,216,5\n"
         "2024-05-10 00:00:01+00:00,76,15\n")
BURST = ("Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
         "5,,10.5,ChatGPT,472,18,490,Conversation log\n45,,3.2,ChatGPT,108,23,131,x\n118,,1.0,GPT-4,417,0,417,x\n")
MOONCAKE = '{"timestamp": 0, "input_length": 103, "output_length": 5, "hash_ids": [0]}\n' \
           '{"timestamp": 3000, "input_length": 60, "output_length": 4, "hash_ids": [0]}\n'
BENCH = {"input_lens": [10, 20, 30], "output_lens": [5, 6, 7], "ttfts": [0.1, 0.2, 0.1]}


def service(pimdse, keys, trace=None, name="t.csv"):
    """What a machine does with the requests; `trace` is written first, as bytes or text."""
    if trace is not None:
        (pimdse.folder / name).write_bytes(trace if isinstance(trace, bytes) else trace.encode())
        keys = f"traffic.trace={name}{',' if keys else ''}{keys}"
    (found,) = pimdse.json("evaluate", "gpu", "--set", "device=h100", "--scenario",
                           f"s=llm=llama-3-8b,{keys}{LIMITS}")["services"]
    return found


@pytest.mark.parametrize("trace, kind, requests, rate, left_out", [
    (AZURE, "Azure LLM", 2, 1 / 0.99007, {}),
    (AZURE.replace("2024-05-10 ", ""), "Azure LLM", 2, 1 / 0.99007, {}),
    ("\ufeff" + AZURE.replace("\n", "\r\n\r\n"), "Azure LLM", 2, 1 / 0.99007, {}),
    (AZURE.replace("Context", "NumImages,Context").replace("00,", "00,3,"), "Azure LMM", 2, 1 / 0.99007, {}),
    (BURST, "BurstGPT", 2, 1 / 40, {"failed (0 response tokens)": 1}),
    (MOONCAKE, "Mooncake", 2, 1 / 3, {}),
    (gzip.compress(MOONCAKE.encode()), "Mooncake", 2, 1 / 3, {}),
    (json.dumps(BENCH | {"start_times": [2.0, 2.5, 2.25]}), "vllm", 3, 4, {}),
    (json.dumps(BENCH | {"request_rate": 5.0, "burstiness": 2.0}), "vllm", 3, 5, {}),
])
def test_a_published_trace_is_read(pimdse, trace, kind, requests, rate, left_out):
    found = service(pimdse, "", trace)
    assert found["trace"]["kind"].startswith(kind) and found["trace"]["left_out"] == left_out
    assert found["requests"] == requests and found["rate"] == pytest.approx(rate, rel=1e-12)


def test_explore_says_what_it_read(pimdse):
    (pimdse.folder / "t.csv").write_text("when,prompt,reply\n2000,50,6\n1000,70,8\n")
    (pimdse.folder / "s.toml").write_text(
        'schema = 2\narchitecture = "gpu"\nobjectives = ["goodput", "silicon"]\n'
        '[parameters]\ndevice = ["a100", "h100"]\n'
        '[[scenario]]\nname = "s"\nllm = "llama-3-8b"\n[scenario.traffic]\ntrace = "t.csv"\n'
        '[scenario.traffic.columns]\ntime = "when"\nunit = "ms"\ninput = "prompt"\noutput = "reply"\n')
    done = pimdse("explore", "s.toml", "-o", "a.h5", "--progress", "none")
    assert done.returncode == 0 and "t.csv is" in done.stderr and "2 requests in 1 s" in done.stderr, done.stderr
    (found,) = pimdse.json("evaluate", "--from", "a.h5", "--point", 0)["services"]
    assert found["trace"]["unordered"] == 1 and found["rate"] == 1.0


@pytest.mark.parametrize("keys, facts", [
    ("", ["t.csv:1", "when, prompt, reply", "[scenario.traffic.columns]"]),
    (",traffic.columns.input=prompt,traffic.columns.output=repl", ["t.csv:1", "repl", "'reply'"]),
    (",traffic.columns.input=prompt,traffic.columns.output=reply", ["traffic.rate", "columns.time"]),
    (",traffic.columns.unit=h", ["traffic.columns.unit", "'h'"]),
    (",traffic.columns.block_tokens=0", ["traffic.columns.block_tokens", "0"]),
])
def test_an_unknown_table_says_how_its_columns_are_named(pimdse, keys, facts):
    (pimdse.folder / "t.csv").write_text("when,prompt,reply\n1,50,6\n")
    refused(pimdse("evaluate", "gpu", "--scenario", f"s=llm=llama-3-8b,traffic.trace=t.csv{keys}{LIMITS}"), 2, *facts)


def test_turns_that_only_add_are_asked_for(pimdse):
    """Two sessions of two turns each, of which the second adds 20 tokens to a prompt of 100 and an output of 5."""
    rows = "".join(f'{{"session_id": "{s}", "timestamp": {s}, "input_length": 100, "output_length": 5}}\n'
                   f'{{"session_id": "{s}", "delay": 7, "input_length": 20, "output_length": 5}}\n' for s in (0, 1))
    (pimdse.folder / "t.csv").write_text(rows)
    scenario = f"s=llm=llama-3-8b,traffic.trace=t.csv,scheduler.prefix_cache=on{LIMITS}"
    refused(pimdse("evaluate", "gpu", "--scenario", scenario), 2, "traffic.columns.prompts", "added", "whole", "2 have")
    whole, added = (service(pimdse, f"scheduler.prefix_cache=on,traffic.columns.prompts={prompts}", rows)
                    for prompts in ("whole", "added"))
    assert whole["reused_share"] == 0.0
    # Of 100 and 5 tokens that were said, the last one is not in the cache; 6 whole blocks of 16 are.
    assert added["reused_share"] == pytest.approx(2 * 96 / (2 * (100 + 125)))
    (pimdse.folder / "t.csv").write_text("arrival_s,input_tokens,output_tokens\n0,100,5\n1,20,5\n")
    refused(pimdse("evaluate", "gpu", "--scenario", f"{scenario},traffic.columns.prompts=added"), 2,
            "traffic.columns.prompts", "no request of the trace continues another one", "columns.session")
    long = "arrival_s,input_tokens,output_tokens,session\n" + "".join(f"{i},1000000000,5,a\n" for i in range(2))
    (pimdse.folder / "t.csv").write_text(long)
    refused(pimdse("evaluate", "gpu", "--scenario", f"{scenario},traffic.columns.prompts=added"), 2,
            "traffic.columns.prompts", "more than 1073741824 tokens", '"whole"')


def test_lengths_without_times_take_drawn_arrivals(pimdse):
    rows = "prompt_len,output_len\n" + "50,6\n" * 40
    assert service(pimdse, "traffic.rate=4 1/s", rows)["rate"] == 4.0
    assert service(pimdse, "traffic.arrivals=closed,traffic.concurrency=3", rows)["rate"] is None
    refused(pimdse("evaluate", "gpu", "--scenario", "s=llm=llama-3-8b,traffic.trace=t.csv" + LIMITS), 2, "traffic.rate")


@pytest.mark.parametrize("process", ["arrivals=poisson", "arrivals=uniform", "arrivals=gamma,traffic.cv=4",
                                     "arrivals=gamma,traffic.burstiness=0.0625"])
def test_drawn_arrivals_have_exactly_their_rate(pimdse, process):
    found = service(pimdse, f"traffic.{process},traffic.rate=10 1/s,traffic.requests=50,traffic.input=9,"
                            "traffic.output=2")
    assert found["rate"] == 10.0


def test_cv_and_burstiness_are_two_names_of_one_number(pimdse):
    drawn = "traffic.arrivals=gamma,traffic.rate=9 1/s,traffic.requests=50,traffic.input=9,traffic.output=2"
    assert service(pimdse, drawn + ",traffic.cv=2") == service(pimdse, drawn + ",traffic.burstiness=0.25")
    both = f"s=llm=llama-3-8b,{drawn},traffic.cv=2,traffic.burstiness=0.25{LIMITS}"
    refused(pimdse("evaluate", "gpu", "--scenario", both), 2, "traffic.cv", "burstiness")


def test_a_damaged_line_is_named(pimdse):
    (pimdse.folder / "t.csv").write_text(MOONCAKE + '{"timestamp": 4000, "input_length": 60')
    refused(pimdse("evaluate", "gpu", "--scenario", "s=llm=llama-3-8b,traffic.trace=t.csv" + LIMITS), 2, "t.csv:3")
