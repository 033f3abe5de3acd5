"""Files whose content other tools keep or change: the seal is of the content."""
import os
import shutil
import subprocess

import h5py
import numpy as np
import pytest

from conftest import CAMPAIGN, ROOT, Runner, one_of, refused, same_file
from ladder_bench import LADDER, space

QUIET = ("--progress", "none")


def tool(folder, *words):
    if shutil.which(words[0]) is None:
        pytest.skip(f"{words[0]} is not installed")
    done = subprocess.run(list(map(str, words)), cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Files with a certificate, and with draws of constants: references, empty columns, long texts and lists."""
    runner = Runner(tmp_path_factory.mktemp("whole"), os.environ["PIMDSE"])
    runner.ok("explore", space(runner, "upmem"), "-o", "ladder.h5", *LADDER, "--audit", 2)
    runner.ok("explore", ROOT / "spaces" / "quick.toml", "-o", "drawn.h5", "--uncertain", 4, *QUIET,
              "--set", "vlen=[64, 1024]", "--set", "channels=8")
    return runner


@pytest.mark.parametrize("options", one_of(3, [
    "", "-f GZIP=9", "-f SHUF -f GZIP=1", "-f NONE", "-f FLET", "-l CONTI", "-l CHUNK=7", "-l COMPA", "-L"]))
def test_a_repacked_file_is_the_same_file(whole, options):
    pimdse = whole
    for name in ("ladder", "drawn"):
        tool(pimdse.folder, "h5repack", *options.split(), f"{name}.h5", "packed.h5")
        assert (pimdse.folder / "packed.h5").read_bytes() != (pimdse.folder / f"{name}.h5").read_bytes()
        assert pimdse.json("diff", f"{name}.h5", "packed.h5")["equal"]
        assert pimdse.ok("front", "packed.h5") == pimdse.ok("front", f"{name}.h5").replace(f"{name}.h5", "packed.h5")


def test_a_repacked_run_continues(pimdse):
    file = space(pimdse, "upmem")
    pimdse("explore", file, "-o", "a.h5", *LADDER, "--budget", 2)
    tool(pimdse.folder, "h5repack", "-f", "GZIP=9", "a.h5", "packed.h5")
    for name in ("a.h5", "packed.h5"):
        pimdse.ok("explore", file, "-o", name, *LADDER, "--resume")
    assert same_file(pimdse.folder, "a.h5", "packed.h5")


def places(file):
    """Every data set with values and every attribute, of all groups."""
    found = []

    def visit(name, item):
        found.extend((name, key) for key in item.attrs
                     if key not in ("DIMENSION_LIST", "REFERENCE_LIST", "CLASS", "NAME"))
        if isinstance(item, h5py.Dataset) and len(item):
            found.append((name, None))

    visit("/", file)
    file.visititems(visit)
    return found


def alter(file, name, key):
    value = file[name].attrs[key] if key else file[name][0]
    if isinstance(value, (bytes, str)):
        new = value[:-1] + (b"~" if isinstance(value, bytes) else "~")
    elif isinstance(value, np.ndarray):
        new = value[:-1] if len(value) else np.array([1.0])
    else:
        new = value + type(value)(1) if np.isfinite(value) else type(value)(1)
    if key:
        file[name].attrs[key] = new
    else:
        file[name][0] = new


def test_a_repacked_file_with_any_other_value_is_refused(whole):
    """By what every reader does first."""
    pimdse = whole
    tool(pimdse.folder, "h5repack", "ladder.h5", "packed.h5")
    packed = (pimdse.folder / "packed.h5").read_bytes()
    with h5py.File(pimdse.folder / "packed.h5") as file:
        all_places = places(file)
    assert len(all_places) > 200
    for name, key in all_places[::1 if CAMPAIGN else 25]:
        (pimdse.folder / "packed.h5").write_bytes(packed)
        with h5py.File(pimdse.folder / "packed.h5", "r+") as file:
            alter(file, name, key)
        refused(pimdse("front", "packed.h5"), 7, "packed.h5", "changed")


@pytest.mark.parametrize("change", ["another object", "no object", "another type", "one row less"])
def test_objects_that_come_or_go_are_noticed(pimdse, change):
    pimdse.ok("explore", ROOT / "spaces" / "quick.toml", "-o", "r.h5", *QUIET)
    with h5py.File(pimdse.folder / "r.h5", "r+") as file:
        seconds = file["timing/seconds"][()]
        if change == "another object":
            file["timing/note"] = seconds
        else:
            del file["timing/seconds"]
        if change == "another type":
            file["timing/seconds"] = seconds.astype(">f8")
        if change == "one row less":
            file["timing/seconds"] = seconds[1:]
    refused(pimdse("front", "r.h5"), 7, "r.h5", "changed")


def test_a_copied_group_is_no_result_file(pimdse):
    """h5copy copies objects, not the attributes of the root."""
    pimdse.ok("explore", ROOT / "spaces" / "quick.toml", "-o", "r.h5", *QUIET)
    for group in ("metrics", "front", "parameters"):
        tool(pimdse.folder, "h5copy", "-i", "r.h5", "-o", "copy.h5", "-s", group, "-d", group)
    refused(pimdse("front", "copy.h5"), 3, "copy.h5", "schema")
