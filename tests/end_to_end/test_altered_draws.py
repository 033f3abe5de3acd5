"""Every value of /uncertain, altered behind a seal that fits: verify refuses it. The campaign alters each of them, the
normal test a few."""
import os
import zlib

import h5py
import numpy as np
import pytest

from conftest import CAMPAIGN, Runner, in_campaign

SEAL, DAMAGED, MISMATCH = 512, 7, 8
# Two machines of one architecture that flip, one of which cannot be built in some draws; a parameter that is decided; a
# range that a rule cuts off; designs that are polynomials of the constants, and others.
SPACE = """schema = 2
objectives = ["latency", "area", "energy"]
[[machine]]
name = "wide"
architecture = "dplena"
[machine.parameters]
vlen     = [256, 1024]
prefetch = [1, 4]
channels = 8
steps    = 1
[[machine]]
name = "narrow"
architecture = "dplena"
[machine.parameters]
vlen          = [64, 128]
refresh       = ["off", "on"]
channels      = 8
loop_hardware = "on"
steps         = 1
[[constraint]]
name = "modest"
expr = "area <= 90 mm2"
[uncertain]
samples = 12
"dplena.matrix_tiles"   = { choices = [2, 4, 8] }
"dplena.attained_share" = { low = 0.3, high = 1.0 }
"dplena.*_share"        = "stated"
"dplena.hbm2e_stand*"   = { times = 4 }
"wide.*_area"           = { times = 8 }
"technology.sram_*"     = { times = 3 }
"""
DESCRIPTIONS = "meaning"  # texts for people, the same in every file
STEP = 1 if CAMPAIGN else 45


def values_of(path):
    """Where a value can be altered: the path of its object, an attribute or None, and the row."""
    places = []

    def visit(name, item):
        for key in item.attrs:
            if key != DESCRIPTIONS:
                places.append((name, key, 0))
        if isinstance(item, h5py.Dataset):
            places.extend((name, None, row) for row in sorted({0, item.shape[0] // 2, item.shape[0] - 1}) if row >= 0)

    with h5py.File(path) as file:
        visit("/uncertain", file["uncertain"])
        file["uncertain"].visititems(lambda name, item: visit(f"/uncertain/{name}", item))
    return places


def other(value):
    """Another value of the same type, as near as a reader might overlook."""
    if isinstance(value, (bytes, str)):
        return value[:-1] + (b"~" if isinstance(value, bytes) else "~") if value else value
    if isinstance(value, np.uint8):
        return np.uint8(1 - value)
    if isinstance(value, np.floating):
        return np.nextafter(value, np.inf) if np.isfinite(value) else np.float64(1.0)
    return value + type(value)(1)


def alter(file, place):
    """False if the value has no other one."""
    path, key, row = place
    holder = file[path].attrs if key else file[path]
    old = holder[key] if key else holder[row]
    if isinstance(old, np.ndarray):
        old = list(old)
        holder[key] = [other(old[0]), *old[1:]]
        return True
    new = other(old)
    if new == old:
        return False
    holder[key if key else row] = new
    return True


def seal(path):
    content = path.read_bytes()
    text = f"pimdse sealed result, HDF5 from byte 512\nbytes {len(content)}\ncrc32 {zlib.crc32(content):08x}\n"
    path.write_bytes(text.encode().ljust(SEAL, b"\0") + content)


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    runner = Runner(tmp_path_factory.mktemp("drawn"), os.environ["PIMDSE"])
    (runner.folder / "space.toml").write_text(SPACE)
    runner.ok("explore", "space.toml", "-o", "r.h5", "--progress", "none")
    return runner


@pytest.mark.parametrize("others", [in_campaign(0), 2, 100])
def test_draws_of_an_honest_file_hold(drawn, others):
    said = drawn.json("verify", "r.h5", "--sample", others)
    assert said["holds"] and said["drawn_again"] > 0 and (others < 100 or said["all_designs"])
    with h5py.File(drawn.folder / "r.h5") as file:
        for table in ("flips/break_even", "decisions/value", "remarks", "not_stated"):
            assert len(file[f"uncertain/{table}"]) > 0, "there is something to alter"
        assert 0 < file["uncertain"].attrs["linear"] and 0 < file["uncertain"].attrs["evaluated"]
        assert max(file["uncertain/machines/draws_infeasible"][()]) > 0


def test_every_altered_value_is_noticed(drawn):
    whole, altered = drawn.folder / "r.h5", drawn.folder / "altered.h5"
    places = values_of(whole)
    tried, passed = 0, []
    assert len(places) > 120
    for place in places[::STEP]:
        altered.write_bytes(whole.read_bytes()[SEAL:])
        with h5py.File(altered, "r+") as file:
            if not alter(file, place):
                continue
        seal(altered)
        done = drawn("verify", "altered.h5")
        assert done.returncode in (0, DAMAGED, MISMATCH), (place, done.stderr)
        tried += 1
        passed += [place] if done.returncode == 0 else []
    print(f"{len(passed)} of {tried} altered values passed")
    assert passed == [] and tried > len(places) // STEP * 3 // 4
