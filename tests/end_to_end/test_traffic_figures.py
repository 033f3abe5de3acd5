"""Figures of traffic that a user may trust: what is said of loads that are too fast, too short or too long."""
import json
import re

import pytest
from conftest import refused

ROWS = "traffic.input=512,traffic.output=128"


def service(pimdse, keys, *words, llm="llama-3-8b"):
    (found,) = pimdse.json("evaluate", "gpu", "--set", "device=h100", *words, "--scenario",
                           f"s=llm={llm},{keys}")["services"]
    return found


def test_a_load_above_the_roof_is_saturated_however_short_it_is(pimdse):
    """70 requests a second are above what an H100 serves, 90 and 360 far above."""
    words = ("--set", "scheduler.max_sequences=256", "--set", "scheduler.max_batched_tokens=2048")
    slow = service(pimdse, f"traffic.arrivals=uniform,traffic.rate=20 1/s,traffic.requests=200,{ROWS}", *words)
    assert not slow["saturated"] and slow["max_rate"] < 63.2
    for rate, requests in ((70, 2000), (90, 400), (360, 100)):
        keys = f"traffic.arrivals=uniform,traffic.rate={rate} 1/s,traffic.requests={requests},{ROWS}"
        found = service(pimdse, keys, *words)
        assert found["saturated"] and found["served_at_most"] < 63.2 and found["max_rate"] <= found["served_at_most"]
        assert found["max_rate"] == pytest.approx(slow["max_rate"], rel=0.03)
        assert found["saturation"].startswith("saturated") and f"{rate} 1/s" in found["saturation"]


def test_a_hint_promises_what_lasts(pimdse):
    """100 requests at three times what is ever served meet a long limit, and the hint does not speak of this rate."""
    keys = f"traffic.rate=120 1/s,traffic.requests=100,{ROWS},slo.ttft=20 s"
    found = service(pimdse, keys)
    assert found["good"] == 100 and found["saturated"]
    assert found["sustained_rate"] <= found["max_rate"] < found["rate"]
    assert "hold up to" not in found["hint"] and "few" in found["hint"]
    assert re.search(r"sustained_rate: [0-9.]+ 1/s", found["hint"])
    # At the rate of the hint, the same requests in a long load are good.
    again = service(pimdse, f"traffic.rate={0.97 * found['max_rate']:.6g} 1/s,traffic.requests=3000,{ROWS},"
                            "slo.ttft=20 s")
    assert again["good_share"] >= 0.99 and not again["saturated"]


def test_seeds_say_how_sure_a_rate_is(pimdse):
    drawn = f"traffic.arrivals=gamma,traffic.cv=3,traffic.rate=5 1/s,traffic.requests=200,{ROWS},slo.ttft=100 ms"
    found = service(pimdse, drawn)
    seeds = found["max_rate_of_seeds"]
    assert seeds["seeds"] == 5 and seeds["lower"] < seeds["upper"]
    assert seeds["lower"] <= found["max_rate"] <= seeds["upper"]
    text = pimdse.ok("evaluate", "gpu", "--set", "device=h100", "--scenario", f"s=llm=llama-3-8b,{drawn}")
    assert "with 5 seeds" in text
    assert service(pimdse, drawn.replace("gamma,traffic.cv=3", "uniform"))["max_rate_of_seeds"] is None


def test_a_closed_loop_says_which_requests_it_leaves_out(pimdse):
    loop = f"traffic.arrivals=closed,traffic.concurrency=64,traffic.requests=640,{ROWS},slo.ttft=1 s"
    found = service(pimdse, loop)
    assert found["warm_up"] == 64 and found["times"]["ttft"]["p99"] < 0.5
    assert "first 64 requests" in " ".join(pimdse.ok("evaluate", "gpu", "--set", "device=h100", "--scenario",
                                                     f"s=llm=llama-3-8b,{loop}").split())
    burst = service(pimdse, loop.replace("=640", "=100"))
    assert burst["warm_up"] == 0 and burst["times"]["ttft"]["p99"] > max(0.5, found["times"]["ttft"]["p99"])


def test_only_the_request_that_is_too_long_is_rejected(pimdse):
    (pimdse.folder / "t.csv").write_text("arrival_s,input_tokens,output_tokens\n0,100,9\n1,30000,9\n2,90,9\n3,80,9\n")
    found = service(pimdse, "traffic.trace=t.csv", llm="llama-2-7b")
    assert (found["served"], found["rejected"]) == (3, 1)
    told = pimdse("recommend", "--model", "llama-2-7b", "--trace", "t.csv", "--machines", "hbm_pim", "--devices", 1,
                  "--draws", 0, "--progress", "none", "--format", "json")
    assert told.returncode == 6 and "rejected" in json.loads(told.stdout)["machines"][0]["reason"]


def test_the_front_names_designs_that_reject_requests(pimdse):
    (pimdse.folder / "t.csv").write_text("arrival_s,input_tokens,output_tokens\n" + "".join(
        f"{i},{3000 if i % 4 == 0 else 100},9\n" for i in range(200)))
    (pimdse.folder / "s.toml").write_text(
        'schema = 2\narchitecture = "gpu"\nobjectives = ["ttft_p99"]\n[parameters]\ndevice = "h100"\n'
        'scheduler.cache_tokens = [0, 1024]\n[[scenario]]\nname = "s"\nllm = "llama-3-8b"\n'
        '[scenario.traffic]\ntrace = "t.csv"\n')
    assert "requests rejected in s: point 1 (50)." in pimdse.ok("explore", "s.toml", "-o", "s.h5", "--progress", "none")
    assert "requests rejected in s: point 1 (50)." in pimdse.ok("front", "s.h5")
    assert "rejected" not in pimdse.ok("front", "s.h5", "--where", "rejected <= 0")


def test_scenarios_take_lists_and_distributions(pimdse):
    found = pimdse.json("evaluate", "gpu", "--set", "device=h100", "--scenario",
                        "s=llm=llama-3-8b,traffic.rate=[2 1/s, 4 1/s],traffic.requests=30,"
                        "traffic.input={ lognormal = [1500, 3000] },traffic.output=20")["services"]
    assert [one["rate"] for one in found] == [2.0, 4.0]
    with_words = service(pimdse, "traffic.rate=2 1/s,traffic.requests=30,traffic.input=lognormal 1500 3000,"
                                 "traffic.output=20")
    assert with_words["times"] == found[0]["times"]
    for wrong in ("traffic.input={ lognormal = 5 }", "traffic.input={ uniform = [1, 2] }", "traffic.input=[5"):
        keys = f"s=llm=llama-3-8b,traffic.rate=2 1/s,traffic.output=20,{wrong}"
        refused(pimdse("evaluate", "gpu", "--scenario", keys), 2, "--scenario")


@pytest.mark.parametrize("name", ["batch", "input", "output"])
def test_a_parameter_of_one_batch_is_refused_beside_traffic(pimdse, name):
    keys = f"traffic.rate=2 1/s,traffic.requests=9,{ROWS}"
    refused(pimdse("evaluate", "gpu", "--set", f"{name}=8", "--scenario", f"s=llm=llama-3-8b,{keys}"), 2, name, "--set")
    (pimdse.folder / "s.toml").write_text(
        f'schema = 2\narchitecture = "gpu"\nobjectives = ["goodput"]\n[parameters]\n{name} = [1, 8]\n[[scenario]]\n'
        'name = "s"\nllm = "llama-3-8b"\n[scenario.traffic]\nrate = "2 1/s"\nrequests = 9\ninput = 9\noutput = 9\n')
    refused(pimdse("explore", "s.toml", "-o", "s.h5"), 3, "s.toml:5", name)


def test_constraints_take_every_metric_of_a_service(pimdse):
    keys = f"traffic.rate=2 1/s,traffic.requests=20,{ROWS}"
    words = ("evaluate", "gpu", "--set", "device=h100", "--scenario", f"s=llm=llama-3-8b,{keys}")
    metrics = pimdse.json(*words)["metrics"]
    known = [name for name, entry in metrics.items() if "@" not in name and entry["value"] is not None]
    assert {"peak_power", "cost_per_million_tokens", "carbon_per_good_token", "embodied_carbon", "kv_peak"} < set(known)
    head = ('schema = 2\narchitecture = "gpu"\nobjectives = ["goodput"]\n[parameters]\ndevice = ["h100", "a100"]\n'
            '[[scenario]]\nname = "s"\nllm = "llama-3-8b"\n[scenario.traffic]\nrate = "2 1/s"\nrequests = 20\n'
            'input = 512\noutput = 128\n')
    (pimdse.folder / "s.toml").write_text(
        head + "".join(f'[[constraint]]\nname = "c{i}"\nexpr = "{name} >= 0"\n' for i, name in enumerate(known)))
    pimdse.ok("explore", "s.toml", "-o", "s.h5", "--progress", "none")


def test_blocks_of_diffusion_are_denoised_together(pimdse):
    """Requests that come at once are the batch of as many, or one after another if the scheduler takes one."""
    blocks = ("h100", "--set", "generation=diffusion", "--set", "steps=8", "--format", "json")

    def latency(batch):
        words = ("--set", "llm=llada-8b", "--set", "input=100", "--set", "output=64", "--set", f"batch={batch}")
        return json.loads(pimdse.ok("evaluate", *blocks, *words))["metrics"]["latency"]["value"]

    def makespan(sequences):
        load = "traffic.arrivals=closed,traffic.concurrency=8,traffic.requests=8,traffic.input=100,traffic.output=64"
        scenario = f"run=llm=llada-8b,{load},scheduler.max_sequences={sequences}"
        said = json.loads(pimdse.ok("evaluate", *blocks, "--scenario", scenario))
        return said["services"][0]["makespan"]

    assert makespan(8) == pytest.approx(latency(8), rel=1e-9)
    assert makespan(1) == pytest.approx(8 * latency(1), rel=1e-9)
    assert latency(8) < 3 * latency(1)


@pytest.mark.parametrize("machine", ["h100", "dplena"])
@pytest.mark.parametrize("output", ["37", "{ lognormal = [100, 200] }"])
def test_outputs_of_any_length_are_denoised_in_whole_blocks(pimdse, machine, output):
    """Whatever the mean length is; 37 tokens are two blocks of 32, which take what 64 do."""
    def served(length, *flags):
        load = f"concurrency=1,traffic.requests=6,traffic.input=100,traffic.output={length}"
        return pimdse("evaluate", machine, "--set", "generation=diffusion", "--scenario",
                      f"run=llm=llada-8b,traffic.arrivals=closed,traffic.{load}", "--format", "json", *flags)

    done = served(output)
    assert done.returncode == 0, done.stdout + done.stderr
    if output == "37":
        makespan = [json.loads(of.stdout)["services"][0]["makespan"] for of in (done, served(64))]
        assert makespan[0] == pytest.approx(makespan[1], rel=1e-12)
    group = served(64, "--set", "devices=2")
    assert group.returncode == 6 and "devices = 1, and copies for more" in group.stdout, group.stdout + group.stderr
