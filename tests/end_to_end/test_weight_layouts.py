"""Where umdam stores a weight, against Algorithm 1 of its paper in Python."""
import random
import re

import pytest

# The machine of the paper: bits of each field, from the lowest address bit.
BITS = {"offset": 5, "coll": 3, "channel": 2, "bank_group": 2, "bank": 2, "colm": 3}


def address(row, column, rows, height=128, width=64, element_bytes=2):
    """Tiles of height x width elements, one tile column after the other."""
    tile = column // width * (-(-rows // height)) + row // height
    return (tile * width + column % width) * height * element_bytes + row % height * element_bytes


def fields(at):
    found = {"rank": 0}
    for name, bits in BITS.items():
        found[name], at = at & ((1 << bits) - 1), at >> bits
    return {**found, "row": at}


@pytest.mark.parametrize("matrix", ["q", "down"])
def test_addresses_are_those_of_algorithm_1(pimdse, matrix):
    listed = {one["matrix"]: one for one in pimdse.json("layout", "umdam", "--model", "opt-350m")["matrices"]}
    rows, columns = listed[matrix]["rows"], listed[matrix]["columns"]
    draw = random.Random(matrix)
    for row, column in [(0, 0), (rows - 1, columns - 1)] + [(draw.randrange(rows), draw.randrange(columns))
                                                            for _ in range(10)]:
        place = pimdse.json("layout", "umdam", "--model", "opt-350m", "--matrix", matrix, "--row", row, "--col",
                            column)["place"]
        assert place["address"] == address(row, column, rows)
        assert place["fields"] == fields(place["address"])


@pytest.mark.parametrize("settings, banks", [((), 1), (("mapping=conventional", "split_k=true"), 8),
                                             (("baseline=no_interleave",), 1), (("coll_bits=6", "channels=8"), 1)])
def test_products_hold_and_count_in_how_many_banks_an_output_is_summed(pimdse, settings, banks):
    words = [word for setting in settings for word in ("--set", setting)]
    check = pimdse.json("layout", "umdam", "--model", "opt-125m", "--matrix", "up", "--check", *words)["check"]
    assert check["outputs"] == 3072 and check["npu_wrong"] == check["pim_wrong"] == 0
    assert check["sums_read"] == banks * 3072


def test_the_picture_has_a_cell_for_each_burst_of_the_tile_and_marks_the_one_of_the_weight(pimdse):
    pimdse.ok("layout", "umdam", "--model", "opt-125m", "--matrix", "q", "--row", 200, "--col", 70, "--picture",
              "t.svg")
    picture = (pimdse.folder / "t.svg").read_text()
    assert len(re.findall("<rect ", picture)) == 64 * 128 // 16
    marked = re.findall(r"<rect [^>]*stroke=\"#000\"/><text[^>]*>([^<]*)</text><text[^>]*>([^<]*)<", picture)
    assert marked == [("0.1.0", f"0:{7 * 8 + 4}")]
