"""A short version of the campaign: nothing that was acknowledged is lost to kill -9, and the digest stays the same."""
import json
import os
import subprocess
import sys
from pathlib import Path

CAMPAIGN = Path(__file__).with_name("campaign.py")
KILLS = int(os.environ.get("PIMDSE_KILLS", "5"))


def test_nothing_acknowledged_is_lost_to_kills():
    done = subprocess.run(
        [sys.executable, CAMPAIGN, "--program", os.environ["PIMDSE_WORKBENCH"], "--kills", str(KILLS), "--seed", "7"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads(done.stdout)
    assert result["kills"] >= KILLS and result["answers_seen_before_kills"] > 0
    assert result["longest_end_after_a_kill_seconds"] < 20
