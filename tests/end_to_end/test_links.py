"""pimdse links as a user and a script meet it."""
import json

import pytest

from conftest import ROOT

ROWS = ROOT / "tests" / "data" / "collectives.csv"


def test_a_sum_over_eight_boards(pimdse):
    words = ["links", "show", "nvlink3", "--devices", "8", "--bytes", "32 MiB"]
    answer = json.loads(pimdse.ok(*words, "--format", "json"))
    by_name = {row["collective"]: row for row in answer["collectives"]}
    assert len(by_name) == 6 and answer["topology"] == "switch"
    assert by_name["all_reduce"]["seconds"] == pytest.approx(301.3e-6, rel=1e-3)
    assert by_name["all_reduce"]["sent_by_a_device"] == 2 * 7 / 8 * 32 * 2**20
    assert "301.3 us" in pimdse.ok(*words)


def test_one_device_exchanges_nothing(pimdse):
    answer = json.loads(pimdse.ok("links", "show", "ucie_x64", "--devices", "1", "--format", "json"))
    assert all(row["seconds"] == 0 and row["energy"] == 0 for row in answer["collectives"])


def test_measured_collectives_are_within_their_limit(pimdse, tmp_path):
    answer = json.loads(pimdse.ok("links", "check", str(ROWS), "--format", "json"))
    assert answer["held"] == 22 and answer["worst_error"] < 0.3 and len(answer["rows"]) == 35
    wrong = tmp_path / "rows.csv"
    wrong.write_text(ROWS.read_text().replace("4194304,0.063", "4194304,0.006"))
    assert pimdse("links", "check", str(wrong)).returncode == 8
