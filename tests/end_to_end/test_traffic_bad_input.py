"""Wrong traffic in space files, traces and flags: one sentence that names the place, and the documented exit code."""
import pytest
from conftest import refused

HEAD = ('schema = 2\narchitecture = "gpu"\nobjectives = ["goodput", "silicon"]\n'
        '[parameters]\ndevice = ["a100", "h100"]\n')
SCENARIO = '[[scenario]]\nname = "s"\nllm = "llama-3-8b"\n'
TRACE = '[scenario.traffic]\ntrace = "t.csv"\n'
SLO = '[scenario.slo]\nttft = "1 s"\ntpot = "50 ms"\n'
DRAWN = '[scenario.traffic]\narrivals = "poisson"\nrate = "2 1/s"\nrequests = 20\ninput = 100\noutput = 10\n'
COLUMNS = "arrival_s,input_tokens,output_tokens\n"


def explored(pimdse, traffic, trace=None):
    (pimdse.folder / "s.toml").write_text(HEAD + SCENARIO + traffic)
    if trace is not None:
        (pimdse.folder / "t.csv").write_text(trace)
    return pimdse("explore", "s.toml", "-o", "a.h5", "--progress", "none")


@pytest.mark.parametrize("trace, facts", [
    (COLUMNS + "0,100,10\n2,100,10\n1.5,100,10\n", ["t.csv:4", "arrival_s", "1.5"]),
    (COLUMNS + "-1,100,10\n", ["t.csv:2", "arrival_s", "-1", "negative"]),
    (COLUMNS + "0,0,10\n", ["t.csv:2", "input_tokens", "= 0"]),
    (COLUMNS + "0,100,0\n", ["t.csv:2", "output_tokens", "= 0"]),
    (COLUMNS + "0,100,1.5\n", ["t.csv:2", "output_tokens", "1.5"]),
    (COLUMNS + "nan,100,10\n", ["t.csv:2", "arrival_s", "nan"]),
    (COLUMNS + "0,nan,10\n", ["t.csv:2", "input_tokens", "nan"]),
    (COLUMNS + "0,100,inf\n", ["t.csv:2", "output_tokens", "inf"]),
    (COLUMNS + "0,many,10\n", ["t.csv:2", "input_tokens", "'many'"]),
    (COLUMNS + "0,100,10\n1,100\n", ["t.csv:3", "output_tokens"]),
    ("arrival_s,input_tokens\n0,100\n", ["t.csv:1", "output_tokens"]),
    ("arrival_s;input_tokens\n0;100\n", ["t.csv:1", "output_tokens"]),
    ("TIMESTAMP,ContextTokens\n00:00:01,100\n", ["t.csv:1", "GeneratedTokens"]),
    (COLUMNS + "1763000000000,100,10\n", ["t.csv:2", "arrival_s", '"ms"']),
    ('{"timestamp": 0, "input_length": 100, "output_length": 10, "hash_ids": [1, 2, 3, 4, 5, 6, 7]}',
     ["t.csv:1", "hash_ids", "7 blocks", "block_tokens = 16"]),
    ("input_tokens,output_tokens,request,parent\n9,1,a,b\n9,1,b,\n", ["t.csv:2", "parent = b", "no request above"]),
    ("input_tokens,output_tokens,request\n9,1,a\n9,1,a\n", ["t.csv:3", "request = a", "a request above, too"]),
    ("input_tokens,output_tokens,after_s\n9,1,3\n", ["t.csv:2", "after_s = 3", "leave the cell empty"]),
    (COLUMNS, ["t.csv", "no requests"]),
    ("", ["t.csv", "empty"]),
])
def test_a_wrong_trace_is_named_with_its_line(pimdse, trace, facts):
    refused(explored(pimdse, TRACE + SLO, trace), 3, *facts)
    assert not (pimdse.folder / "a.h5").exists()


@pytest.mark.parametrize("traffic, line, facts", [
    (SLO, 9, ["slo", "[scenario.traffic]"]),
    (DRAWN.replace("2 1/s", "0 1/s") + SLO, 11, ["traffic.rate", "0"]),
    (DRAWN.replace("2 1/s", "nan 1/s") + SLO, 11, ["traffic.rate", "nan"]),
    (DRAWN.replace("2 1/s", "-1 1/s") + SLO, 11, ["traffic.rate", "-1"]),
    (DRAWN.replace("2 1/s", "2 s") + SLO, 11, ["traffic.rate", "2 s"]),
    (DRAWN.replace("input = 100", "input = 0") + SLO, 13, ["traffic.input", "0"]),
    (DRAWN.replace("requests = 20", "requests = 0") + SLO, 12, ["traffic.requests", "0"]),
    (DRAWN.replace("poisson", "poison") + SLO, None, ["traffic.arrivals", "'poison'", "poisson"]),
    (DRAWN.replace("poisson", "gamma") + SLO, None, ["traffic.cv"]),
    (DRAWN.replace("poisson", "closed").replace('rate = "2 1/s"\n', "") + SLO, None, ["traffic.concurrency"]),
    (DRAWN + "burst = 3\n" + SLO, 15, ["burst"]),
    (DRAWN + SLO.replace("tpot", "tppt"), 17, ["tppt", "tpot"]),
    (DRAWN + SLO.replace("1 s", "0 s"), 16, ["slo.ttft", "0 s"]),
    (DRAWN + SLO + "share = 1.5\n", 18, ["slo.share", "1.5"]),
    (TRACE + 'arrivals = "poisson"\n' + SLO, None, ["traffic.arrivals", "trace"]),
])
def test_wrong_keys_are_named_with_their_line(pimdse, traffic, line, facts):
    done = explored(pimdse, traffic, COLUMNS + "0,100,10\n")
    refused(done, 3, *facts)
    if line is not None:
        assert f"s.toml:{line}" in done.stderr, done.stderr


def test_a_trace_that_is_not_there_is_missing(pimdse):
    refused(explored(pimdse, TRACE.replace("t.csv", "none.csv") + SLO, COLUMNS + "0,100,10\n"), 4, "none.csv")


@pytest.mark.parametrize("scenario, facts", [
    ("s=llm=llama-3-8b,slo.ttft=1 s", ["--scenario", "slo"]),
    ("s=llm=llama-3-8b,traffic.rat=1 1/s", ["--scenario", "'traffic.rat'", "'traffic.rate'"]),
    ("s=llm=llama-3-8b,traffic.trace=t.csv,input=100", ["--scenario", "input", "traffic.input"]),
    ("s=llm=llama-3-8b,traffic.rate=0 1/s,traffic.input=9,traffic.output=9", ["--scenario", "traffic.rate", "0"]),
])
def test_wrong_flags_are_refused(pimdse, scenario, facts):
    (pimdse.folder / "t.csv").write_text(COLUMNS + "0,100,10\n")
    refused(pimdse("evaluate", "gpu", "--scenario", scenario), 2, *facts)


def test_a_request_that_is_too_long_is_counted_and_not_fatal(pimdse):
    """One exceeds the context of the model, one the whole cache."""
    rows = "".join(f"{i},50,5\n" for i in range(40))
    trace = COLUMNS + rows + "40,9000,10\n41,5000,10\n42,50,5\n"
    done = explored(pimdse, TRACE + SLO + "[scenario.scheduler]\ncache_tokens = 2048\n", trace)
    assert done.returncode == 0, done.stderr
    (service,) = pimdse.json("evaluate", "--from", "a.h5", "--point", 1)["services"]
    assert (service["requests"], service["served"], service["rejected"]) == (43, 41, 2)


def test_memory_that_holds_no_cache_is_infeasible_with_a_reason(pimdse):
    done = explored(pimdse, TRACE + SLO + "[scenario.scheduler]\nmemory_share = 0\n", COLUMNS + "0,100,10\n")
    assert done.returncode == 6 and "cache" in done.stdout
    done = pimdse("evaluate", "--from", "a.h5", "--point", 0)
    assert done.returncode == 6 and "infeasible: cache: s: " in done.stdout
