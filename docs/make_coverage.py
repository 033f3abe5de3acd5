#!/usr/bin/python3
"""Writes docs/generated/coverage.md: every mechanism, equation, table, figure and claim of the five papers, and the
command that reproduces it. docs/make_coverage.py build/run/pimdse [--check|--bands] [PAPER...]

The items are in docs/coverage/PAPER.toml. Every item has `number`, `what`, `where` (the parameter, metric, verb or
file) and `mark`: "yes" (modelled faithfully, reachable from a command line or space file, and reproduced below),
"partly" or "no" (both with a `reason`). What reproduces an item is one of

  run = "pimdse evaluate ..."   with `take`, a path into its JSON such as "metrics.ttft.value", or `find`, a regular
                                expression for its text: its first group is the number, its second one, if there is
                                one, the unit, with which `unit` must begin. A list of two commands: the first number
                                divided by the second. `unit` is printed behind the number, which must lie
                                `within = [lowest, highest]`, at most 5 % apart.
  figure = "..."                the beginning of the name of a figure of `pimdse validate`

The script exits with 1 if an item is not as stated. With --check it writes nothing, and also compares the page; with
--bands it sets every band to 1 % around the number that the program prints, and for a ratio at most to half of its
distance from 1, after a change of a model."""
import json
import math
import re
import shlex
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "generated" / "coverage.md"
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
        if len(found.groups()) == 2 and not item["unit"].startswith(found[2]):
            raise NotAsStated(f"'{command}' prints {found[2]}, not {item['unit']}")
        return float(found[1])

    def figure(self, name):
        found = [figure for figure in self.figures if figure["figure"].startswith(name)]
        if not found:
            raise NotAsStated(f"validate has no figure '{name}'")
        return found[0]


def shown(number):
    """Four digits, or four after the ones and nines of a ratio close to 1; large numbers without an exponent."""
    apart = abs(number - 1.0)
    text = f"{number:.4g}" if apart == 0.0 or apart > 1e-3 else f"{number:.{4 - math.floor(math.log10(apart))}g}"
    return f"{float(text):,.0f}" if "e+" in text else text


def within(item, number):
    lowest, highest = item["within"]
    if not lowest <= number <= highest:
        raise NotAsStated(f"{number:.6g} is not within {item['within']}")
    if highest - lowest > 0.05 * max(abs(lowest), abs(highest)):
        raise NotAsStated(f"its band {item['within']} is more than 5 % wide")


def measured(program, item):
    """The numbers of the commands of an item."""
    commands = [item["run"]] if isinstance(item["run"], str) else item["run"]
    return commands, [program.number(command, item) for command in commands]


def evidence(program, item):
    """What the page says of how an item is reproduced."""
    if "run" in item:
        commands, numbers = measured(program, item)
        number = numbers[0] / numbers[1] if len(numbers) == 2 else numbers[0]
        within(item, number)
        quotient = f" ({' / '.join(shown(n) for n in numbers)})" if len(numbers) == 2 else ""
        text = " against ".join(f"`{command}`" for command in commands)
        return f"{text}: {shown(number)}{' ' + item['unit'] if 'unit' in item else ''}{quotient}"
    if "figure" in item:
        figure = program.figure(item["figure"])
        if not figure["as_stated"]:
            raise NotAsStated(f"figure '{figure['figure']}' is not as stated")
        published = "-" if figure["published"] is None else shown(figure["published"])
        ours = "-" if figure["ours"] is None else shown(figure["ours"])
        whose = {"consistency": "by arithmetic of this project", "reference": "of the reference simulator"}
        return (f"`pimdse validate {figure['architecture']}`, {figure['figure']}: {ours}, "
                f"{whose.get(figure['status'], 'published')} {published}")
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


def set_bands(program, name):
    """Writes the bands of a paper anew; exact ones stay."""
    path = ROOT / "docs" / "coverage" / f"{name}.toml"
    blocks = path.read_text().split("[[item]]\n")
    for i, block in enumerate(blocks[1:], 1):
        item = tomllib.loads(block)
        if "run" not in item:
            continue
        numbers = measured(program, item)[1]
        number = numbers[0] / numbers[1] if len(numbers) == 2 else numbers[0]
        if item.get("within", [0, 1])[0] == item.get("within", [0, 1])[1] == number:
            continue
        apart = 0.01 * abs(number)
        if len(numbers) == 2 and number != 1.0:
            apart = min(apart, 0.5 * abs(number - 1.0))
        digits = 6 if apart == 0.0 else max(6, 2 - math.floor(math.log10(apart / abs(number))))
        band = f"[{number - apart:.{digits}g}, {number + apart:.{digits}g}]"
        block = re.sub(r"^within.*\n", "", block, flags=re.M)
        end = re.search(r"^(take|find).*\n", block, flags=re.M).end()
        blocks[i] = block[:end] + f"within = {band}\n" + block[end:]
    path.write_text("[[item]]\n".join(blocks))


def main():
    words = [word for word in sys.argv[1:] if word not in ("--check", "--bands")]
    names = words[1:] or PAPERS
    program = Program(words[0])
    if "--bands" in sys.argv:
        for name in names:
            set_bands(program, name)
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
            wrong.append("docs/generated/coverage.md is not what the script writes")
            print(wrong[-1])
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
