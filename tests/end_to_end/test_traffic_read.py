"""What evaluate, explore and front say of requests that arrive over time."""
import json
import re

import pytest
from conftest import refused

TRACE = "service=llm=llama-3-8b,traffic.trace=azure_2023_conv.csv,traffic.requests=300,slo.ttft=1 s,slo.tpot=50 ms"
SPACE = """schema = 2
architecture = "gpu"
objectives = ["goodput", "energy_per_good_token"]
[parameters]
device = ["a100", "h100"]
scheduler.max_sequences = [8, 64]
[[scenario]]
name = "service"
llm = "llama-3-8b"
[scenario.traffic]
trace = "azure_2023_conv.csv"
requests = 300
[scenario.slo]
ttft = "1 s"
tpot = "50 ms"
"""


@pytest.fixture
def explored(pimdse, explored_once):
    (pimdse.folder / "s.toml").write_text(SPACE)
    explored_once(pimdse, SPACE, "s.h5")
    return pimdse


def table(text):
    """The table of times: a row's words by its name."""
    rows = [re.split(r"\s{2,}", line) for line in text.splitlines()
            if line.startswith(("TTFT", "TPOT", "end", "queue"))]
    return {row[0]: row[1:] for row in rows if len(row) > 3}


def test_a_service_is_told_as_text(pimdse):
    text = pimdse.ok("evaluate", "gpu", "--set", "device=h100", "--scenario", TRACE, env={"COLUMNS": "80"})
    assert text.isascii() and max(map(len, text.splitlines())) <= 80
    rows = table(text)
    assert list(rows) == ["TTFT", "TPOT", "end to end", "queue"]
    assert rows["TTFT"][-2:] == ["1 s", "100.0 %"] and rows["TPOT"][-2:] == ["50 ms", "100.0 %"]
    assert "300 served, 300 good" in text and "not saturated" in text and "hint: the limits are met" in text
    lines = text[text.index("    time  arrivals"):].splitlines()
    assert len([line for line in lines if re.match(r" +[0-9.]+ [a-z]*s ", line)]) == 20
    assert "@service" not in text, "a single scenario is not repeated"
    assert "latency" not in text and "where the time goes" not in text, "a batch has them"


def test_json_says_the_same(pimdse):
    words = ("evaluate", "gpu", "--set", "device=h100", "--scenario", TRACE, "--at-rates", "0.5,1,8")
    (service,) = pimdse.json(*words)["services"]
    metrics = pimdse.json(*words)["metrics"]
    assert service["requests"] == service["served"] == 300 and service["rejected"] == service["preemptions"] == 0
    for time in ("ttft", "tpot", "e2e"):
        for part in ("mean", "p50", "p90", "p99"):
            assert service["times"][time][part] == metrics[f"{time}_{part}@service"]["value"]
        percentiles = service["times"][time]["percentiles"]
        assert len(percentiles) == 100 and percentiles == sorted(percentiles)
        assert percentiles[89] == service["times"][time]["p90"]
    assert service["max_rate"] == metrics["max_rate@service"]["value"]
    timeline = service["timeline"]
    assert sum(part["arrivals"] for part in timeline) == 300
    tokens = sum(part["tokens_per_second"] * (part["end"] - part["start"]) for part in timeline)
    assert tokens == pytest.approx(service["output_rate"] * service["makespan"], rel=1e-6)
    half, one, eight = service["at_rates"]
    assert one["goodput"] == service["goodput"] and one["ttft"]["p99"] == metrics["ttft_p99@service"]["value"]
    assert half["good_share"] >= one["good_share"] > eight["good_share"]
    assert one["rate"] == pytest.approx(service["rate"]) and eight["rate"] == pytest.approx(8 * service["rate"])


def test_what_is_saturated_is_said_in_words(explored):
    """8 sequences are too few for an a100 at this rate."""
    front = explored.ok("front", "s.h5")
    points = {row["point"]: row for row in explored.json("front", "s.h5", "--where", "device == a100")["front"]}
    (point,) = [p for p, row in points.items() if row["parameters"]["scheduler.max_sequences"] == 8] or [0]
    text = explored.ok("evaluate", "--from", "s.h5", "--point", point)
    assert "\nsaturated: " in text and "length of the traffic" in text
    assert re.search(r"hint: .*scheduler\.max_sequences = 32 \(now 8\) makes \d+ of 300 requests good instead", text)
    saturated = {row["point"] for row in explored.json("front", "s.h5")["front"]
                 if row["metrics"]["saturated@service"]["value"] == 1.0}
    assert ("saturated in service" in front) == bool(saturated)
    worst = explored.ok("front", "s.h5", "--where", "scheduler.max_sequences == 8 and device == a100")
    assert f"saturated in service: point {point}." in worst
    again = explored.ok("explore", "s.toml", "-o", "t.h5", "--progress", "none", "--set", "device=a100",
                        "--set", "scheduler.max_sequences=8")
    assert "saturated in service: point 0." in again


def test_rejected_requests_are_counted_and_not_fatal(pimdse):
    rows = "0,100,10\n" * 30 + "1,100000,10\n2,50,1\n"
    (pimdse.folder / "t.csv").write_text("arrival_s,input_tokens,output_tokens\n" + rows)
    scenario = "s=llm=llama-3-8b,traffic.trace=t.csv,slo.ttft=1 s"
    text = pimdse.ok("evaluate", "gpu", "--scenario", scenario)
    assert "31 served, 31 good (96.9 %; 99.0 % wanted), 1 rejected" in text
    assert "hint: 1 of the requests exceed the context of the model or the whole cache" in text
    assert "missed at every rate, by the requests that are rejected" in " ".join(text.split())
    assert "too slow" not in text and "faster machine" not in text
    enough = " ".join(pimdse.ok("evaluate", "gpu", "--scenario", scenario + ",slo.share=0.95").split())
    assert "31 good (96.9 %; 95.0 % wanted), 1 rejected" in enough and "the limits are met, and hold up to" in enough


def test_a_closed_loop_has_no_rate(pimdse):
    scenario = ("s=llm=llama-3-8b,traffic.arrivals=closed,traffic.concurrency=4,traffic.requests=40,traffic.input=100,"
                "traffic.output=20,slo.ttft=1 s")
    text = pimdse.ok("evaluate", "gpu", "--scenario", scenario)
    assert "saturated:" not in text.replace("not saturated", "") and "max_rate" not in text.split("s: requests")[1]
    (service,) = pimdse.json("evaluate", "gpu", "--scenario", scenario)["services"]
    assert service["rate"] is None and service["max_rate"] is None and service["saturation"] == ""
    refused(pimdse("evaluate", "gpu", "--scenario", scenario, "--at-rates", "2"), 2, "--at-rates", "closed loop")


def test_a_group_beside_a_batch(pimdse):
    """Two copies are two engines; a scenario of one batch has no schedule."""
    words = ("evaluate", "gpu", "--all", "--set", "devices=2", "--set", "data_parallel=2", "--scenario", TRACE,
             "--scenario", "batch=llm=llama-3-8b,input=100,output=10,batch=2")
    text = pimdse.ok(*words)
    assert "2 devices: 2 copies" in text and "on 2 engines" in text and "latency@batch" in text
    assert [one["scenario"] for one in pimdse.json(*words)["services"]] == ["service"]


@pytest.mark.parametrize("words, facts", [
    (["--at-rates", "1,x"], ["--at-rates", "'x'"]),
    (["--at-rates", "0"], ["--at-rates", "'0'"]),
    (["--at-rates", "nan"], ["--at-rates", "nan"]),
])
def test_wrong_rates_are_refused(pimdse, words, facts):
    refused(pimdse("evaluate", "gpu", "--scenario", TRACE, *words), 2, *facts)


def test_rates_need_traffic(pimdse):
    refused(pimdse("evaluate", "gpu", "--at-rates", "1,2"), 2, "--at-rates", "traffic")


def test_every_number_of_a_service_is_json(explored):
    for point in range(4):
        text = explored.ok("evaluate", "--from", "s.h5", "--point", point, "--format", "json")
        json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))
