"""Numbers of reference tables may be written in any way (wrong ones are in message_cases_of_*.py)."""
import csv
import json

import pytest

from conftest import ROOT


def dram_rows(folder, **cells):
    """A table of one quick row of the reference, changed."""
    with (ROOT / "tests/data/dram_cycles.csv").open(newline="") as file:
        row = next(row for row in csv.DictReader(file)
                   if row["case_id"].startswith("r21") and int(row["n_requests"] or 10**9) <= 5000)
    row.update(cells)
    with (folder / "rows.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(row))
        writer.writeheader()
        writer.writerow(row)
    return "rows.csv"


@pytest.mark.parametrize("cell", [".5", "007", "1e3"])
def test_differences_are_json_however_a_table_writes_its_numbers(pimdse, cell):
    done = pimdse("dram", "check", dram_rows(pimdse.folder, row_hits=cell), "--format", "json")
    assert done.returncode == 8, done.stderr
    assert [d["expected"] for d in json.loads(done.stdout)["differing"] if d["column"] == "row_hits"] == [float(cell)]
