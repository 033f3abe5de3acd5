#!/usr/bin/python3
"""Writes docs/generated/served_models.md: which machine serves which shipped model, on what evidence, and why not.
docs/make_served.py PIMDSE [--check]; with --check, exits with 1 if the page is another one."""
import csv
import io
import json
import re
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/generated/served_models.md"
MACHINES = ["gpu", "tpu_v4i", "rk3588", "n150", "hbm_pim", "aim_card", "lpddr5x_pim", "umdam", "upmem", "dplena",
            "cim_mesh"]
KINDS = {"layers", "generation", "experts", "latent", "attention", "head_dimension", "model", "llm", "traffic"}
HEAD = """# Which machine serves which model, and what was measured

Made by `docs/make_served.py`: one request of 16 + 32 tokens for each model and machine. A cell says which rule refuses
the layers of the model. Otherwise the machine serves them, whether one device has the memory for it or not, and the
cell names the machines of which somebody measured requests or services of this model: *seen* if a constant rests on
such a row, *blind* if none does. It is empty where nobody did. [accuracy](accuracy.md) and [validation](validation.md)
have the rows; single kernels, which accuracy.md sums up, are of no model. [models.md](../models.md) describes the
layers.

"""


def families():
    """{machine file: the machine whose layers it serves}: the file at which its bases begin."""
    base = {file.stem: tomllib.loads(file.read_text()).get("base")
            for file in (ROOT / "models/machines").glob("*.toml")}

    def first(name):
        return name if base.get(name) is None else first(base[name].removesuffix(".toml"))
    return {name: first(name) for name in base}


def measured():
    """(machine, model, seen or blind) of every measured request or service that the project holds."""
    for run in csv.DictReader((ROOT / "tests/data/runs/runs.csv").open()):
        yield run["machine"], run["llm"], run["standing"]
    for file in [*(ROOT / "models").glob("*/published.toml"), *(ROOT / "models/machines/published").glob("*.toml")]:
        published = tomllib.loads(file.read_text())
        sources = [source for paper in published.get("paper", []) if paper.get("evidence") == "measured"
                   for source in paper["sources"]]
        own = file.parent.name if file.stem == "published" else file.stem
        for figure in published.get("figure", []):
            point = figure.get("set", {})
            if "llm" in point and any(figure["source"].startswith(source) for source in sources):
                yield point.get("device", own), point["llm"], "seen" if figure.get("fitted") else "blind"


def evidence():
    """{(column, model): its machines, and how their rows stand}"""
    column, standings = families(), {}
    for machine, model, standing in measured():
        of = standings.setdefault((column.get(machine, machine), model), {})
        of.setdefault(machine, set()).add(standing)
    return {key: ", ".join(f"`{machine}` {' and '.join(sorted(of[machine]))}" for machine in sorted(of))
            for key, of in standings.items()}


def listed(program):
    text = subprocess.run([program, "list", "models", "--format", "csv"], check=True, capture_output=True, text=True)
    return [row["model"] if "model" in row else row["name"] for row in csv.DictReader(io.StringIO(text.stdout))]


def cell(program, model, machine):
    words = [program, "evaluate", machine, "--set", f"llm={model}", "--set", "input=16", "--format", "json"]
    words += ["--set", "scope=end_to_end"] if machine in ("upmem", "dplena") else []
    length = "generation_length" if machine == "dplena" else "output"
    words += ["--set", f"{length}=32"]
    rules = []
    for generation in ("autoregressive", "diffusion"):
        more = [] if machine == "upmem" else ["--set", f"generation={generation}"]
        done = subprocess.run([*words, *more], capture_output=True, text=True)
        said = json.loads(done.stdout) if done.returncode in (0, 6) and done.stdout else {"rule": "refused",
                                                                                         "reason": done.stderr}
        rules.append((said.get("rule", ""), said.get("reason", "")))
    served = [rule for rule, _ in rules if rule not in KINDS and rule != "refused"]
    if served:
        return ""
    of_layers = next(((rule, reason) for rule, reason in rules if rule not in ("generation", "refused")), rules[0])
    found = re.search(r"have (an? .*?|other .*?|.*?),? (?:which|and(?! value)|that)\b", of_layers[1])
    return f"{of_layers[0]}: {found[1]}" if found else of_layers[0]


def page(program):
    models, known = listed(program), evidence()
    head = "| model | " + " | ".join(f"`{machine}`" for machine in MACHINES) + " |"
    rows = [head, "|---" * (len(MACHINES) + 1) + "|"]
    with ThreadPoolExecutor(2) as pool:
        cells = list(pool.map(lambda pair: cell(program, *pair), [(a, b) for a in models for b in MACHINES]))
    for i, model in enumerate(models):
        row = [refused or known.get((machine, model), "")
               for machine, refused in zip(MACHINES, cells[i * len(MACHINES):])]
        rows.append(f"| `{model}` | " + " | ".join(row) + " |")
    alike = {machine: [f"`{file}`" for file, of in sorted(families().items()) if of == machine != file]
             for machine in MACHINES}
    same = [f"As `{machine}`: {', '.join(files)}." for machine, files in alike.items() if files]
    return HEAD + "\n".join(rows) + "\n\n" + " ".join(same) + "\n"


def main(program, *flags):
    text = page(program)
    if "--check" in flags:
        return int(text != PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
