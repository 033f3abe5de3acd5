"""Messages state their facts; summaries without a feasible design; formats."""
import json
import re

import pytest
from conftest import one_of
import message_cases_of_files  # noqa: F401
import message_cases_of_spaces  # noqa: F401
from messages import CASES, Outcomes

SPACE = """schema = 1
architecture = "{}"
objectives = [{}]
[parameters]
{}
"""


def write(pimdse, parameters, architecture="dplena", objectives='"latency", "area"'):
    (pimdse.folder / "space.toml").write_text(SPACE.format(architecture, objectives, parameters))


def dry(pimdse, *flags):
    return pimdse("explore", "space.toml", "-o", "a.h5", "--dry-run", *flags)


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    return Outcomes(tmp_path_factory.mktemp("messages"))


@pytest.mark.parametrize("name", one_of(5, CASES))
def test_a_message_is_a_line_that_states_its_facts(outcomes, name):
    case, done = CASES[name], outcomes[name]
    assert done.returncode == case.code, done.stdout + done.stderr
    lines = done.stderr.splitlines()
    assert len(lines) == case.mistakes and all(line.startswith("pimdse: ") for line in lines), lines
    assert max(map(len, lines), default=0) < 1000 and not done.changed
    assert case.prints or case.code == 0 or done.stdout == ""
    message = done.stdout * case.prints + done.stderr
    assert [fact for fact in case.facts if fact not in message] == [], message


@pytest.mark.parametrize("axis", [
    "vlen = { from = 64, to = 1024, times = 2 }", "steps = { from = 1, to = 9, step = 4 }",
    'frequency = { from = "0.1 GHz", to = "1 GHz", step = "0.1 GHz" }'])
def test_a_range_that_meets_its_end_needs_no_note(pimdse, axis):
    write(pimdse, axis, *(("cim_mesh", '"latency"') if "frequency" in axis else ()))
    done = dry(pimdse)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_sweep_of_a_part_names_another_strategy_unless_that_is_used(pimdse):
    write(pimdse, "vlen = [64, 128, 256]\nprefetch = [1, 2]\nchannels = [4, 8]")
    facts = ("5 of 12", "vlen 2 of 3", "--strategy sobol")
    assert [fact for fact in facts if fact not in dry(pimdse, "--budget", "5").stderr] == []
    assert "--strategy sobol" in pimdse("explore", "space.toml", "-o", "a.h5", "--budget", "1").stderr
    for whole in (("--budget", "12"), ("--budget", "5", "--strategy", "sobol"), ("--budget", "0")):
        assert dry(pimdse, *whole).stderr == ""


def test_units_of_conditions_are_written_in_all_ways(pimdse):
    pimdse.ok("explore", "quick", "-o", "quick.h5", "--progress", "none")
    written = [pimdse.ok("front", "quick.h5", "--where", f"area <= 75 {unit} and latency <= 5 ms", "--format", "csv")
               for unit in ("mm2", "mm^2", "mm²")]
    assert written[0] == written[1] == written[2] and len(written[0].splitlines()) > 1


def test_without_a_feasible_design_the_summary_lists_rules_and_what_would_help(pimdse):
    write(pimdse, "vlen = [100, 200, 300]\nchannels = [3, 8]")
    done = pimdse("explore", "space.toml", "-o", "a.h5", "--progress", "none")
    assert done.returncode == 6
    assert "vlen_line: 6 of 6 " in done.stdout
    assert "next: pimdse failures a.h5" in done.stdout
    write(pimdse, "channels = 3")
    done = pimdse("explore", "space.toml", "-o", "b.h5", "--progress", "none")
    assert "channels_power_of_two: 1 of 1 " in done.stdout and "(got 3)" in done.stdout
    assert "channels = 2" in done.stdout


def test_the_rule_that_all_points_break_is_listed_with_values_that_keep_it(pimdse):
    write(pimdse, "vlen = 64\n" + "channels = [3, 5, 6]\n" + '[[constraint]]\nname = "early"\nexpr = "vlen > 64"')
    done = pimdse("explore", "space.toml", "-o", "a.h5", "--progress", "none")
    assert done.returncode == 6 and re.findall(r"(\w+): (\d+) of 3 ", done.stdout) == [("early", "3")]
    found = re.search(r"point 0: .*\. .*\bvlen = (\d+)\b.*\bchannels = (\d+)", done.stdout)
    assert found and int(found[1]) > 64 and int(found[2]) in (2, 4), done.stdout


def test_what_is_printed_to_do_next_can_be_done(pimdse):
    out = pimdse.ok("quick", "--progress", "none")
    commands = out.splitlines()[-1].removeprefix("next: ").split(" ; ")
    lines = out.splitlines()
    first = lines[next(i for i, line in enumerate(lines) if line.startswith("point")) + 1].split()[0]
    assert commands == [f"pimdse explain quick.h5 {first}", "pimdse report quick.h5 -o quick.html"]
    assert pimdse.ok(*commands[0].split()[1:])


def test_the_example_of_front_works_on_the_file_that_it_names(pimdse):
    pimdse.ok("quick", "--progress", "none")
    line = next(line for line in pimdse.ok("front", "--help").splitlines() if line.startswith("  pimdse front"))
    words = line.split('"')
    assert len(pimdse.ok(*words[0].split()[1:], words[1]).splitlines()) > 2


NO_TABLES = [("explain", "q.h5", "0"), ("diff", "q.h5", "q.h5"), ("verify", "q.h5"), ("watch", "q.h5", "--once"),
             ("merge", "q.h5", "-o", "m.h5"), ("noc", "replay", "--cycles", "100"),
             ("dram", "replay", "--dram", "L5J", "--stream", "seq:4096")]
TABLES = [("list", "models"), ("describe", "dplena"), ("evaluate", "dplena"), ("front", "q.h5"), ("failures", "q.h5"),
          ("validate", "gpu"), ("explore", "quick", "-o", "e.h5", "--progress", "none"), ("quick",)]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    from conftest import Runner
    runner = Runner(tmp_path_factory.mktemp("formats"))
    runner.ok("explore", "quick", "-o", "q.h5", "--progress", "none")
    return runner


@pytest.mark.parametrize("words", NO_TABLES + TABLES, ids=lambda words: " ".join(words[:2]))
def test_json_is_json(results, words):
    flags = ("--force",) if words[0] in ("merge", "explore") else ()
    done = results(*words, *flags, "--format", "json")
    assert done.returncode == 0 and json.loads(done.stdout), done.stderr


@pytest.mark.parametrize("words", TABLES, ids=lambda words: " ".join(words[:2]))
def test_csv_has_one_table(results, words):
    flags = ("--force",) if words[0] == "explore" else ()
    rows = results.ok(*words, *flags, "--format", "csv").splitlines()
    assert "," in rows[0] and not rows[-1].startswith(("next", "outside"))


def test_a_network_is_replayed_as_json_unless_text_is_asked_for(results):
    words = ("noc", "replay", "--cycles", "100", "--mesh", "2x2")
    assert json.loads(results.ok(*words))["mesh"] == "2x2"
    assert results.ok(*words, "--format", "text").splitlines()[0].split() == ["mesh", '"2x2"']


def test_validate_counts_what_must_hold_and_the_claims_of_each_paper(results):
    lines = results.ok("validate", "dplena").splitlines()
    missed, held = map(int, re.findall(r"\d+", lines[-1]))
    assert (missed, held) == (0, 32)
    (row,) = [line.split() for line in lines if re.match(r"dplena +d-PLENA +\d", line)]
    claims, *parts = map(int, row[2:])
    assert claims == sum(parts) > 25 and len(parts) == 6 and parts[-1] == 0
