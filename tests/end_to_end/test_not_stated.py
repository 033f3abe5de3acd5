"""A machine whose file states no power has no metric of power, energy or what these cost, and says why."""
import math
import re

import pytest

WHY = "is not stated: the machine file states no power"
OF_POWER = ("energy", "energy_per_token", "power", "prefill_power", "decode_power", "peak_power", "idle_power",
            "output_tokens_per_joule", "tokens_per_joule_with_prompt", "energy_delay",
            "cost_per_million_tokens", "carbon")
SERVICE = "s=llm=llama-3.2-1b,traffic.rate=1 1/s,traffic.requests=8,traffic.input=64,traffic.output=8"
ASKED = ("--model", "llama-3.2-1b", "--input", 64, "--output", 8, "--machines", "rk3588,lpddr5x_pim", "--draws", 0,
         "--progress", "none")


def is_unknown(value):
    return value is None or math.isnan(value)


@pytest.mark.parametrize("flags", [(), ("--set", "devices=2", "--set", "link=pcie5"), ("--assume", "host=included")])
@pytest.mark.parametrize("machine", ["rk3588", "rk3576", "snapdragon_8_elite", "hailo_10h", "n150", "xeon_6980p"])
def test_nothing_of_power_has_a_value(pimdse, machine, flags):
    metrics = pimdse.json("evaluate", machine, "--model", "llama-3.2-1b", *flags)["metrics"]
    for name in OF_POWER:
        assert is_unknown(metrics[name]["value"]) and metrics[name]["absent"] == WHY, name
    for name in ("ttft", "itl", "latency", "cost", "silicon", "embodied_carbon"):
        assert metrics[name]["value"] > 0 and "absent" not in metrics[name]


def test_tables_and_the_ledger_say_so(pimdse):
    lines = pimdse.ok("evaluate", "rk3588", "--all").splitlines()
    assert all(any(line.split()[:3] == [name, "not", "stated"] for line in lines) for name in OF_POWER)
    rows = {row["row"]: row["account"] for row in pimdse.json("describe", "rk3588", "--ledger")["energy"]}
    assert rows.pop("host_compute") == rows.pop("links") == "assumed" and set(rows.values()) == {"not stated"}
    assert "not stated" not in pimdse.ok("evaluate", "h100", "--all")


PARTIAL = "power and energy of {} are partial: its file does not state "


def test_joules_of_a_part_are_called_partial_where_they_are_compared(pimdse):
    """In an evaluation, on a front, in the summary of a search and in a recommendation."""
    machine = "aim_card"
    ledger = {row["row"]: row["account"] for row in pimdse.json("describe", machine, "--ledger")["energy"]}
    missing = [row for row, account in ledger.items() if account == "not stated"]
    told = pimdse.json("evaluate", machine)
    assert told["partial"] == missing and told["metrics"]["energy"]["value"] > 0
    line = PARTIAL.format(machine) + ", ".join(missing)
    flat = " ".join(pimdse.ok("evaluate", machine).split())
    assert line in flat
    for goal, says in (("energy", True), ("latency", False)):
        (pimdse.folder / "s.toml").write_text(f'schema = 2\narchitecture = "{machine}"\nobjectives = ["{goal}"]\n'
                                              '[parameters]\nbatch = [1, 2]\n')
        for text in (pimdse.ok("explore", "s.toml", "-o", f"{goal}.h5", "--progress", "none"),
                     pimdse.ok("front", f"{goal}.h5")):
            assert (line in " ".join(text.split())) == says, text
    asked = [*ASKED[:6], "--machines", f"h100,{machine}", *ASKED[8:]]
    text = " ".join(pimdse.ok("recommend", *asked, "--minimize", "energy_per_token").split())
    assert line in text and PARTIAL.format("h100") not in text


def test_joules_of_every_part_or_of_none_are_not_partial(pimdse):
    for machine in ("h100", "umdam", "lpddr5x_pim", "hbm_pim", "tpu_v4i", "rk3588"):
        assert "partial" not in pimdse.json("evaluate", machine), machine


def test_a_service_has_none_either(pimdse):
    metrics = pimdse.json("evaluate", "rk3588", "--scenario", SERVICE)["metrics"]
    for name in ("energy_per_good_token", "carbon_per_good_token", "mean_power", "peak_power",
                 "cost_per_million_tokens"):
        assert is_unknown(metrics[f"{name}@s"]["value"]), name
    assert metrics["ttft_p99@s"]["value"] > 0


@pytest.mark.parametrize("words", [("--minimize", "energy"), ("--minimize", "cost_per_million_tokens"),
                                   ("--minimize", "itl", "--under", "peak_power <= 100 W"),
                                   ("--minimize", "carbon", "--rate", "1 1/s", "--requests", 8)])
def test_a_question_about_power_refuses_the_machine(pimdse, words):
    if "--rate" in words:
        words = ("--minimize", "energy_per_good_token", *words[2:])
    told = pimdse.json("recommend", *ASKED, *words)
    row = {row["machine"]: row for row in told["machines"]}
    assert told["answer"]["machine"] == "lpddr5x_pim" and WHY in row["rk3588"]["reason"]


def test_another_question_takes_it_and_prints_what_is_not_stated(pimdse):
    text = pimdse.ok("recommend", *ASKED, "--minimize", "cost")
    row = next(line for line in text.splitlines() if line.startswith("rk3588"))
    assert row.count("not stated") == 3, "peak_power, energy_per_token and cost_per_million_tokens"


def test_a_file_of_ones_own_is_asked_the_same(pimdse):
    pimdse.ok("new-machine", "mine")
    file = pimdse.folder / "mine.toml"
    assert pimdse.json("evaluate", "./mine.toml")["metrics"]["energy"]["value"] > 0
    text = re.sub(r"\[constant\.multiply\]\n(?:[^\[].*\n)*", "", file.read_text())   # only its energies read it
    kept = [line for line in text.splitlines() if not line.startswith(("static_power", "arithmetic", "dram_"))]
    file.write_text("\n".join(line for line in kept if not line.endswith(".energy]")))
    assert pimdse.json("evaluate", "./mine.toml")["metrics"]["energy"]["absent"] == WHY
    file.write_text(file.read_text() + '\n[power]\nidle = { value = "3 W", source = "a meter" }\n')
    told = pimdse.json("evaluate", "./mine.toml")
    assert told["metrics"]["idle_power"]["value"] == 3 and "arithmetic" in told["partial"]
    # A file whose machine has another name, and an objective that is computed from energy.
    file.rename(pimdse.folder / "other.toml")
    for goal, says in (("energy", True), ("energy * latency", True), ("area * latency", False)):
        (pimdse.folder / "s.toml").write_text(f'schema = 2\narchitecture = "./other.toml"\nobjectives = ["{goal}"]\n'
                                              '[parameters]\nbatch = [1, 2]\n')
        pimdse.ok("explore", "s.toml", "-o", "own.h5", "--progress", "none", "--force")
        assert (PARTIAL.format("mine") in " ".join(pimdse.ok("front", "own.h5").split())) == says, goal


@pytest.mark.parametrize("machine, moves, others", [
    ("hbm_pim", ["node=5nm", "layer_overhead=20 us"], ["technology.sram_leakage=40 mW/MiB"]),
    ("gpu", ["economy.electricity=0.4 USD/kWh"], ["node=5nm", "technology.mac_fp16=1 pJ"]),
])
def test_assumptions_that_move_nothing_of_a_machine_are_named(pimdse, machine, moves, others):
    words = [word for one in ("constants=technology", *moves, *others) for word in ("--assume", one)]
    footing = " ".join(pimdse.ok("evaluate", machine, *words).split("\n\n")[0].split())
    named = footing.split("without effect here: ")[1]
    assert all(one in named for one in others)
    assert not any(one in named for one in moves)
    assert ", ".join(pimdse.json("evaluate", machine, *words)["without_effect"]) == named


def test_a_machine_of_fewer_bits_than_assumed_is_refused(pimdse):
    done = pimdse("evaluate", "cim_mesh", "--assume", "precision=16")
    assert (done.returncode, "precision: weights are computed with 8 bits, 16 are asked" in done.stdout) == (6, True)
    assert "infeasible" not in pimdse.ok("evaluate", "cim_mesh", "--assume", "precision=8")
    alone = pimdse("evaluate", "upmem", "--assume", "precision=16")   # a kernel alone says no bits of weights
    assert (alone.returncode, "does not say its own for this request" in alone.stdout) == (6, True)
