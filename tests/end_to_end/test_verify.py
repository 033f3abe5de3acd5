"""What verify, merge and diff notice of files that were changed or do not fit together."""
import json

import h5py
import numpy as np
import pytest

from conftest import ROOT, SMALL, holds, one_of, refused, same_file
from small_bench import SPACE, bench


def test_merge_diff_and_verify_agree_with_the_whole(pimdse, small_space, explored_once):
    explored_once(pimdse, SMALL, "whole.h5")
    pimdse.ok("explore", small_space, "-o", "a.h5", "--budget", 100)
    pimdse.ok("explore", small_space, "-o", "b.h5", "--strategy", "random")
    pimdse.ok("merge", "a.h5", "b.h5", "-o", "all.h5")
    assert same_file(pimdse.folder, "whole.h5", "all.h5")
    assert pimdse.json("diff", "whole.h5", "all.h5")["equal"]
    assert pimdse("diff", "whole.h5", "a.h5").returncode == 8
    assert holds(pimdse, "whole.h5")["rows"] == 336
    assert pimdse("merge", "a.h5", "b.h5", "-o", "all.h5").returncode == 2


def test_shards_merge_to_the_whole(pimdse, small_space, explored_once):
    explored_once(pimdse, SMALL, "whole.h5")
    for shard in range(3):
        pimdse.ok("explore", small_space, "-o", f"part-{shard}.h5", "--shard", f"{shard}/3")
    pimdse.ok("merge", "part-0.h5", "part-1.h5", "part-2.h5", "-o", "all.h5")
    assert same_file(pimdse.folder, "whole.h5", "all.h5")
    assert pimdse("explore", small_space, "-o", "x.h5", "--shard", "3/3").returncode == 2


SEAL = 512


def without_seal(path):
    """The file as another program may change it."""
    path.write_bytes(path.read_bytes()[SEAL:])
    return h5py.File(path, "r+")


def test_a_changed_byte_is_noticed_by_every_reader(pimdse, small_space, explored_once):
    explored_once(pimdse, SMALL, "r.h5")
    with h5py.File(pimdse.folder / "r.h5", "r+") as file:
        file["metrics/latency"][0] *= 2
    for words in (
        ["verify", "r.h5"],
        ["front", "r.h5"],
        ["diff", "r.h5", "r.h5"],
        ["merge", "r.h5", "-o", "m.h5"],
        ["watch", "--once", "r.h5"],
        ["explore", small_space, "-o", "r.h5", "--resume"],
    ):
        refused(pimdse(*words), 7, "r.h5")


def test_verify_notices_a_changed_number(pimdse, small_space, explored_once):
    explored_once(pimdse, SMALL, "r.h5")
    with without_seal(pimdse.folder / "r.h5") as file:
        latency = file["metrics/latency"][:]
        latency[np.flatnonzero(file["status"][:] == 0)[0]] *= 1.0000001
        file["metrics/latency"][:] = latency
    done = pimdse("verify", "r.h5", "--format", "json")
    assert done.returncode == 8 and "digest" in " ".join(json.loads(done.stdout)["problems"])


def reverse_parameter(file):
    file["parameters/mesh_rows"][:] = file["parameters/mesh_rows"][:][::-1]


def remove_name(file):
    file["parameters"].attrs["names"] = list(file["parameters"].attrs["names"][:-1])


def change_unit(file):
    file["metrics/latency"].attrs["unit"] = "J"


def change_usual_unit(file):
    file["parameters/frequency"].attrs["usual_unit"] = "MHz"


def change_sense(file):
    file["metrics/area"].attrs["better"] = (
        "maximize" if file["metrics/area"].attrs["better"] != "maximize" else "minimize"
    )


def change_meaning(file):
    file["parameters/lora_rank"].attrs["meaning"] = "something else"


def change_choice(file):
    choices = file["choices/llm"][:]
    choices[0] = b"zz"
    file["choices/llm"][:] = choices


def change_rule(file):
    if file["rules/points"].shape[0]:
        file["rules/points"][0] += 1
    else:
        file["front/history/size"][0] += 1


@pytest.mark.parametrize(
    "change",
    [
        reverse_parameter,
        remove_name,
        change_unit,
        change_usual_unit,
        change_sense,
        change_meaning,
        change_choice,
        change_rule,
    ],
)
def test_verify_recomputes_what_the_digest_does_not_cover(pimdse, small_space, explored_once, change):
    explored_once(pimdse, SMALL, "whole.h5")
    (pimdse.folder / "r.h5").write_bytes((pimdse.folder / "whole.h5").read_bytes())
    with without_seal(pimdse.folder / "r.h5") as file:
        change(file)
    done = pimdse("verify", "r.h5")
    assert done.returncode == 8, done.stdout + done.stderr
    if change not in (change_choice, change_rule):
        assert pimdse("diff", "whole.h5", "r.h5").returncode == 8


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "[]",
        "{",
        "null",
        '{"architecture":"cim_mesh","parameters":{},"constraints":[{}]}',
        '{"architecture":"cim_mesh","parameters":{"lora_rank":[]},"constraints":[]}',
        '{"architecture":"cim_mesh","parameters":{"lora_rank":{"permute":[]}},"constraints":[]}',
        "[" * 100000,
    ],
    ids=["no members", "a list", "cut off", "null", "an empty constraint", "no values", "no items", "deep"],
)
def test_verify_refuses_a_space_that_is_none(pimdse, explored_once, text):
    explored_once(pimdse, SMALL, "r.h5", "--budget", 5)
    with without_seal(pimdse.folder / "r.h5") as file:
        file.attrs["canonical_space"] = text
    refused(pimdse("verify", "r.h5"), 7, "r.h5")


@pytest.mark.parametrize("space", one_of(6, sorted((ROOT / "spaces").glob("*.toml"))), ids=lambda path: path.stem)
def test_every_shipped_space_is_verified(pimdse, space):
    pimdse.ok("explore", space, "-o", "r.h5", "--budget", 6, "--strategy", "random", "--fidelity", "analytic")
    holds(pimdse, "r.h5", "--sample", 3)


def test_an_unfinished_shard_is_not_merged_unless_that_is_asked_for(bench):
    """Points that take a time, so that there is something to stop."""
    (bench.folder / "slow.toml").write_text(SPACE.replace("2000 }", '150 }\ncost = "10 ms"'))
    bench.ok("explore", "slow.toml", "-o", "a.h5", "--shard", "0/2")
    stopped = bench("explore", "slow.toml", "-o", "b.h5", "--shard", "1/2", "--threads", 1, "--time-limit", "0.2 s")
    assert stopped.returncode == 75
    refused(bench("merge", "a.h5", "b.h5", "-o", "all.h5"), 8, "b.h5", "--partial")
    assert not (bench.folder / "all.h5").exists()
    bench.ok("merge", "a.h5", "b.h5", "-o", "all.h5", "--partial")
    with h5py.File(bench.folder / "all.h5") as file:
        assert file["provenance"].attrs["state"] == "stopped" and file["provenance/earlier"].shape == (2,)
    bench.ok("explore", "slow.toml", "-o", "b.h5", "--shard", "1/2", "--resume")
    bench.ok("merge", "a.h5", "b.h5", "-o", "all.h5", "--force")
    with h5py.File(bench.folder / "all.h5") as file:
        assert file["provenance"].attrs["state"] == "complete" and file["provenance/earlier"].shape == (3,)
        runs = [json.loads(text) for text in file["provenance/earlier"][:]]
    assert [run["state"] for run in runs] == ["complete", "stopped", "complete"]


def test_a_merge_that_lacks_a_shard_is_not_complete_anywhere_until_the_shard_comes(pimdse):
    """An array job of which one task was lost."""
    explore = ["explore", ROOT / "spaces/quick.toml", "--progress", "none"]
    pimdse.ok(*explore, "-o", "whole.h5")
    for shard in range(3):
        pimdse.ok(*explore, "-o", f"{shard}.h5", "--shard", f"{shard}/3")
    lacking = pimdse("merge", "0.h5", "2.h5", "-o", "two.h5", "--format", "json")
    said = json.loads(lacking.stdout)
    assert lacking.returncode == 75 and "56 of 168 " in lacking.stderr
    assert (said["complete"], said["missing"], said["points"]) == (False, 56, 112)
    with h5py.File(pimdse.folder / "two.h5") as file:
        assert file["provenance"].attrs["state"] == "shards missing"
    watched = pimdse("watch", "two.h5", "--once", "--format", "json")
    view = json.loads(watched.stdout)
    assert watched.returncode == 75
    assert (view["state"], view["answered"], view["planned"]) == ("shards missing", 112, 168)
    for words in (["front", "two.h5"], ["front", "two.h5", "--format", "csv"], ["verify", "two.h5"],
                  ["front", "two.h5", "--per", "channels"], ["explain", "two.h5", 0, "--remembered"]):
        done = pimdse(*words)
        assert done.returncode == 0 and "56 of 168 " in done.stdout + done.stderr, (words, done.stderr)
        whole = pimdse(*["whole.h5" if word == "two.h5" else word for word in words])
        assert "56 of 168 " not in whole.stdout and whole.stderr == "", words
    assert json.loads(pimdse("verify", "two.h5", "--format", "json").stdout)["complete"] is False
    pimdse.ok("merge", "two.h5", "1.h5", "-o", "all.h5")
    assert same_file(pimdse.folder, "whole.h5", "all.h5")
    assert "56" not in pimdse.ok("front", "all.h5").splitlines()[-1]
    pimdse.ok(*explore, "-o", "two.h5", "--resume")
    assert same_file(pimdse.folder, "whole.h5", "two.h5")


def test_shards_of_any_cut_and_search_are_counted(pimdse):
    explore = ["explore", ROOT / "spaces/quick.toml", "--progress", "none"]
    random = ["--strategy", "random", "--budget", 60, "--seed", 3]
    pimdse.ok(*explore, "-o", "half.h5", "--shard", "0/2")
    pimdse.ok(*explore, "-o", "rest.h5", "--shard", "1/4")
    pimdse.ok(*explore, "-o", "last.h5", "--shard", "2/3")
    pimdse.ok(*explore, "-o", "dice0.h5", *random, "--shard", "0/2")
    pimdse.ok(*explore, "-o", "dice1.h5", *random, "--shard", "1/2")
    pimdse.ok("merge", "dice0.h5", "dice1.h5", "-o", "dice.h5")
    alone = pimdse("merge", "dice1.h5", "-o", "alone.h5", "--format", "json")
    assert alone.returncode == 75 and json.loads(alone.stdout)["missing"] == 30
    both = pimdse("merge", "half.h5", "last.h5", "-o", "both.h5", "--format", "json")
    assert both.returncode == 75 and json.loads(both.stdout)["missing"] == 112 - 84
    allowed = pimdse("merge", "half.h5", "rest.h5", "-o", "half2.h5", "--partial", "--format", "json")
    assert allowed.returncode == 0 and json.loads(allowed.stdout)["missing"] == 84
    assert "112 of 168 " in pimdse.ok("front", "last.h5"), "a shard alone is not the space"


def change_first_input(file):
    sums = file["inputs/sha256"][:]
    sums[0] = b"0" * 64
    file["inputs/sha256"][:] = sums
    return file["inputs/file"][0].decode()


def test_files_from_other_inputs_are_named(pimdse, small_space):
    pimdse.ok("explore", small_space, "-o", "a.h5")
    pimdse.ok("explore", small_space, "-o", "b.h5")
    with without_seal(pimdse.folder / "b.h5") as file:
        name = change_first_input(file)
    merged = pimdse("merge", "a.h5", "b.h5", "-o", "all.h5")
    refused(merged, 8, name)
    refused(pimdse("diff", "a.h5", "b.h5"), 0, name)  # a note
    compared = pimdse.json("diff", "a.h5", "b.h5")
    assert compared["equal"] and compared["changed_input"] == name
    assert name in pimdse("verify", "b.h5").stderr and holds(pimdse, "b.h5")["changed_input"] == name


def test_verify_knows_what_was_set_on_the_command_line(pimdse, small_space):
    pimdse.ok("explore", small_space, "-o", "r.h5", "--set", "lora_rank=[4, 16]")
    assert holds(pimdse, "r.h5")["points_in_space"] == 224
