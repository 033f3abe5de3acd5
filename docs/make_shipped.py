#!/usr/bin/python3
"""Writes docs/generated/shipped_spaces.md and docs/pictures: for each shipped space its question, its front, its
picture, and its findings (docs/shipped_spaces.toml). docs/make_shipped.py PROGRAM [SPACE ...]; with SPACE, only its
section."""
import json
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MOST_POINTS = 200_000
ROWS = 8
DRAWS = 64  # of uncertain constants, for spaces of several machines that state their ranges
HEAD = """# Shipped spaces

Made by `docs/make_shipped.py`. Each space is explored completely by `pimdse explore spaces/NAME.toml -o NAME.h5`, at
the fidelity that it names. Of a space with more than {most:,} points that `ladder` does not search, this page would
show a random sample of that size. The pictures are made by `analysis/front.py NAME.h5`. For spaces with several
machines the page also shows which machine wins and which assumptions change the winner; if the space states ranges of
constants, also in which share of {draws} draws ([uncertain.md](../uncertain.md)).
"""


def run(program, *words):
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True, cwd=ROOT)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}: {done.stderr.strip()}")
    return done.stdout


def explore(program, space, output):
    """Explores the whole space if it is small enough or if `ladder` searches it; otherwise a random sample."""
    options = ["-o", output, "--progress", "none", "--format", "json"]
    if tomllib.loads(space.read_text()).get("search", {}).get("strategy") != "ladder":
        plan = run(program, "explore", space, "--dry-run")
        if int(re.search(r": (\d+) points in the space", plan)[1]) > MOST_POINTS:
            options += ["--strategy", "random", "--budget", MOST_POINTS]
    return json.loads(run(program, "explore", space, *options))


def count(settings, summary):
    if "certificate" in summary:
        certificate = summary["certificate"]
        return (
            f"{certificate['points']:,} designs, {certificate['cycle_level']:,} of them evaluated at cycle level,"
            f" {summary['front']} on the front; {certificate['statement']}:"
        )
    fidelity = settings.get("search", {}).get("fidelity", "analytic")
    points, feasible, front = (summary[name] for name in ("points", "feasible", "front"))
    return f"{points:,} points, {feasible:,} feasible, {front} on the front ({fidelity}):"


def winners(program, space):
    """The winners among several machines, and the number of winners that each assumption changes."""
    table = run(program, "flips", space).split("\n\n")[1].splitlines()
    told = json.loads(run(program, "flips", space, "--format", "json"))
    changed = {}
    for flip in told["flips"]:
        question = (flip["scenario"], flip["metric"], flip["under"])
        changed.setdefault(flip["assumption"], set()).add(question)
    order = sorted(changed.items(), key=lambda entry: -len(entry[1]))
    survive = sum(winner["survives_all"] for winner in told["winners"])
    changes = ", ".join(f"{name} {len(of)}" for name, of in order)
    words = (
        f"{survive} of {len(told['winners'])} winners survive all of {len(told['variations'])} changes of a single"
        f" assumption. Number of winners that change, by assumption: {changes}."
    )
    return ["Winners (`pimdse flips`):", "", "```", *table, "```", "", words, ""]


def winners_in_draws(program, space, folder):
    """Which winners win in all draws of the ranges that the space states, with a picture; and which constants of them
    change most winners alone."""
    told = run(program, "flips", space, "--uncertain", DRAWS, "--format", "json")
    (folder / "flips.json").write_text(told)
    picture = f"{space.stem}_draws.png"
    subprocess.run(["/usr/bin/python3", "-B", ROOT / "analysis/flips.py", folder / "flips.json", "-o",
                    ROOT / "docs/pictures" / picture], check=True, stdout=subprocess.DEVNULL)
    return said_of_draws(json.loads(told), space, picture)


def said_of_draws(told, space, picture):
    answered = [one for one in told["winners"] if one["machine"]]
    share = {id(one): one["draws_won"].get(one["machine"], 0) for one in answered}
    often = [one for one in answered if share[id(one)] >= 0.9]
    lost = [one for one in answered if share[id(one)] < 0.5]
    changed = {}
    for flip in told["flips"]:
        if "." in flip["assumption"]:
            changed.setdefault(flip["assumption"], set()).add((flip["scenario"], flip["metric"], flip["under"]))
    order = sorted(changed.items(), key=lambda entry: (-len(entry[1]), entry[0]))[:ROWS]
    unsure = [f"{one['scenario']} {one['metric']} {one['under'] or '(no limit)'}: "
              + ", ".join(f"{name} {100 * won:.0f} %" for name, won in
                          sorted(one["draws_won"].items(), key=lambda entry: -entry[1])) for one in lost]
    return [
        f"With every uncertain constant drawn from its range (`pimdse flips spaces/{space.name} --uncertain"
        f" {DRAWS}`): of {len(answered)} winners {sum(share[id(one)] == 1 for one in answered)} win in all draws,"
        f" {len(often)} in at least 90 % of them, {len(lost)} in fewer than half. Constants that alone change most"
        " winners: " + ", ".join(f"{name} {len(of)}" for name, of in order) + ".",
        "",
        *(["Winners in fewer than half of the draws:", "", *(f"* {text}" for text in unsure), ""] if unsure else []),
        f"![Which machine wins in which share of the draws?](../pictures/{picture})",
        "",
    ]


def serves(settings):
    """Whether requests arrive over time: one evaluation of such a space takes as long as thousands of batches."""
    return any("traffic" in scenario for scenario in settings.get("scenario", []))


def section(program, space, entry, folder):
    settings = tomllib.loads(space.read_text())
    output = folder / f"{space.stem}.h5"
    summary = explore(program, space, output)
    subprocess.run(
        ["/usr/bin/python3", "-B", ROOT / "analysis/front.py", output, "-o", ROOT / f"docs/pictures/{space.stem}.png"],
        check=True, stdout=subprocess.DEVNULL,
    )
    lines = [line for line in run(program, "front", output).splitlines() if "on assumed constants" not in line]
    head = [at for at, line in enumerate(lines) if line.startswith("point ")]
    table = lines[:-1][: (head[0] if head else 0) + 1 + ROWS]
    more = summary["front"] - ROWS
    if more > 0:
        table.append(f"... and {more} more on the front")
    return [
        f"## {space.stem}",
        "",
        f"**{settings['title']}** {settings['question'][0].upper() + settings['question'][1:]}.",
        "",
        entry.get("says", "").strip(),
        "",
        count(settings, summary),
        "",
        "```",
        *(line[:150] for line in table),
        "```",
        "",
        *(winners(program, space) if len(settings.get("machine", [])) > 1 and not serves(settings) else []),
        f"![{settings['title']}](../pictures/{space.stem}.png)",
        "",
        *(winners_in_draws(program, space, folder) if "uncertain" in settings and "machine" in settings else []),
    ]


def sections(page):
    """The text of each space in an existing page."""
    parts = re.split(r"^(?=\n## )", page, flags=re.M)[1:]
    return {re.match(r"\n## (\S+)", part)[1]: part for part in parts}


def main():
    program = Path(sys.argv[1]).resolve()
    words = tomllib.loads((ROOT / "docs/shipped_spaces.toml").read_text())
    (ROOT / "docs/pictures").mkdir(exist_ok=True)
    only = sys.argv[2:]
    page = ROOT / "docs/generated/shipped_spaces.md"
    spaces = sorted((ROOT / "spaces").glob("*.toml"))
    with tempfile.TemporaryDirectory() as folder:
        made = {
            space.stem: "\n" + "\n".join(section(program, space, words.get(space.stem, {}), Path(folder)))
            for space in spaces
            if not only or space.stem in only
        }
    parts = {**sections(page.read_text()), **made} if only else made
    page.write_text(HEAD.format(most=MOST_POINTS, draws=DRAWS) + "".join(parts.get(space.stem, "") for space in spaces))


if __name__ == "__main__":
    main()
