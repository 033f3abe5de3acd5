"""The same space gives the same file on any number of ranks and threads, with real mpirun."""
import json

import h5py
import pytest

from conftest import CAMPAIGN, ROOT, in_campaign, same_file


def explore(pimdse, space, name, *words, **options):
    return json.loads(
        pimdse.ok("explore", space, "-o", name, "--format", "json", "--progress", "none", *words, **options)
    )


def test_file_does_not_depend_on_ranks_or_threads(pimdse, small_space):
    one = explore(pimdse, small_space, "one.h5", "--threads", 1)
    assert one["points"] == 2 * 3 * 2 * 4 * 7
    for name, words, ranks in [
        ("two_threads.h5", ("--threads", 2), None),
        ("one_rank.h5", (), 1),
        ("two_ranks.h5", ("--threads", 1), 2),
        ("four_ranks.h5", ("--threads", 1), 4),
        ("four_by_two.h5", ("--threads", 2), 4),
    ]:
        summary = explore(pimdse, small_space, name, *words, ranks=ranks)
        assert summary["digest"] == one["digest"], name
        assert same_file(pimdse.folder, "one.h5", name), name


@pytest.mark.parametrize(
    "strategy,budget,more",
    [
        ("random", 50, ()),
        in_campaign("random", 200, ("--stop-after-no-gain", 20)),
        ("sobol", 50, ()),
        in_campaign("nsga2", 200, ()),
        ("nsga2", 300, ("--stop-after-no-gain", 40)),
        ("pls", 200, ()),
    ],
)
def test_what_a_strategy_asks_for_does_not_depend_on_ranks(pimdse, small_space, strategy, budget, more):
    words = ("--strategy", strategy, "--budget", budget, *more, "--seed", 3)
    explore(pimdse, small_space, "one.h5", *words)
    for name, ranks in [("two.h5", 2), ("four.h5", 4)][0 if CAMPAIGN else 1:]:
        explore(pimdse, small_space, name, *words, ranks=ranks)
        assert same_file(pimdse.folder, "one.h5", name)
    explore(pimdse, small_space, "other.h5", *words[:-1], 4)
    assert not same_file(pimdse.folder, "one.h5", "other.h5")


# An accelerator, memory that computes, and several machines; the campaign has the other spaces, too.
KINDS = ("quick.toml", "upmem_streams.toml", "which_machine.toml")
SPACES = sorted(path.name for path in (ROOT / "spaces").glob("*.toml"))


@pytest.mark.parametrize("space", [space if space in KINDS else in_campaign(space) for space in SPACES])
def test_every_shipped_space_is_the_same_on_two_ranks(pimdse, space):
    words = ("--strategy", "random", "--budget", 12, "--fidelity", "analytic", "--progress", "none")
    for name, ranks in [("alone.h5", None), ("two.h5", 2)]:
        done = pimdse("explore", ROOT / "spaces" / space, "-o", name, *words, ranks=ranks)
        assert done.returncode == 0, done.stderr
    assert same_file(pimdse.folder, "alone.h5", "two.h5")


def test_more_ranks_than_points_is_legal(pimdse, small_space):
    summary = explore(pimdse, small_space, "few.h5", "--budget", 2, ranks=4)
    assert summary["points"] == 2 and summary["ranks"] == 4


def test_a_file_begun_alone_is_finished_by_ranks(pimdse, small_space):
    whole = explore(pimdse, small_space, "whole.h5")
    explore(pimdse, small_space, "part.h5", "--budget", 31)
    rest = explore(pimdse, small_space, "part.h5", "--resume", ranks=3)
    assert rest["remembered"] == 31 and rest["evaluated"] == whole["points"] - 31
    assert rest["digest"] == whole["digest"]
    assert same_file(pimdse.folder, "whole.h5", "part.h5")


def test_provenance_tells_ranks_and_hosts(pimdse, small_space):
    explore(pimdse, small_space, "two.h5", ranks=2)
    with h5py.File(pimdse.folder / "two.h5") as file:
        assert file["provenance"].attrs["ranks"] == 2


def test_only_one_rank_speaks(pimdse, small_space):
    out = pimdse.ok("explore", small_space, "-o", "two.h5", "--progress", "none", ranks=2)
    assert out.count("next: pimdse explain ") == 1
    assert pimdse.ok("list", "architectures", "--format", "csv", ranks=2).count("umdam") == 1


def test_a_mistake_is_said_once_and_ends_every_rank(pimdse):
    done = pimdse("explore", "nowhere.toml", "-o", "x.h5", ranks=3)
    assert done.returncode == 4
    assert sum(line.startswith("pimdse: ") and "nowhere.toml" in line for line in done.stderr.splitlines()) == 1
    assert not list(pimdse.folder.iterdir())
