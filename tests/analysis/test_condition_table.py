"""The shared table of conditions in three-valued logic, by the Python package."""
import json
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
