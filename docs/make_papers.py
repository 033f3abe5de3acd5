#!/usr/bin/python3
"""Writes docs/generated/papers.md: headline figures of the five papers, each with a command and what it prints today.
docs/make_papers.py build/run/pimdse [--check]

The figures are in docs/papers.toml. With --check it writes nothing, and exits with 1 if the page is another one."""
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from make_coverage import ROOT, Program, measured, shown  # noqa: E402

PAGE = ROOT / "docs" / "generated" / "papers.md"
HEAD = """# The five papers in one table

Written by `docs/make_papers.py build/run/pimdse` from `docs/papers.toml`; do not edit. What each paper says, and what
one command prints today. Of two commands, the first number is divided by the second. Every other figure:
[validation](validation.md). Every mechanism, equation and claim: [coverage](coverage.md).

UMDAM: arXiv:2511.03293. uPIMulator: *Extending uPIMulator*, and PrIM, the measurements of UPMEM's hardware. d-PLENA:
arXiv:2601.20706. PRIMAL: arXiv:2601.13628. LEAP: arXiv:2509.14781.

| paper | what it says | published | ours | remark |
|---|---|---|---|---|
"""


def ours(program, figure):
    """The number that the program prints for a figure, in its unit."""
    if "figure" in figure:
        number = program.figure(figure["figure"])["ours"]
    else:
        numbers = measured(program, figure)[1]
        number = numbers[0] / numbers[1] if len(numbers) == 2 else numbers[0]
    number *= figure.get("scale", 1.0)
    text = f"{number:,.0f}" if "digits" in figure else shown(number)
    return f"{text} {figure['unit']}"


def commands(figure):
    if "figure" in figure:
        return ["pimdse validate umdam"]
    return [figure["run"]] if isinstance(figure["run"], str) else figure["run"]


def page(program):
    figures = tomllib.loads((ROOT / "docs" / "papers.toml").read_text())["figure"]
    with ThreadPoolExecutor(2) as pool:
        numbers = list(pool.map(lambda figure: ours(program, figure), figures))
    text = HEAD
    for figure, number in zip(figures, numbers):
        cells = [figure["paper"], figure["says"], figure["published"], number, figure.get("remark", "")]
        text += "| " + " | ".join(cells) + " |\n"
    text += "\n## The commands\n"
    for figure in figures:
        text += f"\n{figure['paper']}, {figure['says']}:\n\n"
        text += "".join(f"    {command}\n" for command in commands(figure))
    return text


def main():
    made = page(Program(sys.argv[1]))
    if "--check" not in sys.argv:
        PAGE.write_text(made)
    elif PAGE.read_text() != made:
        print("docs/generated/papers.md is not what docs/make_papers.py writes")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
