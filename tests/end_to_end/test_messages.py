"""What is said where input is odd, a space has no feasible design, or a format makes no sense."""
import json
import re

import pytest
from bad_input import one_sentence

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


@pytest.mark.parametrize(
    "axis, ends",
    [
        ("vlen = { from = 64, to = 1000, times = 2 }", "vlen ends at 512, because its range does not meet 'to' = 1000"),
        ("vlen = { from = 64, to = 1024, times = 2 }", None),
        ("steps = { from = 1, to = 10, step = 4 }", "steps ends at 9, because its range does not meet 'to' = 10"),
        ("steps = { from = 1, to = 9, step = 4 }", None),
        ('frequency = { from = "0.5 GHz", to = "1 GHz", step = "200 MHz" }', "frequency ends at 0.9 GHz"),
        ('frequency = { from = "0.1 GHz", to = "1 GHz", step = "0.1 GHz" }', None),
    ],
)
def test_a_range_that_does_not_meet_its_end_says_where_it_ends(pimdse, axis, ends):
    write(pimdse, axis, *(("cim_mesh", '"latency"') if "frequency" in axis else ()))
    done = dry(pimdse)
    assert done.returncode == 0, done.stderr
    assert f"space.toml:5: {ends}" in done.stderr if ends else done.stderr == ""


def test_a_sweep_that_sees_a_corner_says_which_and_what_else(pimdse):
    write(pimdse, "vlen = [64, 128, 256]\nprefetch = [1, 2]\nchannels = [4, 8]")
    done = dry(pimdse, "--budget", "5")
    assert "a sweep of 5 of 12 points sees a corner of the space only (vlen 2 of 3 values)" in done.stderr
    assert "--strategy sobol" in done.stderr
    assert "corner" in pimdse("explore", "space.toml", "-o", "a.h5", "--budget", "1").stderr
    for whole in (("--budget", "12"), ("--budget", "5", "--strategy", "sobol"), ("--budget", "0")):
        assert dry(pimdse, *whole).stderr == ""


@pytest.mark.parametrize("wrong, meant", [("lhs", "sobol"), ("latin_hypercube", "sobol"), ("grid", "sweep"),
                                          ("nsga", "nsga2"), ("sbol", "sobol"), ("ladr", "ladder")])
def test_a_strategy_of_another_name_is_taken_for_what_it_means(pimdse, wrong, meant):
    one_sentence(pimdse("explore", "quick", "-o", "a.h5", "--strategy", wrong), 2, f"Did you mean '{meant}'?")


@pytest.mark.parametrize(
    "architecture, wrong, meant",
    [("umdam", "tltt", "ttlt"), ("dplena", "tltt", "latency"), ("dplena", "runtime", "latency"),
     ("umdam", "throughput", "tokens_per_second"), ("umdam", "enrgy", "energy"), ("umdam", "tpot", "time_per_token")],
)
def test_a_metric_of_another_name_is_taken_for_what_it_means(pimdse, architecture, wrong, meant):
    write(pimdse, "", architecture, f'"{wrong}"')
    one_sentence(dry(pimdse), 3, f"Did you mean '{meant}'?")


def test_units_of_conditions_are_written_in_all_ways(pimdse):
    pimdse.ok("explore", "quick", "-o", "quick.h5", "--progress", "none")
    written = [pimdse.ok("front", "quick.h5", "--where", f"area <= 75 {unit} and latency <= 5 ms", "--format", "csv")
               for unit in ("mm2", "mm^2", "mm²")]
    assert written[0] == written[1] == written[2] and len(written[0].splitlines()) > 1
    one_sentence(pimdse("front", "quick.h5", "--where", "area <= 75 mn²"), 3, "condition")


def test_without_a_feasible_design_rules_are_told_and_what_would_help(pimdse):
    write(pimdse, "vlen = [100, 200, 300]\nchannels = [3, 8]")
    done = pimdse("explore", "space.toml", "-o", "a.h5", "--progress", "none")
    assert done.returncode == 6
    assert "no design is feasible. What most of them break:" in done.stdout
    assert "vlen_line: 6 of 6 points" in done.stdout
    assert "next: pimdse failures a.h5" in done.stdout
    write(pimdse, "channels = 3")
    done = pimdse("explore", "space.toml", "-o", "b.h5", "--progress", "none")
    assert "channels = 3 is no power of two" in done.stdout and "channels = 2 would do" in done.stdout


def test_of_many_rules_the_three_commonest_are_told(pimdse):
    write(pimdse, "vlen = 64\n" + "channels = [3, 5, 6]\n" + '[[constraint]]\nname = "early"\nexpr = "vlen > 64"')
    done = pimdse("explore", "space.toml", "-o", "a.h5", "--progress", "none")
    assert done.returncode == 6 and done.stdout.count(" of 3 points") == 1 and "early: 3 of 3 points" in done.stdout
    words = re.search(r"point 0: .*\. vlen = (\S+) and channels = (\d+) would do", done.stdout)
    assert words and int(words[1]) > 64 and int(words[2]) in (2, 4), done.stdout


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


CSV_REFUSED = [("explain", "q.h5", "0"), ("diff", "q.h5", "q.h5"), ("verify", "q.h5"), ("watch", "q.h5", "--once"),
               ("merge", "q.h5", "-o", "m.h5"), ("noc", "replay", "--cycles", "100"),
               ("dram", "replay", "--dram", "L5J", "--stream", "seq:4096"),
               ("explore", "quick", "-o", "e.h5", "--dry-run")]
TABLES = [("list", "models"), ("describe", "dplena"), ("evaluate", "dplena"), ("front", "q.h5"), ("failures", "q.h5"),
          ("validate", "gpu"), ("explore", "quick", "-o", "e.h5", "--progress", "none"), ("quick",)]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    from conftest import Runner
    runner = Runner(tmp_path_factory.mktemp("formats"))
    runner.ok("explore", "quick", "-o", "q.h5", "--progress", "none")
    return runner


@pytest.mark.parametrize("words", CSV_REFUSED, ids=lambda words: " ".join(words[:2]))
def test_what_is_no_table_refuses_csv(results, words):
    one_sentence(results(*words, "--format", "csv"), 2, "text")


@pytest.mark.parametrize("words", [words for words in CSV_REFUSED if words[0] != "explore"] + TABLES,
                         ids=lambda words: " ".join(words[:2]))
def test_json_is_json(results, words):
    flags = ("--force",) if words[0] in ("merge", "explore") else ()
    done = results(*words, *flags, "--format", "json")
    assert done.returncode == 0 and json.loads(done.stdout), done.stderr


@pytest.mark.parametrize("words", TABLES, ids=lambda words: " ".join(words[:2]))
def test_csv_has_one_table(results, words):
    flags = ("--force",) if words[0] == "explore" else ()
    rows = results.ok(*words, *flags, "--format", "csv").splitlines()
    assert "," in rows[0] and not rows[-1].startswith(("next", "outside"))


@pytest.mark.parametrize("words", [("report", "q.h5"), ("join", "q.h5"), ("serve", "quick", "-o", "s.h5")],
                         ids=lambda words: words[0])
def test_verbs_without_formats_refuse_the_flag(results, words):
    one_sentence(results(*words, "--format", "json"), 2, "unknown flag '--format'")


def test_a_network_is_replayed_as_json_unless_text_is_asked_for(results):
    words = ("noc", "replay", "--cycles", "100", "--mesh", "2x2")
    assert json.loads(results.ok(*words))["mesh"] == "2x2"
    assert results.ok(*words, "--format", "text").splitlines()[0].split() == ["mesh", '"2x2"']


def test_validate_counts_what_must_hold_and_the_claims_of_each_paper(results):
    lines = results.ok("validate", "dplena").splitlines()
    assert re.fullmatch(r"not as stated: 0 of \d+ rows that are held", lines[-1])
    head, row = next((a, b) for a, b in zip(lines, lines[1:]) if a.split()[:3] == ["architecture", "paper", "claims"])
    assert head.split()[3:] == ["reproduced", "fitted", "contradicted", "shown", "not", "modelled", "failed"]
    name, paper, claims, *parts = row.split()
    assert (name, paper) == ("dplena", "d-PLENA") and int(claims) == sum(map(int, parts)) and int(parts[-1]) == 0
