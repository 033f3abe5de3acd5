#!/usr/bin/python3
"""Writes docs/shipped_spaces.md and docs/pictures: what each shipped space asks, its front, its picture, and what it
says (docs/shipped_spaces.toml). Usage: docs/make_shipped.py PROGRAM [SPACE ...]; with spaces, only their pictures."""
import json
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MOST_POINTS = 4000
ROWS = 8
HEAD = """# Shipped spaces

Made by `docs/make_shipped.py`. Each is run by `pimdse explore spaces/NAME.toml -o NAME.h5` at the fidelity it names; of
spaces with more than {most:,} points that no ladder searches these pages show a random sample of as many. The pictures
are those of `analysis/front.py NAME.h5`.
"""


def run(program, *words):
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True, cwd=ROOT)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}: {done.stderr.strip()}")
    return done.stdout


def explore(program, space, output):
    """Of a space that is small enough, or is searched by a ladder, all; else a random sample."""
    options = ["-o", output, "--progress", "none", "--format", "json"]
    if tomllib.loads(space.read_text()).get("search", {}).get("strategy") != "ladder":
        options += ["--strategy", "random", "--budget", MOST_POINTS]
    return json.loads(run(program, "explore", space, *options))


def count(settings, summary):
    if "certificate" in summary:
        certificate = summary["certificate"]
        return (
            f"{certificate['points']:,} designs, {certificate['cycle_level']:,} of them answered at cycle level,"
            f" {summary['front']} on the front; {certificate['statement']}:"
        )
    fidelity = settings.get("search", {}).get("fidelity", "analytic")
    points, feasible, front = (summary[name] for name in ("points", "feasible", "front"))
    return f"{points:,} points, {feasible:,} feasible, {front} on the front ({fidelity}):"


def section(program, space, says, folder):
    settings = tomllib.loads(space.read_text())
    output = folder / f"{space.stem}.h5"
    summary = explore(program, space, output)
    subprocess.run(
        ["/usr/bin/python3", "-B", ROOT / "analysis/front.py", output, "-o", ROOT / f"docs/pictures/{space.stem}.png"],
        check=True, stdout=subprocess.DEVNULL,
    )
    lines = run(program, "front", output).splitlines()
    table = [line for line in lines[:-1][: ROWS + 1]]
    more = len(lines) - 2 - ROWS
    if more > 0:
        table.append(f"... and {more} more on the front")
    return [
        f"## {space.stem}",
        "",
        f"**{settings['title']}** {settings['question'][0].upper() + settings['question'][1:]}.",
        "",
        says.get(space.stem, "").strip(),
        "",
        count(settings, summary),
        "",
        "```",
        *(line[:150] for line in table),
        "```",
        "",
        f"![{settings['title']}](pictures/{space.stem}.png)",
        "",
    ]


def main():
    program = Path(sys.argv[1]).resolve()
    words = tomllib.loads((ROOT / "docs/shipped_spaces.toml").read_text())
    says = {name: entry["says"] for name, entry in words.items()}
    (ROOT / "docs/pictures").mkdir(exist_ok=True)
    only = sys.argv[2:]
    page = [HEAD.format(most=MOST_POINTS)]
    with tempfile.TemporaryDirectory() as folder:
        for space in sorted((ROOT / "spaces").glob("*.toml")):
            if only and space.stem not in only:
                continue
            lines = section(program, space, says, Path(folder))
            page += lines
            if only:
                print("\n".join(lines))
    if not only:
        (ROOT / "docs/shipped_spaces.md").write_text("\n".join(page))


if __name__ == "__main__":
    main()
