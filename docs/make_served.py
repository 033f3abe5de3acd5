#!/usr/bin/python3
"""Writes docs/generated/served_models.md: which machine serves which shipped model, and why not.
docs/make_served.py PIMDSE [--check]; with --check, exits with 1 if the page is another one."""
import csv
import io
import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PAGE = Path(__file__).resolve().parent / "generated/served_models.md"
MACHINES = ["gpu", "tpu_v4i", "hbm_pim", "aim_card", "lpddr5x_pim", "umdam", "upmem", "dplena", "cim_mesh"]
KINDS = {"layers", "generation", "experts", "latent", "attention", "head_dimension", "model", "llm", "traffic"}
HEAD = """# Which machine serves which model

Made by `docs/make_served.py`: one request of 16 + 32 tokens for each model and machine. A cell is empty where the
machine serves the layers of the model, whether one device has the memory for it or not; otherwise it has the first rule
that refuses them. [models.md](../models.md) describes the layers.

"""


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
    found = re.search(r"have (an? .*?|other .*?|.*?),? (?:which|and|that)\b", of_layers[1])
    return f"{of_layers[0]}: {found[1]}" if found else of_layers[0]


def page(program):
    models = listed(program)
    head = "| model | " + " | ".join(f"`{machine}`" for machine in MACHINES) + " |"
    rows = [head, "|---" * (len(MACHINES) + 1) + "|"]
    with ThreadPoolExecutor(2) as pool:
        cells = list(pool.map(lambda pair: cell(program, *pair), [(a, b) for a in models for b in MACHINES]))
    for i, model in enumerate(models):
        rows.append(f"| `{model}` | " + " | ".join(cells[i * len(MACHINES):(i + 1) * len(MACHINES)]) + " |")
    return HEAD + "\n".join(rows) + "\n"


def main(program, *flags):
    text = page(program)
    if "--check" in flags:
        return int(text != PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
