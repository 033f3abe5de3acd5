"""A short version of the campaign: no change of a result file crashes a reader or passes for the file."""
import json
import os
import subprocess
import sys
from pathlib import Path

CAMPAIGN = Path(__file__).with_name("campaign.py")
MUTATIONS = int(os.environ.get("PIMDSE_MUTATIONS", "20"))


def test_no_change_of_a_result_file_crashes_a_reader_or_goes_unnoticed():
    done = subprocess.run(
        [sys.executable, CAMPAIGN, "--program", os.environ["PIMDSE"], "--mutations", str(MUTATIONS), "--seed", "7"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    outcomes = json.loads(done.stdout)["outcomes"]
    assert outcomes["front 7"] > 0 and outcomes["verify 8"] > 0, outcomes
