"""pimdse noc replay and noc check as a user and a script meet them."""
import csv
import json
import re

import pytest

from conftest import ROOT

REFERENCE = ROOT / "tests" / "data" / "noc_latency.csv"


def rows():
    with REFERENCE.open(newline="") as file:
        return list(csv.DictReader(file))


def picked(folder, keep, change=None):
    """A table of the reference rows that `keep` says, each changed in place by `change`."""
    chosen = [row for row in rows() if keep(row)]
    assert chosen
    for row in chosen:
        if change:
            change(row)
    path = folder / "rows.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(chosen[0]))
        writer.writeheader()
        writer.writerows(chosen)
    return path


def is_quiet(row):
    """One configuration far below saturation, on the small mesh."""
    return (row["config"], row["k"], row["traffic"], row["packet_flits"]) == (
        "A",
        "8",
        "uniform",
        "1",
    ) and (row["offered_flits_node_cycle"], row["seed"]) == ("0.1", "1")


def test_replay_prints_latency_throughput_and_hops(pimdse):
    words = ["noc", "replay", "--mesh", "8x8", "--traffic", "uniform", "--packet", "4", "--load", "0.1", "--cycles",
             "20000", "--seed", "3"]
    answer = json.loads(pimdse.ok(*words))
    timing = {"simulate_seconds", "router_cycles_per_second"}
    assert {"mesh", "traffic", "packet_flits", "load", "seed", "packets", "cycles", *timing} <= set(answer)
    assert answer["latency"] == pytest.approx(32.1, abs=0.5) and answer["closed_form_latency"] == pytest.approx(
        answer["latency"], rel=0.02
    )
    assert answer["throughput"] == pytest.approx(0.1, rel=0.03) and answer["hops"] == pytest.approx(5.25, rel=0.02)
    assert answer["drained"] and answer["network_latency"] <= answer["latency"] <= answer["longest_latency"]
    again = json.loads(pimdse.ok(*words))
    assert {k: v for k, v in again.items() if k not in timing} == {k: v for k, v in answer.items() if k not in timing}


def test_replay_says_when_the_network_is_saturated(pimdse):
    words = ["noc", "replay", "--mesh", "4x4", "--packet", "4", "--cycles", "20000", "--load"]
    assert pimdse.json(*words, "0.2")["saturated"] is False
    assert pimdse.json(*words, "1.5")["saturated"] is True
    assert re.search(r"(?m)^saturated\s+true$", pimdse.ok(*words, "1.5", "--format", "text"))


def test_replay_of_a_lonely_packet_takes_six_cycles_and_four_a_hop(pimdse):
    answer = json.loads(
        pimdse.ok("noc", "replay", "--traffic", "bitcomp", "--mesh", "4x4", "--load", "0.0005", "--cycles", "200000")
    )
    assert answer["latency"] == pytest.approx(6 + 4 * answer["hops"], rel=0.005)


def test_replay_beyond_saturation_says_that_no_closed_form_holds(pimdse):
    answer = json.loads(pimdse.ok("noc", "replay", "--packet", "4", "--load", "0.5", "--cycles", "5000"))
    assert answer["closed_form_latency"] is None and answer["throughput"] < 0.4 < answer["offered"]


def test_check_counts_rows_that_are_not_modelled(pimdse, tmp_path):
    table = picked(tmp_path, lambda row: is_quiet(row) or row["config"] in ("S", "V4"))
    skipped = sum(row["config"] != "A" for row in rows())
    answer = json.loads(pimdse.ok("noc", "check", table, "--packets", "10000", "--format", "json"))
    overall = answer["overall"]
    assert overall["skipped"] == skipped > 0 and overall["rows"] == skipped + overall["held"]
    assert (
        overall["within"] == overall["held"] > 0
        and overall["worst_error"] < 0.015
        and overall["router_cycles_per_second"] > 0
    )
    assert sum(group["skipped"] for group in answer["groups"]) == skipped
    assert answer["differing"] == [] and len(answer["rows"]) == overall["held"]
    assert {"line", "group", "load", "latency", "throughput", "band", "within"} <= set(answer["rows"][0])


@pytest.mark.parametrize("column", ["pkt_latency", "accepted"])
def test_check_of_a_doctored_row_fails_and_names_it(pimdse, tmp_path, column):
    def is_saturated(row):
        return (row["config"], row["k"], row["packet_flits"]) == ("A", "8", "1") and row["status"] != "stable"

    def more(row):
        row[column] = str(float(row[column]) * 1.1)

    table = picked(tmp_path, is_saturated if column == "accepted" else is_quiet, more)
    done = pimdse("noc", "check", table, "--packets", "5000", "--format", "json")
    answer = json.loads(done.stdout)
    assert (
        done.returncode == 8
        and answer["overall"]["within"] == 0
        and len(answer["differing"]) == answer["overall"]["held"] > 0
    )
    if column == "accepted":
        return
    text = pimdse("noc", "check", table, "--packets", "5000")
    assert text.returncode == 8 and "2: A 8x8" in text.stdout


def test_check_prints_a_table_for_scripts(pimdse, tmp_path):
    table = picked(tmp_path, is_quiet)
    lines = list(csv.DictReader(pimdse.ok("noc", "check", table, "--packets", "5000", "--format", "csv").splitlines()))
    assert len(lines) == sum(is_quiet(row) for row in rows()) and all(line["within"] == "1" for line in lines)


PROGRAM = ROOT / "tests" / "data" / "layer_of_1b.noc"


def test_a_program_is_printed_edited_and_run(pimdse, tmp_path):
    words = ["evaluate", "cim_mesh", "--set", "llm=llama-3.2-1b", "--set", "schedule=tree", "--set", "input=256"]
    assert pimdse.ok(*words, "--program") == PROGRAM.read_text()
    before = json.loads(pimdse.ok("noc", "run", str(PROGRAM), "--format", "json"))
    assert before["cycles"] == sum(stage["cycles"] for stage in before["stages"])
    stages = [stage["stage"] for stage in before["stages"] if stage["messages"] > 0]
    assert stages[:3] == ["hand over", "input to q, k, v", "q, k, v"]
    edited = tmp_path / "edited.noc"
    edited.write_text(PROGRAM.read_text().replace("router fifo 16", "router fifo 2"))
    after = json.loads(pimdse.ok("noc", "run", str(edited), "--format", "json"))
    network = [sum(stage["network_cycles"] for stage in of["stages"]) for of in (before, after)]
    assert network[1] > 1.5 * network[0]
    (softmax,) = (stage["cycles"] for stage in before["stages"] if stage["stage"] == "softmax")
    edited.write_text(PROGRAM.read_text().replace(f"compute {softmax} routers", "compute 100 routers"))
    after = json.loads(pimdse.ok("noc", "run", str(edited), "--format", "json"))
    assert after["cycles"] == pytest.approx(before["cycles"] - softmax + 100)
    text = pimdse.ok("noc", "run", str(PROGRAM))
    assert f"{before['cycles']}" in text.splitlines()[-1]


def test_a_program_takes_the_time_between_tokens_of_every_layer(pimdse, tmp_path):
    # Tokens whose keys are on all routers, as many on the fullest one: none differs from the one in the middle.
    words = ["evaluate", "cim_mesh", "--model", "llama-3.2-1b", "--set", "schedule=tree", "--set", "input=900"]
    words += ["--set", "output=8", "--set", "lora_targets=q+v", "--set", "activations=counted"]
    program = tmp_path / "layer.noc"
    program.write_text(pimdse.ok(*words, "--program"))
    cycles = json.loads(pimdse.ok("noc", "run", str(program), "--format", "json"))["cycles"]
    answer = json.loads(pimdse.ok(*words, "--fidelity", "cycle", "--format", "json"))
    layers, clock = 16, 1e9
    assert cycles * layers / clock == pytest.approx(answer["metrics"]["itl"]["value"], rel=1e-9)


def test_every_mistake_of_a_program_is_said(pimdse, tmp_path):
    wrong = tmp_path / "wrong.noc"
    wrong.write_text("mesh 4x4\nstage a\nsend 0 0,0 to 1,1\nsnd 1 0,0 to 1,1\ncompute 3\n")
    done = pimdse("noc", "run", str(wrong))
    assert done.returncode == 3 and all(f"wrong.noc:{line}" in done.stderr for line in (3, 4, 5))
    ring = tmp_path / "binary.noc"
    ring.write_bytes(b"\xff\x00\x01mesh\n")
    assert pimdse("noc", "run", str(ring)).returncode == 3
