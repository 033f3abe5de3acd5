"""Which assumptions decide which machine wins: against separate runs under each of them."""
import csv
import io
import json
import re

import h5py
import numpy as np
import pytest

from conftest import CAMPAIGN, Runner
from joint_space import HEAD, JOINT, MACHINES

SENSES = {"lower": min, "higher": max}


@pytest.fixture
def space(pimdse):
    (pimdse.folder / "joint.toml").write_text(JOINT)
    return "joint.toml"


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """What flips says of the space, once for all tests."""
    runner = Runner(tmp_path_factory.mktemp("flips"))
    (runner.folder / "joint.toml").write_text(JOINT)
    return flips(runner, "joint.toml")


def flips(pimdse, space, *words):
    return pimdse.json("flips", space, *words)


def question(told):
    return told["scenario"], told["metric"], told["under"]


def assumed(variation, value=None):
    """Words that ask a run for the assumption of a variation."""
    name, to = variation["assumption"], variation["to"] if value is None else value
    if name == "batch":
        return ("--set", f"umdam.batch={to}", "--set", f"mesh.batch={to}")
    named = ("view", "constants", "host", "precision", "node", "attained_share")
    return ("--assume", f"{name if name in named else 'technology.' + name}={to}")


def swept(pimdse, space, *words):
    """What a sweep under these words says: for each scenario and metric the winner, and each machine's best value."""
    pimdse.ok("explore", space, "-o", "swept.h5", "--force", "--progress", "none", "--strategy", "sweep", *words)
    winners = {}
    with h5py.File(pimdse.folder / "swept.h5") as file:
        machines = list(file["machines"].attrs["names"])
        names = [machines[code] for code in file["machine"][()]]
        feasible = file["status"][()] == 0
        for scenario in ("chat", "long"):
            for metric, better in (("latency", min), ("energy", min)):
                values = file[f"scenarios/metrics/{metric}"][:, list(file["scenarios"].attrs["names"]).index(scenario)]
                best = {}
                for name, value, ok in zip(names, values, feasible):
                    if ok and np.isfinite(value):
                        best[name] = better(best.get(name, value), value)
                winners[scenario, metric, ""] = (better(best, key=best.get) if best else None, best)
    return winners


@pytest.mark.parametrize("words", [
    (), ("--assume", "view=deployed"), ("--assume", "host=included"), ("--assume", "constants=papers"),
    ("--assume", "technology.sram_leakage=80 mW/MiB"), ("--set", "umdam.ranks=1")], ids=" ".join)
def test_winners_are_those_of_a_sweep_under_the_same_assumptions(pimdse, space, words):
    told = flips(pimdse, space, *words)
    alone = swept(pimdse, space, *words)
    assert {question(winner) for winner in told["winners"]} == set(alone)
    for winner in told["winners"]:
        machine, best = alone[question(winner)]
        assert winner["machine"] == machine
        assert {name: one["value"] for name, one in winner["machines"].items()} == pytest.approx(best, rel=1e-12)


def test_every_flip_is_one_in_a_sweep_and_what_survives_is_flipped_by_none(pimdse, space, told):
    """Of the variations, every sixth that flips something and every sixth other one, unless this is the campaign."""
    before = {question(winner): winner["machine"] for winner in told["winners"]}
    flipped = {}
    for flip in told["flips"]:
        assert before[question(flip)] == flip["before"] != flip["after"]
        flipped.setdefault((flip["assumption"], flip["to"]), {})[question(flip)] = flip["after"]
    assert len(flipped) >= 5 and len(told["variations"]) > len(flipped)
    # Another precision takes a machine that computes less out of the run as a whole.
    variations = [variation for variation in told["variations"] if variation["assumption"] != "precision"]
    variations.sort(key=lambda variation: (variation["assumption"], variation["to"]) not in flipped)
    for variation in variations[::1 if CAMPAIGN else 6]:
        changed = flipped.get((variation["assumption"], variation["to"]), {})
        alone = swept(pimdse, space, *assumed(variation))
        assert {asked: winner for asked, (winner, _) in alone.items()} == {**before, **changed}, variation
    touched = {question(flip) for flip in told["flips"]}
    for winner in told["winners"]:
        assert winner["survives_all"] == (question(winner) not in touched)


def test_a_break_even_has_another_winner_on_one_side_only(pimdse, space, told):
    found = [flip for flip in told["flips"] if flip["break_even"]]
    assert {flip["assumption"] for flip in found} >= {"attained_share", "sram_leakage"}
    for flip in found[::1 if CAMPAIGN else 2]:
        even, unit = flip["break_even"]["value"], flip["break_even"]["unit"]
        start, end = (float(flip[side].split()[0]) for side in ("from", "to"))
        assert min(start, end) < even <= max(start, end)
        # Found to one part in 1,024 of the way.
        inside = even * (start / end) ** (1 / 500) if start > 0 and end > 0 else even + (start - end) / 500
        for value, stays in ((inside, True), (even, False)):
            text = f"{value:.9g}" + ("" if unit == "1" else f" {unit}")
            words = ("--assume", f"{flip['break_even']['assume']}={text}")
            winner, _ = swept(pimdse, space, *words)[question(flip)]
            assert (winner == flip["before"]) == stays, (flip, text)


def test_ratios_say_how_far_the_new_winner_is_ahead(pimdse, space, told):
    for flip in told["flips"]:
        if flip["assumption"] != "view":
            continue
        _, best = swept(pimdse, space, *assumed(flip))[question(flip)]
        assert flip["ratio"] > 1
        assert flip["ratio"] == pytest.approx(best[flip["before"]] / best[flip["after"]], rel=1e-9)


def test_conditions_are_questions_of_their_own(pimdse, space):
    text = JOINT.replace("[[machine]]", 'under = ["peak_power <= 10 W", "area <= 1 mm2"]\n[[machine]]', 1)
    (pimdse.folder / "under.toml").write_text(text)
    told = {question(winner): winner for winner in flips(pimdse, "under.toml")["winners"]}
    assert len(told) == 2 * 2 * 3
    for (scenario, metric, under), winner in told.items():
        free = told[scenario, metric, ""]
        if under == "area <= 1 mm2":
            assert winner["machine"] is None and winner["machines"] == {}
        for name, one in winner["machines"].items():
            assert one["value"] >= free["machines"][name]["value"]
    assert {winner["machine"] for winner in told.values()} >= {"umdam", "mesh", None}


def test_an_objective_may_be_a_formula_or_one_of_which_more_is_better(pimdse):
    text = JOINT.replace('["latency", "energy"]', '["latency * energy", "tokens_per_second", "latency", "energy"]')
    (pimdse.folder / "space.toml").write_text(text)
    told = flips(pimdse, "space.toml")
    by_metric = {metric: {winner["scenario"]: winner for winner in told["winners"] if winner["metric"] == metric}
                 for metric in ("latency * energy", "tokens_per_second")}
    assert {winner["unit"] for winner in by_metric["latency * energy"].values()} == {"J*s"}
    for winners in by_metric.values():
        for winner in winners.values():
            best = {name: one["value"] for name, one in winner["machines"].items()}
            assert best[winner["machine"]] == SENSES[winner["better"]](best.values())
    pimdse.ok("explore", "space.toml", "-o", "r.h5", "--progress", "none")
    with h5py.File(pimdse.folder / "r.h5") as file:
        for scenario, winner in by_metric["latency * energy"].items():
            at = list(file["scenarios"].attrs["names"]).index(scenario)
            latency, energy = (file[f"scenarios/metrics/{name}"][:, at] for name in ("latency", "energy"))
            best = winner["machines"][winner["machine"]]["value"]
            assert best == pytest.approx(np.nanmin(latency * energy), rel=1e-12)


@pytest.mark.parametrize("words", [("--threads", 1), ("--threads", 3), ("--full",)], ids=lambda words: words[0])
def test_threads_and_full_sweeps_change_nothing_that_fits_the_candidates(pimdse, space, told, words):
    assert flips(pimdse, space, *words) == told


def test_few_candidates_are_evaluated_where_few_are_asked_for(pimdse, space, told):
    few = flips(pimdse, space, "--candidates", 1)
    assert few["candidates"] < few["points"] == 7
    assert [winner["machine"] for winner in few["winners"]] == [winner["machine"] for winner in told["winners"]]


def test_formats_say_the_same_and_progress_names_each_variation_on_standard_error(pimdse, space, told):
    assert list(told) == ["space", "assumptions", "points", "candidates", "variations", "winners", "flips", "ends"]
    assert len(told["space"]) == 64 and told["assumptions"].startswith("view hardware, constants technology (7nm)")
    assert set(told["winners"][0]) == {
        "scenario", "metric", "under", "unit", "better", "machine", "runner_up", "machines", "survives_all"}
    assert set(told["flips"][0]) == {
        "assumption", "from", "to", "scenario", "metric", "under", "before", "after", "ratio", "break_even"}
    rows = list(csv.DictReader(io.StringIO(pimdse.ok("flips", space, "--format", "csv"))))
    assert [(row["assumption"], row["to"], row["winner"], row["becomes"]) for row in rows] == [
        (flip["assumption"], flip["to"], flip["before"], flip["after"]) for flip in told["flips"]]
    done = pimdse("flips", space, "--progress")
    text, lines = done.stdout, done.stderr.splitlines()
    assert text.splitlines()[0].startswith("7 ") and told["assumptions"] in text.splitlines()[0]
    assert re.search(rf"(?m)^\D*\b{len(told['variations'])}\b.*\b7\b", text), "variations and designs"
    # Progress names each variation on standard error.
    assert done.returncode == 0 and "7" in lines[0].split() and len(lines) > 48
    assert [sum(what in line for line in lines) > 0 for what in ("view deployed",
                                                                 "sram_leakage 80 mW/MiB")] == [True] * 2


def test_the_space_may_have_no_scenarios(pimdse):
    (pimdse.folder / "plain.toml").write_text(HEAD + MACHINES)
    told = flips(pimdse, "plain.toml")
    assert [question(winner) for winner in told["winners"]] == [("", "latency", ""), ("", "energy", "")]


def test_ends_of_ranges_are_those_of_the_best_designs(pimdse, space, told):
    pimdse.ok("explore", space, "-o", "all.h5", "--force", "--progress", "none", "--strategy", "sweep")
    assert told["ends"], "the largest of a few values is often the best"
    for end in told["ends"]:
        best = [winner["machines"][end["machine"]]["point"] for winner in told["winners"]
                if end["machine"] in winner["machines"]]
        values = [pimdse.json("evaluate", "--from", "all.h5", "--point", point)["point"][end["parameter"]]
                  for point in best]
        assert end["of"] == len(best) and 0 < end["designs"] == values.count(end["value"])
        assert {"smallest": min, "largest": max}[end["end"]](values) == end["value"]


def test_a_mesh_may_have_products_that_nothing_hides(pimdse):
    """No paper has the time of a crossbar's product with trees: it is a constant with a range, which flips move."""
    asked = ("evaluate", "cim_mesh", "--set", "llm=llama-3.2-1b", "--set", "schedule=tree", "--set", "input=16",
             "--set", "output=4", "--assume", "constants=technology", "--format", "json")

    def latency(*more):
        return json.loads(pimdse.ok(*asked, *more))["metrics"]["latency"]["value"]

    assumed = latency("--assume", "technology.crossbar_product=800 ns")
    assert latency("--assume", "technology.crossbar_product=0 ns") == latency() < assumed
    assert assumed == latency("--set", "smac_cycles=800")  # at 1 GHz
