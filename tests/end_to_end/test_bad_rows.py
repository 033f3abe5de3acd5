"""Rows of reference tables that nothing measured are refused with their line."""
import csv
import json

import pytest

from bad_input import one_sentence
from conftest import ROOT

DRAM_ROWS = ROOT / "tests" / "data" / "dram_cycles.csv"


def dram_rows(folder, **cells):
    with DRAM_ROWS.open(newline="") as file:
        rows = [
            row
            for row in csv.DictReader(file)
            if row["case_id"].startswith("r21") and int(row["n_requests"] or 10**9) <= 5000
        ][:1]
    rows[0].update(cells)
    with (folder / "rows.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return "rows.csv"


@pytest.mark.parametrize(
    "cells, piece",
    [
        ({"txn_bytes": "0"}, "transaction of 0 B"),
        ({"txn_bytes": "-64"}, "transaction"),
        ({"txn_bytes": "1e300"}, "txn_bytes"),
        ({"total_cycles": "inf"}, "not a number"),
        ({"total_cycles": "0"}, "total_cycles"),
    ],
)
def test_rows_of_dram_that_nothing_measured_are_refused(pimdse, cells, piece):
    one_sentence(pimdse("dram", "check", dram_rows(pimdse.folder, **cells), "--format", "json"), 3, piece)


@pytest.mark.parametrize("cell", [".5", "007", "1e3"])
def test_differences_are_json_however_a_table_writes_its_numbers(pimdse, cell):
    done = pimdse("dram", "check", dram_rows(pimdse.folder, row_hits=cell), "--format", "json")
    assert done.returncode == 8, done.stderr
    assert [d["expected"] for d in json.loads(done.stdout)["differing"] if d["column"] == "row_hits"] == [float(cell)]


@pytest.mark.parametrize(
    "cells",
    [
        {"k": "0"},
        {"k": "100000"},
        {"vc_buf_flits": "0"},
        {"packet_flits": "0"},
        {"accepted": "0"},
        {"offered_flits_node_cycle": "-1"},
    ],
)
def test_rows_of_networks_that_cannot_be_are_refused_with_their_line(pimdse, cells):
    with (ROOT / "tests" / "data" / "noc_latency.csv").open(newline="") as file:
        row = next(row for row in csv.DictReader(file) if row["config"] == "A")
    row.update(cells)
    with (pimdse.folder / "rows.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(row))
        writer.writeheader()
        writer.writerow(row)
    one_sentence(pimdse("noc", "check", "rows.csv", "--packets", "1000", timeout=60), 3, "rows.csv:2")
