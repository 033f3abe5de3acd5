"""Fidelity hybrid: of a point, the closed form where its intervals are narrow and else the simulation; of a run, the
exact search."""
import json
import math
import subprocess

import h5py
import pytest

from conftest import holds, one_of, refused, same_file
from forgeries import SEAL
from ladder_bench import SPACES, front_of

QUIET = ("--progress", "none")
# Two machines that are code, and a text file whose closed form has no upper bounds.
POINTS = {
    "umdam": ("umdam", "--model", "opt-125m", "--set", "input=32", "--set", "output=8"),
    "upmem": ("upmem", "--set", "kernel=va", "--set", "elements=65536"),
    "hbm_pim": ("hbm_pim", "--model", "opt-125m", "--set", "input=32", "--set", "output=8"),
}


def at(pimdse, name, *flags):
    return pimdse.json("evaluate", *POINTS[name], "--fidelity", *flags)


def of_width(metric):
    """The width of the interval over the value; None without bounds."""
    if metric["value"] is None or math.isnan(metric["value"]) or metric["bound"] == "none":
        return None
    if "none" in (metric["low_kind"], metric["high_kind"]) or None in (metric["low"], metric["high"]):
        return math.inf
    width = metric["high"] - metric["low"]
    return width and (width / abs(metric["value"]) if metric["value"] else math.inf)


@pytest.mark.parametrize("name", ["umdam", "upmem"])
def test_a_point_is_simulated_where_its_closed_form_is_known_too_loosely(pimdse, name):
    coarse, fine = at(pimdse, name, "analytic"), at(pimdse, name, "cycle")
    widths = {metric: of_width(entry) for metric, entry in coarse["metrics"].items()}
    widths = {metric: width for metric, width in widths.items() if width is not None}
    counted = [metric for metric, width in widths.items() if width < math.inf]
    widest = max(widths[metric] for metric in counted)
    assert 0 < widest < 10
    for tolerance in (0.0, 0.01, widest / 2, widest * 1.001, 1e6):
        chosen = at(pimdse, name, "hybrid", "--tolerance", tolerance, "--objectives", ",".join(counted))
        closed = widest <= tolerance
        assert chosen["fidelity"] == ("analytic" if closed else "cycle")
        assert chosen["metrics"] == (coarse if closed else fine)["metrics"]
        assert chosen["hybrid"]["why"].startswith("closed form" if closed else "simulated")
        assert chosen["hybrid"]["widest"] == widest and widths[chosen["hybrid"]["metric"]] == widest
        for metric in counted:
            value, truth = chosen["metrics"][metric]["value"], fine["metrics"][metric]["value"]
            assert abs(value - truth) <= tolerance * abs(value) * (1 + 1e-12)
    usual = at(pimdse, name, "hybrid")
    assert usual["fidelity"] == ("analytic" if max(widths.values()) <= 0.01 else "cycle")
    assert usual["metrics"] == (coarse if usual["fidelity"] == "analytic" else fine)["metrics"]
    percent = at(pimdse, name, "hybrid", "--tolerance", f"{widest * 100.1} %", "--objectives", ",".join(counted))
    assert percent["fidelity"] == "analytic"


def test_an_end_without_a_bound_is_simulated_whatever_the_tolerance(pimdse):
    simulated = at(pimdse, "hbm_pim", "hybrid", "--tolerance", 1e6)
    assert simulated["fidelity"] == "cycle" and simulated["metrics"] == at(pimdse, "hbm_pim", "cycle")["metrics"]
    assert simulated["hybrid"]["widest"] is None and " bound" in simulated["hybrid"]["why"]
    exact = at(pimdse, "hbm_pim", "hybrid", "--tolerance", 0, "--objectives", "silicon")
    assert exact["fidelity"] == "analytic" and exact["metrics"] == at(pimdse, "hbm_pim", "analytic")["metrics"]
    assert exact["hybrid"]["why"] == "closed form: it is exact"


def test_text_says_which_level_was_used_and_why(pimdse):
    words = ("evaluate", *POINTS["upmem"], "--fidelity", "hybrid", "--objectives", "latency")
    simulated, closed = pimdse.ok(*words), pimdse.ok(*words, "--tolerance", "60%")
    assert "upmem at cycle fidelity" in simulated and "fidelity hybrid: simulated: latency" in simulated
    assert "upmem at analytic fidelity" in closed and "fidelity hybrid: closed form: its intervals" in closed
    assert "fidelity hybrid: simulated" in pimdse(*words, "--format", "csv").stderr


def test_lines_of_points_are_each_at_their_level(pimdse):
    points = [{"tasklets": tasklets} for tasklets in (1, 8, 16)]
    lines = [{"points": points}] + [{"points": points, "fidelity": level} for level in ("analytic", "cycle", "hybrid")]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    words = ("evaluate", *POINTS["upmem"], "--fidelity", "hybrid", "--objectives", "latency", "--batch")
    for tolerance, level in ((0, 2), (1e6, 1)):
        done = subprocess.run([pimdse.program, *words, "--tolerance", str(tolerance)], input=text, check=True,
                              capture_output=True, text=True, timeout=120)
        replies = [json.loads(line) for line in done.stdout.splitlines()]
        reasons = [answer.pop("hybrid") for answer in replies[0]["answers"]]
        assert all(reason.startswith("simulated" if level == 2 else "closed form") for reason in reasons)
        assert replies[0]["answers"] == replies[level]["answers"] and "analytic or cycle" in replies[3]["error"]


@pytest.mark.parametrize("name", one_of(2, SPACES))
def test_a_run_is_the_exact_search(pimdse, name):
    """By the flag or in the space, on one process or on two ranks: the file of strategy ladder."""
    text = SPACES[name]
    (pimdse.folder / "space.toml").write_text(text)
    (pimdse.folder / "hybrid.toml").write_text(text + '[search]\nfidelity = "hybrid"\n')
    pimdse.ok("explore", "space.toml", "--strategy", "ladder", "-o", "ladder.h5", *QUIET)
    pimdse.ok("explore", "space.toml", "--fidelity", "hybrid", "-o", "flag.h5", *QUIET)
    done = pimdse("explore", "space.toml", "--fidelity", "hybrid", "-o", "ranks.h5", *QUIET, ranks=2)
    assert done.returncode == 0, done.stderr
    pimdse.ok("explore", "hybrid.toml", "-o", "space.h5", *QUIET)
    pimdse.ok("explore", "space.toml", "--fidelity", "cycle", "-o", "sweep.h5", *QUIET)
    assert same_file(pimdse.folder, "ladder.h5", "flag.h5") and same_file(pimdse.folder, "flag.h5", "ranks.h5")
    assert front_of(pimdse.folder / "flag.h5") == front_of(pimdse.folder / "space.h5")
    assert front_of(pimdse.folder / "flag.h5") == front_of(pimdse.folder / "sweep.h5")
    assert holds(pimdse, "flag.h5")["all_rows"]


def test_flags_replace_the_fidelity_of_a_space(pimdse):
    (pimdse.folder / "hybrid.toml").write_text(SPACES["upmem"] + '[search]\nfidelity = "hybrid"\n')
    assert "to search by 'ladder'" in pimdse.ok("explore", "hybrid.toml", "--dry-run")
    assert "by 'sweep' at analytic" in pimdse.ok("explore", "hybrid.toml", "--dry-run", "--fidelity", "analytic")
    words = ("explore", "hybrid.toml", "--dry-run", "--strategy", "random")
    assert "by 'random' at cycle" in pimdse.ok(*words, "--fidelity", "cycle")
    refused(pimdse(*words), 2, "--strategy", "hybrid", "'ladder'", "'random'")


def test_what_it_does_not_go_with_is_refused_in_a_sentence(pimdse):
    (pimdse.folder / "s.toml").write_text(SPACES["upmem"])
    (pimdse.folder / "gpu.toml").write_text(
        'schema = 1\narchitecture = "gpu"\nobjectives = ["latency"]\n[parameters]\nllm = "opt-125m"\n')
    (pimdse.folder / "two.toml").write_text(SPACES["upmem"] + '[search]\nstrategy = "sobol"\nfidelity = "hybrid"\n')
    explore = ("explore", "s.toml", "-o", "a.h5", *QUIET)
    refused(pimdse(*explore, "--fidelity", "hybrid", "--strategy", "nsga2"), 2, "hybrid", "'ladder'", "'nsga2'")
    refused(pimdse("explore", "two.toml", "-o", "a.h5"), 3, "hybrid", "'ladder'", "'sobol'")
    refused(pimdse("explore", "gpu.toml", "-o", "a.h5", "--fidelity", "hybrid"), 3, "'ladder'", "gpu", "cycle level")
    refused(pimdse("serve", "s.toml", "-o", "a.h5", "--fidelity", "hybrid"), 2, "serve", "hybrid", "analytic or cycle")
    pimdse.ok(*explore)
    refused(pimdse("explore", "--refine", "a.h5", "--fidelity", "hybrid", "-o", "b.h5"), 2, "--refine", "cycle")
    refused(pimdse("evaluate", "gpu", "--fidelity", "hybrid"), 2, "gpu", "no cycle level", "analytic")
    for flag, value in (("tolerance", "1%"), ("objectives", "latency")):
        refused(pimdse("evaluate", "upmem", f"--{flag}", value), 2, f"--{flag}", "--fidelity hybrid")
    hybrid = ("evaluate", "upmem", "--fidelity", "hybrid")
    refused(pimdse(*hybrid, "--tolerance", "-1%"), 2, "--tolerance", "-1")
    refused(pimdse(*hybrid, "--tolerance", "much"), 2, "--tolerance", "much")
    refused(pimdse(*hybrid, "--objectives", "latncy"), 2, "latncy", "'latency'")
    refused(pimdse("explain", "a.h5", "0", "--fidelity", "hybrid"), 2, "hybrid", "analytic, cycle")


@pytest.fixture
def old(pimdse):
    """A file as version 0.1 wrote it of upmem at the level of this name."""
    (pimdse.folder / "s.toml").write_text(SPACES["upmem"])
    pimdse.ok("explore", "s.toml", "-o", "new.h5", *QUIET)
    (pimdse.folder / "open.h5").write_bytes((pimdse.folder / "new.h5").read_bytes()[SEAL:])
    with h5py.File(pimdse.folder / "open.h5", "r+") as file:
        file["fidelity"][:] = 1
    pimdse.ok("merge", "open.h5", "-o", "old.h5")
    return pimdse


def test_a_file_of_the_former_level_is_read_and_not_evaluated_again(old):
    assert "hybrid fidelity" in old.ok("front", "old.h5")
    assert old.json("front", "old.h5")["front"] and old.ok("report", "old.h5", "-o", "old.html")
    assert "fidelity" in old("diff", "old.h5", "new.h5").stdout
    old.ok("merge", "old.h5", "-o", "merged.h5")
    done = old("verify", "old.h5")
    assert done.returncode == 8 and "hybrid fidelity, a level that no machine" in done.stdout + done.stderr
    for words in (("explain", "old.h5", "0"), ("evaluate", "--from", "old.h5", "--point", "0")):
        refused(old(*words), 3, "hybrid", "--refine old.h5 --fidelity cycle")
    assert old.json("evaluate", "--from", "old.h5", "--point", "0", "--fidelity", "analytic")["status"] == "ok"
    refined = old("explore", "--refine", "old.h5", "--fidelity", "cycle", "-o", "fine.h5", *QUIET)
    assert refined.returncode == 0, refined.stderr
    assert holds(old, "fine.h5")
