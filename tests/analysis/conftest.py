"""The sample file is written by tests/unit/dse/store/write_sample.cpp."""
import contextlib
import io
import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(os.environ.get("PIMDSE_ROOT", Path(__file__).resolve().parents[2]))
sys.path[:0] = [str(ROOT / "analysis"), str(ROOT / "tests")]


def run_script(path, *words):
    """What a script does and says, in this process, which has imported already what takes a script a second."""
    said, told, before = io.StringIO(), io.StringIO(), sys.argv
    sys.argv = [str(path), *map(str, words)]
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(told):
            runpy.run_path(str(path), run_name="__main__")
        code = 0
    except SystemExit as end:
        code = end.code or 0
    finally:
        words, sys.argv = sys.argv, before
    return subprocess.CompletedProcess(words, code, said.getvalue(), told.getvalue())


@pytest.fixture(scope="session")
def sample():
    return Path(os.environ["PIMDSE_SAMPLE"])


@pytest.fixture(scope="session")
def results(sample):
    import pimdse

    return pimdse.load(sample)
