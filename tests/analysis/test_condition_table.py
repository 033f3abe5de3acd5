"""The shared table of conditions in three-valued logic, by the Python package and by the page of the report."""
import json
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT
from pimdse.condition import column, evaluated

TABLE = ROOT / "tests/data/conditions.json"
KNOWN = json.loads(TABLE.read_text(encoding="utf-8"))


def bounds(metrics):
    """As result_file has them; a metric without an interval in a row is exact there."""
    columns = {}
    for name in metrics:
        ends = [row["bounds"].get(name, [row[name], row[name], "proved"]) for row in KNOWN["rows"]]
        for at, end in enumerate(("low", "high")):
            columns[f"{name}_{end}"] = [one[at] for one in ends]
        columns[f"{name}_kind"] = pd.Categorical([one[2] for one in ends])
    return pd.DataFrame(columns)


def results():
    table = pd.DataFrame(KNOWN["rows"]).drop(columns="bounds")
    parameters, metrics = KNOWN["parameters"], KNOWN["metrics"]
    for one in parameters:
        if one["kind"] == "choice":
            table[one["name"]] = pd.Categorical(table[one["name"]], categories=one["choices"])
        elif one["kind"] == "flag" and table[one["name"]].isna().any():  # as result_file has a flag with gaps
            table[one["name"]] = pd.Categorical(table[one["name"]].map({True: "true", False: "false"}))
    return SimpleNamespace(
        table=table, parameters=[one["name"] for one in parameters], metrics=[one["name"] for one in metrics],
        choices={one["name"]: one["choices"] for one in parameters if one["kind"] == "choice"},
        flags={one["name"] for one in parameters if one["kind"] == "flag"},
        integers={one["name"] for one in parameters if one["kind"] == "integer"},
        bounds=bounds([one["name"] for one in metrics]),
        units={one["name"]: one.get("unit", "") for one in parameters + metrics})


@pytest.mark.parametrize("case", KNOWN["cases"], ids=lambda case: case["text"])
def test_the_package_evaluates_the_trees_of_the_table(case):
    of = results()
    truth = evaluated(case["tree"], lambda leaf: column(of, of.table, leaf)) * np.ones(len(of.table))
    assert "".join("T" if one == 1 else "F" if one == 0 else "U" for one in truth) == case["truth"]


def test_the_page_of_the_report_follows_the_table(tmp_path):
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    for name in ("condition.js", "quantities.js"):
        shutil.copy(ROOT / "analysis/report" / name, tmp_path)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    done = subprocess.run([node, Path(__file__).with_name("conditions.mjs"), tmp_path, TABLE], capture_output=True,
                          text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    for case, there in zip(KNOWN["cases"], found["cases"]):
        assert there == {"tree": case["tree"], "truth": case["truth"]}, case["text"]
    for text, sentence in zip(KNOWN["refused"], found["refused"]):
        assert sentence.startswith("Condition: "), f"{text}: {sentence}"
