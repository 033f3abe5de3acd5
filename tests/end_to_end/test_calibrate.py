"""pimdse calibrate --measured: a machine fitted to a recorded run."""
import csv
import json
import random
import re

import pytest

from conftest import Runner, in_campaign, refused

MODEL, LIMITS = "llama-3.1-8b", "scheduler.max_sequences=32"
TRUE = {"host_step": 500.0, "bandwidth_share": 0.78}
SPACE = """schema = 2
architecture = "./true.toml"
objectives = ["makespan"]
[parameters]
scheduler.max_sequences = [32, 33]
[[scenario]]
name = "run"
llm = "llama-3.1-8b"
[scenario.traffic]
trace = "arrivals.csv"
"""


def constant(name, value, unit):
    return f'[constant.{name}]\nvalue = {value}\nunit = "{unit}"\nsource = "made up"\n'


def recorded(folder, constants):
    """What an h100 with these constants does with requests: arrival, input, output, first and last token in s."""
    pimdse, draw = Runner(folder), random.Random(7)
    (folder / "true.toml").write_text('schema = 1\nbase = "h100"\nname = "true"\n' + "".join(
        constant(name, value, "1" if name.endswith("share") else "us") for name, value in constants.items()))
    lines, time = ["arrival_s,input_tokens,output_tokens"], 0.0
    for _ in range(80):
        lines.append(f"{time:.6f},{draw.randint(20, 3000)},{draw.randint(2, 200)}")
        time += draw.expovariate(4.0 if len(lines) // 12 % 2 else 60.0)
    (folder / "arrivals.csv").write_text("\n".join(lines) + "\n")
    (folder / "s.toml").write_text(SPACE)
    pimdse.ok("explore", "s.toml", "-o", "s.h5", "--progress", "none")
    pimdse.ok("export", "s.h5", "trace.json", "--point", 0, "--as", "perfetto")
    slices = {}
    for event in json.loads((folder / "trace.json").read_text())["traceEvents"]:
        if event["ph"] == "X" and event["pid"] == 2:
            slices.setdefault(event["tid"], {})[event["name"]] = (event["ts"] / 1e6, (event["ts"] + event["dur"]) / 1e6)
    return [(float(row["arrival_s"]), int(row["input_tokens"]), int(row["output_tokens"]), of["prefill"][1],
             of["decode"][1]) for row, of in zip(csv.DictReader(lines), (slices[tid] for tid in sorted(slices)))]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return recorded(tmp_path_factory.mktemp("run"), TRUE)


def ours(run):
    rows = ["arrival_s,input_tokens,output_tokens,first_token_s,last_token_s"]
    return "\n".join(rows + [",".join(f"{value:.9g}" for value in row) for row in run]) + "\n"


def aiperf(run):
    def record(arrival, tokens, output, first, last):
        return {"metadata": {"request_start_ns": 10**18 + round(1e9 * arrival), "benchmark_phase": "profiling"},
                "metrics": {"input_sequence_length": {"value": tokens, "unit": "tokens"},
                            "output_sequence_length": {"value": output, "unit": "tokens"},
                            "time_to_first_token": {"value": 1e3 * (first - arrival), "unit": "ms"},
                            "request_latency": {"value": 1e3 * (last - arrival), "unit": "ms"}}}
    return "".join(json.dumps(record(*row)) + "\n" for row in reversed(run))


def in_seconds(lines):
    """The same records with TTFT in s and the whole request in us, as their `unit` says."""
    records = [json.loads(line) for line in lines.splitlines()]
    for metrics in (record["metrics"] for record in records):
        for name, unit, scale in (("time_to_first_token", "s", 1e-3), ("request_latency", "us", 1e3)):
            metrics[name] = {"value": scale * metrics[name]["value"], "unit": unit}
    return "".join(json.dumps(record) + "\n" for record in records)


def bench_serve(run):
    gaps = [[(last - first) / (output - 1)] * (output - 1) for _, _, output, first, last in run]
    return json.dumps({"input_lens": [row[1] for row in run], "output_lens": [row[2] for row in run],
                       "start_times": [500.0 + row[0] for row in run], "errors": [""] * len(run),
                       "ttfts": [row[3] - row[0] for row in run], "itls": gaps})


def simulated(run):
    rows = ["instance id,request id,model,input,output,arrival,end_time,latency,queuing_delay,TTFT,TPOT,ITL"]
    for i, (arrival, tokens, output, first, last) in enumerate(run):
        at = [round(1e9 * value) for value in (arrival, last, last - arrival, 0, first - arrival, 1e-3)]
        rows.append(f'0,{i},m,{tokens},{output},{",".join(map(str, at))},"[1, 2]"')
    return "\n".join(rows) + "\n"


def of_engine(run):
    """The engine has a clock of its own, which shows 100 s when the first request arrives."""
    return "".join(json.dumps({"request_id": f"bench-{i}", "input_toks": row[1], "output_toks": row[2],
                               "arrival_time": 1.7e9 + row[0], "queued_ts": 100.0 + row[0],
                               "first_token_ts": 100.0 + row[3], "last_token_ts": 100.0 + row[4]}) + "\n"
                   for i, row in enumerate(run))


def calibrated(pimdse, text, fit, *flags, name="run.csv"):
    (pimdse.folder / name).write_text(text)
    return pimdse("calibrate", "h100", "--model", MODEL, "--measured", name, "--set", LIMITS, "--fit", fit, "-o",
                  "found.toml", *flags)


def found_in(pimdse):
    text = (pimdse.folder / "found.toml").read_text()
    return {part.split("]")[0]: float(part.split("value = ")[1].split("\n")[0])
            for part in text.split("[constant.")[1:]}, text


@pytest.mark.parametrize("true", [
    {"host_step": 500.0}, {"host_sequence": 15.0}, {"bandwidth_share": 0.72}, TRUE,
    in_campaign({"host_step": 300.0, "host_sequence": 15.0, "fp16_share": 0.6}),
], ids=",".join)
def test_the_constants_of_the_machine_that_made_the_run_are_found_together(pimdse, tmp_path_factory, true):
    run = recorded(tmp_path_factory.mktemp("made"), true)
    done = calibrated(pimdse, ours(run), ",".join(true))
    assert done.returncode == 0, done.stderr
    found = found_in(pimdse)[0]
    for name, value in true.items():
        assert found[name] == pytest.approx(value, rel=0.03), done.stdout


@pytest.mark.campaign
def test_of_five_constants_those_that_move_the_rows_most_are_found(pimdse, tmp_path_factory):
    """What the host takes for a step, for a sequence, and attention of prompts make up for each other within 1 % of a
    step."""
    true = {"host_step": 300.0, "host_sequence": 15.0, "bandwidth_share": 0.75, "fp16_share": 0.6,
            "attention_share": 0.5}
    run = recorded(tmp_path_factory.mktemp("made"), true)
    done = calibrated(pimdse, ours(run), ",".join(true))
    assert done.returncode == 0, done.stderr
    found = found_in(pimdse)[0]
    for name in ("bandwidth_share", "fp16_share"):
        assert found[name] == pytest.approx(true[name], rel=0.03), done.stdout
    for name, (low, high) in ranges_in(done.stdout).items():
        assert low <= true[name] <= high, done.stdout
    for line in re.findall(r"^(?:makespan|ttft_mean|tpot_mean): .*$", done.stdout, re.M):
        assert abs(float(line.split("(")[-1].split(" %)")[0])) < 2.0, line


def ranges_in(text):
    """{constant: the range of values that fit nearly as well}; one that stays has none."""
    found = re.findall(r"^(\w+): .* after; ([\d.e+-]+) to ([\d.e+-]+) fit nearly as well", text, re.M)
    return {name: (float(low), float(high)) for name, low, high in found}


@pytest.mark.parametrize("seed", [1, *map(in_campaign, range(2, 21))])
def test_the_stated_range_holds_the_constant_that_made_the_run(pimdse, tmp_path_factory, seed):
    """Of three that make up for each other, whether one of them stays or not."""
    draw = random.Random(seed)
    true = {"host_step": draw.uniform(100, 400), "host_sequence": draw.uniform(5, 15),
            "bandwidth_share": draw.uniform(0.7, 0.9)}
    done = calibrated(pimdse, ours(recorded(tmp_path_factory.mktemp("made"), true)), ",".join(true))
    assert done.returncode == 0, done.stderr
    found = ranges_in(done.stdout)
    assert "bandwidth_share" in found, done.stdout
    for name, (low, high) in found.items():
        assert low <= true[name] * 1.001 and true[name] <= high * 1.001, done.stdout


def test_constants_that_the_rows_do_not_tell_stay_and_are_named(pimdse, run):
    """Nothing is in fp8, and a layer takes its overhead, whatever of it is that of an activation."""
    done = calibrated(pimdse, ours(run), "small_kernel,host_step,fp8_share,bandwidth_share")
    assert done.returncode == 0, done.stderr
    found, text = found_in(pimdse)
    assert found.keys() == TRUE.keys() and found["host_step"] == pytest.approx(TRUE["host_step"], rel=0.03)
    assert re.search(r"^bandwidth_share: [\d.]+ before, ", done.stdout, re.M), done.stdout
    for name, unit in (("small_kernel", " us"), ("fp8_share", "")):
        assert re.search(rf"^{name}: [\d.]+{unit} stays \(these rows do not tell it", done.stdout, re.M), done.stdout
        assert f"# {name}: " in text
    (pimdse.folder / "found.toml").unlink()
    assert calibrated(pimdse, ours(run), "fp8_share").returncode == 3
    assert not (pimdse.folder / "found.toml").exists()


def test_several_constants_together_say_what_the_held_out_half_takes(pimdse, run):
    done = calibrated(pimdse, ours(run), ",".join(TRUE), "--engine", 'vLLM "0.19"')
    assert done.returncode == 0, done.stderr
    found, text = found_in(pimdse)
    assert found.keys() == TRUE.keys()
    assert r'requests 1 to 40 of run.csv (vLLM \"0.19\") on 20' in text and "50 before" in text
    lines = [line for line in done.stdout.splitlines() if line.startswith(("makespan", "ttft_mean", "tpot_mean"))]
    assert len(lines) == 3 and "requests 41 to 80 held out" in done.stdout
    for line in lines:
        before, after = (abs(float(part.split(" %)")[0])) for part in line.split("(")[1:])
        assert after < before and (after < 2.0 or line.startswith("ttft")), line
    assert "[bounds]\nspread = 1" in text
    for phase in ("prompt, time to the first token", "decode, time per later token", "request, time to the last token"):
        before, after = map(float, re.search(rf"{phase}: .* ([\d.]+) before and ([\d.]+) after", done.stdout).groups())
        assert 1.0 <= after <= before and f"# {phase}" in text
    assert pimdse.json("evaluate", "./found.toml", "--set", "llm=opt-6.7b")["status"] == "ok"


@pytest.mark.parametrize("form, name", [(aiperf, "run.jsonl"), (bench_serve, "run.json"), (simulated, "sim.csv"),
                                        (of_engine, "requests.jsonl"),
                                        (lambda run: in_seconds(aiperf(run)), "s.jsonl")])
def test_every_kind_of_record_says_the_same(pimdse, run, form, name):
    assert calibrated(pimdse, form(run), "host_step", name=name).returncode == 0
    found = found_in(pimdse)[0]
    (pimdse.folder / "found.toml").unlink()
    assert calibrated(pimdse, ours(run), "host_step").returncode == 0
    assert found["host_step"] == pytest.approx(found_in(pimdse)[0]["host_step"], rel=1e-3)


@pytest.mark.parametrize("form, name", [(ours, "run.csv"), (bench_serve, "run.json")])
def test_milliseconds_where_seconds_are_read_are_refused_at_once(pimdse, run, form, name):
    """Arrivals, too, so that no requests meet: what is replayed for each of a thousand constants would take minutes."""
    longer = [(1e3 * row[0], *row[1:3], 1e3 * row[3], 1e3 * row[4]) for row in run]
    done = calibrated(pimdse, form(longer), "host_step,bandwidth_share", name=name)
    refused(done, 3, "times as long as on h100, or longer, and no constant explains that. Is the unit of their times")
    assert float(re.search(r"take ([\d.]+) times", done.stderr)[1]) > 300


def test_a_queue_that_the_machine_does_not_have_is_no_other_unit(pimdse, run):
    """First tokens come a hundred times later where a run had one sequence in a step."""
    waited = [(*row[:3], row[3] + 300 + i, row[4] + 300 + i) for i, row in enumerate(run)]
    done = calibrated(pimdse, ours(waited), "host_step")
    assert "Is the unit" not in done.stderr


def test_requests_that_physics_forbids_are_refused_by_number(pimdse, run):
    sooner = [row if i != 6 else (row[0], 3000, row[2], row[0] + 1e-4, row[4]) for i, row in enumerate(run)]
    faster = [row if i != 8 else (*row[:4], row[3] + 1e-3 * row[2]) for i, row in enumerate(sooner)]
    done = calibrated(pimdse, ours(faster), "host_step")
    assert done.returncode == 3 and "request 7, 9. Leave them out?" in done.stderr
    assert not (pimdse.folder / "found.toml").exists()


@pytest.mark.parametrize("change, code, words", [
    (lambda text: text.replace("first_token_s", "began"), 3, "does not say when first and last tokens came"),
    (lambda text: text.replace("arrival_s", "came"), 2, "--measured: "),
    (lambda text: "\n".join([*text.splitlines()[:2], "1,10,10,0.5,2"]), 3, "run.csv:3: first_token_s"),
    (lambda text: "\n".join(text.splitlines()[:4]), 3, "3 requests (a calibration needs 4"),
    (lambda text: text + "1e6,2000000,2,1000100,1000200\n", 3, "request 81 exceeds the cache or the context"),
])
def test_runs_that_cannot_be_replayed(pimdse, run, change, code, words):
    done = calibrated(pimdse, change(ours(run)), "host_step")
    assert done.returncode == code and words in done.stderr, done.stderr


@pytest.mark.parametrize("form, change, name, words", [
    (aiperf, lambda text: text.replace('"ms"', '"min"'), "run.jsonl",
     "run.jsonl:1: metrics.time_to_first_token.unit = 'min' is not one of s, ms, us, ns"),
    (simulated, lambda text: text.replace("0,9,m,", "0,9,n,"), "sim.csv",
     "sim.csv:11: model = 'n' after 'm'. Keep the requests of one model?"),
    (simulated, lambda text: re.sub(r"(\d{4,})", lambda digits: str(int(digits[1]) // 1000000), text), "sim.csv",
     "allows: every request. Are its times and tokens in the right columns and units?"),
    (bench_serve, lambda text: json.dumps(json.loads(text) | {
        "ttfts": [1e3 * t for t in json.loads(text)["ttfts"]],
        "itls": [[1e3 * t for t in gaps] for gaps in json.loads(text)["itls"]]}), "run.json",
     "as long as on h100, or longer, and no constant explains that. Is the unit of their times right?"),
])
def test_records_in_other_units_and_of_two_models_are_refused(pimdse, run, form, change, name, words):
    refused(calibrated(pimdse, change(form(run)), "bandwidth_share", name=name), 3, words)


@pytest.mark.parametrize("flags, words", [
    (("--rows", "rows.csv"), "--rows and --measured are both given"),
    (("--assume", "view=hardware"), "Leave out --assume?"),
    (("--set", "traffic.rate=3 1/s"), "a run is replayed at its own times"),
])
def test_mistakes_of_a_calibration(pimdse, run, flags, words):
    refused(calibrated(pimdse, ours(run), "host_step", *flags), 2, words)
