#!/usr/bin/python3
"""Writes docs/coverage.md: every mechanism, equation, table, figure and claim of the five papers, and the command that
reproduces it. docs/make_coverage.py build/run/pimdse [--check] [PAPER...]

The items are in docs/coverage/PAPER.toml. Every item has `number`, `what`, `where` (the parameter, metric, verb or
file) and `mark`: "yes" (modelled faithfully, reachable from a command line or space file, and reproduced below),
"partly" or "no" (both with a `reason`). What reproduces an item is one of

  run = "pimdse evaluate ..."   with `take`, a path into its JSON such as "metrics.ttft.value", or `find`, a regular
                                expression for its text, whose group is a number. A list of two commands: the first
                                number divided by the second. `unit` is printed behind it.
  figure = "..."                the beginning of the name of a figure of `pimdse validate`
  test = "tests/..."            a test file, for what is not a number

With `within = [lowest, highest]` the number must lie there. The script exits with 1 if an item is not as stated; with
--check it writes nothing, and also compares the page."""
import json
import re
import shlex
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "coverage.md"
PAPERS = ("umdam", "primal", "leap", "dplena", "upimulator")
MARKS = ("yes", "partly", "no")
HEAD = """# Coverage of the five papers

Written by `docs/make_coverage.py build/run/pimdse` from `docs/coverage/*.toml`; do not edit. Every mechanism,
parameter, equation, table, figure and claim of a paper is an item. **yes**: modelled faithfully, reachable from a
command line or space file, and reproduced by the command or figure that the table names, which the script runs.
**partly** and **no** state a reason; a claim that the model contradicts is *partly*.

"""


class NotAsStated(Exception):
    """A sentence that says what is wrong with an item."""


def at(value, path):
    for key in path.split("."):
        value = value[int(key)] if isinstance(value, list) else value[key]
    return value


class Program:
    """Runs commands of pimdse; the figures of `pimdse validate` are computed once."""

    def __init__(self, program):
        self.program = str(Path(program).resolve())
        self.figures = json.loads(self.run("pimdse validate --format json"))["figures"]

    def run(self, command):
        words = shlex.split(command)
        if not words or words[0] != "pimdse":
            raise NotAsStated(f"'{command}' does not begin with pimdse")
        done = subprocess.run([self.program, *words[1:]], capture_output=True, text=True, cwd=ROOT, timeout=600)
        if done.returncode not in (0, 8):
            raise NotAsStated(f"'{command}' exits with {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def number(self, command, item):
        if "take" in item:
            return float(at(json.loads(self.run(f"{command} --format json")), item["take"]))
        found = re.search(item["find"], self.run(command))
        if not found:
            raise NotAsStated(f"'{command}' prints nothing like {item['find']}")
        return float(found[1]) if found.groups() else found[0]

    def figure(self, name):
        found = [figure for figure in self.figures if figure["figure"].startswith(name)]
        if not found:
            raise NotAsStated(f"validate has no figure '{name}'")
        return found[0]


def shown(number):
    return number if isinstance(number, str) else f"{number:.4g}"


def evidence(program, item):
    """What the page says of how an item is reproduced."""
    if "run" in item:
        commands = [item["run"]] if isinstance(item["run"], str) else item["run"]
        numbers = [program.number(command, item) for command in commands]
        number = numbers[0] / numbers[1] if len(numbers) == 2 else numbers[0]
        if "within" in item and not item["within"][0] <= number <= item["within"][1]:
            raise NotAsStated(f"{shown(number)} is not within {item['within']}")
        quotient = f" ({' / '.join(shown(n) for n in numbers)})" if len(numbers) == 2 else ""
        text = " against ".join(f"`{command}`" for command in commands)
        return f"{text}: {shown(number)}{' ' + item['unit'] if 'unit' in item else ''}{quotient}"
    if "figure" in item:
        figure = program.figure(item["figure"])
        if not figure["as_stated"]:
            raise NotAsStated(f"figure '{figure['figure']}' is not as stated")
        published = "-" if figure["published"] is None else shown(figure["published"])
        ours = "-" if figure["ours"] is None else shown(figure["ours"])
        return f"`pimdse validate {figure['architecture']}`, {figure['figure']}: {ours}, published {published}"
    if "test" in item:
        if not (ROOT / item["test"]).exists():
            raise NotAsStated(f"there is no {item['test']}")
        return f"`{item['test']}`"
    if item["mark"] == "yes":
        raise NotAsStated("nothing reproduces it")
    return ""


def row(program, item):
    if item.get("mark") not in MARKS:
        raise NotAsStated("mark is not one of " + ", ".join(MARKS))
    if (item["mark"] == "yes") == ("reason" in item):
        raise NotAsStated("a reason belongs to partly and no, and only there")
    text = [evidence(program, item), item.get("reason", ""), item.get("remark", "")]
    cells = [str(item["number"]), item["what"], item["where"], item["mark"], "; ".join(t for t in text if t)]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def section(program, name):
    """(text, counts of marks, what is wrong)"""
    paper = tomllib.loads((ROOT / "docs" / "coverage" / f"{name}.toml").read_text())
    wrong = []

    def attempt(item):
        try:
            return row(program, item)
        except (NotAsStated, KeyError, IndexError, ValueError, TypeError) as error:
            wrong.append(f"{name} {item.get('number')}: {type(error).__name__}: {error}")
            return ""

    numbers = [item["number"] for item in paper["item"]]
    if numbers != list(range(1, len(numbers) + 1)):
        wrong.append(f"{name}: the numbers are not 1, 2, 3, ...")
    with ThreadPoolExecutor(2) as pool:
        rows = list(pool.map(attempt, paper["item"]))
    counts = [sum(item["mark"] == mark for item in paper["item"]) for mark in MARKS]
    text = f"## {paper['paper']}\n\n{paper['title']} ({paper['identifier']})\n\n"
    text += "| # | what the paper has | where | mark | reproduced by |\n|---|---|---|---|---|\n"
    return text + "\n".join(rows) + "\n", [paper["paper"], sum(counts), *counts], wrong


def main():
    words = [word for word in sys.argv[1:] if word != "--check"]
    names = words[1:] or PAPERS
    program = Program(words[0])
    sections = [section(program, name) for name in names]
    wrong = [line for _, _, lines in sections for line in lines]
    print("\n".join(wrong) or f"{sum(counts[1] for _, counts, _ in sections)} items are as stated")
    for _, counts, _ in sections:
        print(*counts, sep="\t")
    if tuple(names) == PAPERS:
        table = [counts for _, counts, _ in sections]
        table.append(["all", *(sum(column) for column in list(zip(*table))[1:])])
        page = HEAD + "| paper | items | yes | partly | no |\n|---|---|---|---|---|\n"
        page += "".join("| " + " | ".join(map(str, counts)) + " |\n" for counts in table) + "\n"
        page += "\n".join(text for text, _, _ in sections)
        if "--check" not in sys.argv and not wrong:
            PAGE.write_text(page)
        elif not PAGE.exists() or PAGE.read_text() != page:
            wrong.append("docs/coverage.md is not what the script writes")
            print(wrong[-1])
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
