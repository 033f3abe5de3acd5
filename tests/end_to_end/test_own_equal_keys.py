"""Files of a user's own that look like others to a search: the front of a ladder is that of the sweep."""
import json
import re
import shutil

import pytest
from conftest import ROOT, holds
from ladder_bench import front_of

SPACE = """schema = 2
architecture = "{}"
objectives = {}
[parameters]
{}
[search]
fidelity = "cycle"
strategy = "{}"
"""


def certified(pimdse, architecture, objectives, parameters):
    """The certificate of a ladder whose front is that of the sweep."""
    summaries = {}
    for strategy in ("sweep", "ladder"):
        text = SPACE.format(architecture, json.dumps(objectives), parameters, strategy)
        (pimdse.folder / f"{strategy}.toml").write_text(text)
        summaries[strategy] = json.loads(pimdse.ok("explore", f"{strategy}.toml", "-o", f"{strategy}.h5",
                                                   "--force", "--progress", "none", "--format", "json"))
    assert front_of(pimdse.folder / "ladder.h5") == front_of(pimdse.folder / "sweep.h5")
    assert holds(pimdse, "ladder.h5")["all_rows"]
    return summaries["ladder"]["certificate"]


@pytest.mark.parametrize("architecture, objectives, more", [
    ("cim_mesh", ["latency", "total_tiles"], 'placement = "searched"\ninput = 64\noutput = 64'),
    ("umdam", ["latency", "footprint"], "input = 16\noutput = 4"),
    ("dplena", ["latency", "energy"], 'scope = "end_to_end"\ngeneration = "autoregressive"\ngeneration_length = 8\n'
                                      "input = 16"),
    ("upmem", ["latency", "energy"], 'scope = "end_to_end"\ndpus = 64\ninput = 8\noutput = 4'),
])
def test_a_model_that_keeps_the_name_of_another_is_no_twin_of_it(pimdse, architecture, objectives, more):
    text = re.sub(r"(?m)^published_parameters .*\n", "", (ROOT / "models/llm/opt-125m.toml").read_text())
    for key, value in (("ffn", 3584), ("vocabulary", 8000)):
        text = re.sub(rf"(?m)^{key} .*", f"{key} = {value}", text)
    (pimdse.folder / "mine.toml").write_text(text)
    certificate = certified(pimdse, architecture, objectives, 'llm = ["opt-125m", "./mine.toml"]\n' + more)
    assert certificate["twins"] == 0


def test_blocks_are_no_twins_where_a_listing_reads_them(pimdse):
    for name in ("passes.toml", "passes.s"):
        shutil.copy(ROOT / "tests/data/keys" / name, pimdse.folder)
    blocks = 'elements = 4096\npreset = "upimulator-cpp"\ndma_block = [2048, 512, 64, 8]\nkernel = '
    assert certified(pimdse, "upmem", ["latency"], blocks + '"./passes.toml"')["twins"] == 0
    assert certified(pimdse, "upmem", ["latency"], blocks + '"alu1"')["twins"] > 0
