#!/usr/bin/python3
"""Writes docs/generated/model_support.md: the families of models/llm/families, what their files may leave out, and the
published models whose totals a test compares. docs/make_models.py [--check]; with --check, exits with 1 if the page is
another one."""
import json
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FAMILIES = ROOT / "models/llm/families"
PAGE = ROOT / "docs/generated/model_support.md"
TABLES = ("defaults", "null", "names", "shape", "refused", "noted", "ignored")
HEAD = """# Families of models

Made by `docs/make_models.py` from the files of `models/llm/families`; `pimdse list families` prints the same.
[models.md](../models.md) says how a file is read, and which formats of weights are.

* **heads of keys, head width, tied**: what a file of this `model_type` has if it does not say.
* **windows**: which layers attend to the last positions only, unless `layer_types` says: `all_but_every` n-th
  (Gemma 2 and gpt-oss: every second from the first on), `from_layer` on, `listed` ones (those with rotary positions in
  Llama 4); `always`: all, whatever `layer_types` says. The number is the window of a file that has
  none.
* **experts**: experts in some or all layers; the number is that of a file that does not say.
* **not counted** is what a file may have and results leave out; the program says so for each file.
"""


def family(name):
    file = tomllib.loads((FAMILIES / f"{name}.toml").read_text())
    like = file.get("like", "" if name == "llama" else "llama")
    whole = family(like) if like else {table: {} for table in TABLES}
    return {table: whole[table] | file.get(table, {}) for table in TABLES} | {"source": file["source"]}


def published(families):
    """The models of a family in the test, with their parameters: of a `model_type`, or of a class."""
    rows = {}
    for row in json.loads((ROOT / "tests/data/published_models.json").read_text()):
        config = row["config"]
        family_of = config["model_type"] if config["model_type"] in families else config["architectures"][0]
        rows.setdefault(family_of, []).append(f"{row['model'].split('/')[-1]} {row['parameters']:,}")
    return rows


def page():
    rows = ["| model_type | attention | heads of keys | head width | tied | windows | experts | states | not counted "
            "| defaults of |", "|---|---|---|---|---|---|---|---|---|---|"]
    common = family("llama")["noted"]
    names = sorted(file.stem for file in FAMILIES.glob("*.toml"))
    for name in names:
        it = family(name)
        defaults, shape = it["defaults"], it["shape"]
        latent = shape.get("latent", False)
        windows = shape["windows"]
        if windows != "none" and defaults["sliding_window"]:
            width = defaults["sliding_window"]
            windows += f", `{width}`" if isinstance(width, str) else f", {width:,}"
        experts = f"{defaults['num_experts']}" if shape["experts"] else ""
        noted = ", ".join(f"`{key}`" for key in it["noted"] if key not in common)
        rows.append(f"| `{name}` | {'latent' if latent else shape['attention']} "
                    f"| {'' if latent else defaults['num_key_value_heads']} | {'' if latent else defaults['head_dim']} "
                    f"| {'yes' if defaults['tie_word_embeddings'] is True else 'no'} | {windows} | {experts} "
                    f"| {shape.get('state', '')} | {noted} "
                    f"| {it['source']} |")
    totals = ["## Published totals", "",
              "Parameters of published models that a test compares with those of their files:", ""]
    totals += [f"* `{name}`: {'; '.join(models)}" for name, models in sorted(published(names).items())]
    return "\n".join([HEAD, f"{len(names)} values of `model_type` are read. In all of them "
                      f"{', '.join(f'`{key}`' for key in common)} are not counted.", "", *rows, "", *totals, ""])


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(0 if PAGE.read_text() == page() else f"{PAGE} is not what {__file__} writes")
    PAGE.write_text(page())
