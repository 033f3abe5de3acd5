"""The sample file is written by tests/unit/dse/store/write_sample.cpp."""
import os
import sys
from pathlib import Path

import pytest

ROOT = Path(os.environ.get("PIMDSE_ROOT", Path(__file__).resolve().parents[2]))
sys.path[:0] = [str(ROOT / "analysis"), str(ROOT / "tests")]


@pytest.fixture(scope="session")
def sample():
    return Path(os.environ["PIMDSE_SAMPLE"])


@pytest.fixture(scope="session")
def results(sample):
    import pimdse

    return pimdse.load(sample)
