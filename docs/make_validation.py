#!/usr/bin/python3
"""Writes docs/generated/validation.md from `pimdse validate`: docs/make_validation.py build/run/pimdse

One table per paper. Papers with more than MOST figures get a summary with a link to the data. Values of our own are
listed separately, at the end of their architecture."""
import json
import statistics
import subprocess
import sys
from pathlib import Path

MOST = 40
UNCOUNTED = ("consistency", "reference")
HEAD = """# How results are validated

Written by `docs/make_validation.py`; do not edit. `pimdse validate` prints every figure with its source. It exits with
8 when a gated or fitted figure is outside its tolerance; `tests/published` checks the same.

* **Simulated cycles** are compared row by row with the reference simulators of the field: DRAM and networks
  ([simulators.md](../simulators.md)), the UPMEM pipeline (`tests/unit/models/upmem`) and the diffusion sampler
  (`tests/unit/models/dplena`).
* **Event-driven simulators** are compared with slow, obvious tick-by-tick simulators on random inputs.
* **Bounds** of coarse fidelities contain the cycle-level result on random points (`tests/laws` and the tests of each
  architecture).
* **Published figures** are listed below, with the interpretation that each one needs. *gated*: the result must be
  within the tolerance, and no constant was chosen on the figure. *fitted*: the result must be within the tolerance,
  but a constant was chosen on the figure, or on a value from which it follows. *contradicted*: the model disagrees,
  and a test fails if it ever agrees. *shown*: printed without a check. *blind* in a remark: nothing was fitted on it.
* **Evidence** states where a published value comes from: *measured* on an existing device, *simulated* by a program of
  the authors that can be run again, *claimed* in print, or *arithmetic* of ours on published figures.
* **Consistency** rows are not published figures: they are values that we computed from the parameters of a paper, and
  our own runs of other people's programs. They are checked as regressions and counted in no total.

"""


def number(value):
    """Six digits, large numbers without an exponent, as the program prints them."""
    text = "-" if value is None else f"{value:.6g}"
    return f"{float(text):,.0f}" if "e+" in text else text


def percent(error):
    return "-" if error is None else f"{100 * error:+.2f} %"


def held(figure):
    status = figure["status"]
    if status == "shown":
        return status
    return f"{'outside ' if status == 'contradicted' else ''}{100 * figure['tolerance']:.3g} %, {status}"


def both_fidelities(figures):
    """Figures, each with the error of the other fidelity where both exist."""
    cycle = {f["figure"].removeprefix("cycle: "): f for f in figures if f["figure"].startswith("cycle: ")}
    names = {f["figure"] for f in figures}
    for f in figures:
        if f["figure"].startswith("cycle: ") and f["figure"].removeprefix("cycle: ") in names:
            continue
        other = cycle.get(f["figure"])
        yield f, percent(f["error"]) + (f" (cycle {percent(other['error'])})" if other else "")


def listed(figures):
    lines = ["| figure | metric | published | evidence | ours | error | tolerance | source | remark |",
             "|---|---|---|---|---|---|---|---|---|"]
    for f, error in both_fidelities(figures):
        lines.append(f"| {f['figure']} | {f['metric']} | {number(f['published'])} | {f['evidence']} "
                     f"| {number(f['ours'])} | {error} "
                     f"| {held(f)} | {f['source']} | {f['problem'] or f['note']} |")
    return lines


def family(figure):
    """Common name of figures that differ in sizes and counts; gated figures are grouped by kernel."""
    parts = figure["figure"].split(", ")[:2]
    size_and_unit = 2
    what, *more = [p for p in parts if not p[0].isdigit()] or [" ".join(parts[0].split()[size_and_unit:])]
    if what.startswith("cycles of "):
        return f"{figure['source']}: cycles"
    return ", ".join([f"{figure['source']}: {what}", *(more if figure["gate"] else [])])


def summed_up(figures, data):
    lines = [f"{len(figures)} figures, listed in [{data}]({data}).", "",
             "| figures | number | checked | median error | 90 % within | largest error |", "|---|---|---|---|---|---|"]
    for name in dict.fromkeys(map(family, figures)):
        of_it = [f for f in figures if family(f) == name and f["error"] is not None]
        errors = sorted(abs(f["error"]) for f in of_it)
        worst = max(of_it, key=lambda f: abs(f["error"]))
        nine = errors[(9 * len(errors) - 1) // 10]
        median = statistics.median(errors)
        lines.append(f"| {name} | {len(of_it)} | {sum(f['gate'] for f in of_it)} | {100 * median:.2f} % "
                     f"| {100 * nine:.2f} % | {percent(worst['error'])} ({worst['figure'].split(', ', 2)[-1]}) |")
    return lines


def table_of_papers(papers):
    """Counts of the claims of each paper, by status."""
    lines = ["| architecture | paper | claims | reproduced | fitted | contradicted | shown | not modelled |",
             "|---|---|---|---|---|---|---|---|"]
    for p in papers:
        counts = [p["claims"], p["reproduced"], p["fitted"], p["contradicted"], p["shown"], len(p["not_modelled"])]
        lines.append(f"| {p['architecture']} | {p['paper']} | {' | '.join(map(str, counts))} |")
    return lines


def how_near(figures):
    """A sentence for each status: number of figures, median error, and the error within which nine of ten are."""
    for status in ("gated", "fitted", "shown"):
        errors = sorted(abs(f["error"]) for f in figures if f["status"] == status and f["error"] is not None)
        yield (f"{len(errors)} {status} figures are {100 * statistics.median(errors):.2g} % off in the median, and "
               f"nine of ten within {100 * errors[(9 * len(errors) - 1) // 10]:.2g} %")


def summary(answer):
    """What was compared, how near it is, and where it misses."""
    figures = [f for f in answer["figures"] if f["status"] not in UNCOUNTED]
    counts = {key: sum(p[key] for p in answer["papers"])
              for key in ("claims", "reproduced", "fitted", "contradicted", "shown")}
    missing = sum(len(p["not_modelled"]) for p in answer["papers"])
    return [f"**Summary.** {counts['claims']} claims of {len(answer['papers'])} papers, data sheets and benchmarks:"
            f" {counts['reproduced']} are reproduced, {counts['fitted']} are met by a constant that was chosen on them,"
            f" {counts['shown']} are shown without a check, {counts['contradicted']} are contradicted, and {missing}"
            " are not modelled. " + "; ".join(how_near(figures)) + ".", ""]


def about(paper):
    """Reference of a paper, and its claims that are not modelled."""
    dot = "" if paper["authors"].endswith(".") else "."
    lines = [f"{paper['authors']}{dot} *{paper['title']}*, {paper['year']}. {paper['identifier']}.", ""]
    if paper["not_modelled"]:
        lines += ["Not modelled:", ""]
        lines += [f"* {claim['claim']}: {claim['reason']}." for claim in paper["not_modelled"]] + [""]
    return lines


def rows(figures, architecture):
    table = listed(figures)
    too_long = len(table) > MOST + 2
    return (summed_up(figures, f"../../models/{architecture}/published.toml") if too_long else table) + [""]


def main(binary):
    done = subprocess.run([binary, "validate", "--format", "json"], capture_output=True, text=True)
    answer = json.loads(done.stdout)
    lines = [HEAD.rstrip("\n"), "", *summary(answer), *table_of_papers(answer["papers"]), ""]
    for architecture in dict.fromkeys(p["architecture"] for p in answer["papers"]):
        own = [f for f in answer["figures"] if f["architecture"] == architecture]
        lines += [f"## {architecture}", ""]
        for paper in (p for p in answer["papers"] if p["architecture"] == architecture):
            of_it = [f for f in own if f["paper"] == paper["paper"] and f["status"] not in UNCOUNTED]
            lines += [f"### {paper['paper']}", "", *about(paper), *rows(of_it, architecture)]
        uncounted = [f for f in own if f["status"] in UNCOUNTED]
        if uncounted:
            lines += [f"### Consistency of {architecture}", "", *rows(uncounted, architecture)]
    (Path(__file__).parent / "generated" / "validation.md").write_text("\n".join(lines))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
