"""Fronts under uncertain constants: against separate sweeps with the constants of each draw."""
import signal

import h5py
import numpy as np
import pytest

from conftest import CAMPAIGN, ROOT, in_campaign, thinned, wait_for_answers
from joint_space import HEAD, MACHINES, REQUESTS

SMALL = """schema = 1
architecture = "dplena"
objectives = ["latency", "area", "energy"]
[parameters]
vlen     = [64, 256, 1024]
channels = [8, 32]
prefetch = [1, 4]
[uncertain]
samples = 5
"dplena.sram_leakage"            = { times = 4 }
"dplena.sram_area_per_bit"       = { low = "0.02 um2/bit", high = "0.1 um2/bit" }
"dplena.matrix_tiles"            = { choices = [2, 4, 8] }
"dplena.waiting_share"           = { normal = [0.1, 0.02] }
"""
JOINT = HEAD + MACHINES + REQUESTS + """
[uncertain]
"technology.*" = "stated"
"umdam.phy_area" = { times = 2 }
"""


def group(path):
    """All data of /uncertain as plain values."""
    found = {}

    def visit(name, item):
        for key, value in item.attrs.items():
            found[name, key] = np.asarray(value).tolist()
        if isinstance(item, h5py.Dataset):
            found[name] = item[()].tolist()

    with h5py.File(path) as file:
        visit("", file["uncertain"])
        file["uncertain"].visititems(visit)
    return str(found)


def constants_of(file):
    constants = file["uncertain/constants"]
    return [name.decode() for name in constants["name"][()]], [unit.decode() for unit in constants["unit"][()]]


IN_SI = {"um2": 1e-12, "um2/bit": 1e-12 * 8, "mW/MB": 1e-9, "1": 1.0, "": 1.0}


def own_constants(folder, name, values):
    """A file with constants of the user's own, values in SI."""
    rows = [f'[{key}]\nvalue = {value / IN_SI[unit]!r}\nunit = "{unit}"\nsource = "a draw"\n'
            for key, unit, value in values]
    (folder / name).write_text("\n".join(rows))


def test_front_shares_are_those_of_sweeps_with_the_constants_of_each_draw(pimdse):
    (pimdse.folder / "small.toml").write_text(SMALL)
    pimdse.ok("explore", "small.toml", "-o", "sure.h5", "--progress", "none")
    with h5py.File(pimdse.folder / "sure.h5") as file:
        names, units = constants_of(file)
        draws = [[column[()][n] for column in (file["uncertain/draws"][f"{c:04}"] for c in range(len(names)))]
                 for n in range(5)]
        designs = file["uncertain/designs"]
        found = dict(zip(designs["point"][()].tolist(), designs["draws_on_front"][()].tolist()))
        sizes = file["uncertain/draws/front_size"][()].tolist()
    assert len({tuple(draw) for draw in draws}) == 5
    counted, expected_sizes = {}, []
    text = SMALL[:SMALL.index("[uncertain]")].replace("schema = 1\n", 'schema = 1\nconstants = "own.toml"\n')
    (pimdse.folder / "plain.toml").write_text(text)
    for draw in draws:
        own_constants(pimdse.folder, "own.toml",
                      [(name.split(".")[1], unit, value) for name, unit, value in zip(names, units, draw)])
        pimdse.ok("explore", "plain.toml", "-o", "plain.h5", "--force", "--progress", "none")
        with h5py.File(pimdse.folder / "plain.h5") as file:
            front = file["front/ids"][()].tolist()
        expected_sizes.append(len(front))
        for point in front:
            counted[point] = counted.get(point, 0) + 1
    assert sizes == expected_sizes
    assert {point: count for point, count in found.items() if count} == counted


def test_draws_stay_in_their_ranges_and_follow_their_seed(pimdse):
    (pimdse.folder / "small.toml").write_text(SMALL)
    values = {}
    for seed in (1, 2, 1):
        pimdse.ok("explore", "small.toml", "-o", "s.h5", "--force", "--progress", "none", "--uncertain", "40",
                  "--uncertain-seed", seed)
        with h5py.File(pimdse.folder / "s.h5") as file:
            names, _ = constants_of(file)
            draws = {name: file["uncertain/draws"][f"{c:04}"][()] for c, name in enumerate(names)}
            lower, upper = (file["uncertain/constants"][end][()] for end in ("lower", "upper"))
        for name, low, high in zip(names, lower, upper):
            assert len(draws[name]) == 40 and draws[name].min() >= low and draws[name].max() <= high
        assert set(draws["dplena.matrix_tiles"]) == {2.0, 4.0, 8.0}
        assert values.setdefault(seed, str(draws)) == str(draws)
    assert values[1] != values[2]


@pytest.mark.parametrize("value", ["661 um2", "900 um2"])
def test_one_choice_is_the_value_in_every_draw(pimdse, value):
    """The machine has 661 um2. With another value, draws are the exploration with a file that has it."""
    text = SMALL[:SMALL.index("[uncertain]")]
    (pimdse.folder / "one.toml").write_text(
        text + f'[uncertain]\nsamples = 3\n"dplena.issue_slot_area" = {{ choices = ["{value}"] }}\n')
    (pimdse.folder / "plain.toml").write_text(text.replace("schema = 1\n", 'schema = 1\nconstants = "own.toml"\n'))
    own_constants(pimdse.folder, "own.toml", [("issue_slot_area", "um2", float(value.split()[0]) * 1e-12)])
    pimdse.ok("explore", "one.toml", "-o", "one.h5", "--progress", "none")
    pimdse.ok("explore", "plain.toml", "-o", "plain.h5", "--progress", "none")
    with h5py.File(pimdse.folder / "one.h5") as one, h5py.File(pimdse.folder / "plain.h5") as plain:
        assert constants_of(one)[0] == ["dplena.issue_slot_area"]
        assert set(one["uncertain/draws/0000"][()]) == {float(value.split()[0]) * 1e-12}
        front = plain["front/ids"][()].tolist()
        designs = one["uncertain/designs"]
        shares = dict(zip(designs["point"][()].tolist(), designs["front_share"][()].tolist()))
        assert sorted(point for point, share in shares.items() if share == 1.0) == front
        assert set(shares.values()) <= {0.0, 1.0}
        rows = [plain["point_id"][()].tolist().index(point) for point in front]
        areas = dict(zip(designs["point"][()].tolist(), designs["area_q50"][()].tolist()))
        assert [areas[point] for point in front] == plain["metrics/area"][()][rows].tolist()


def test_one_choice_takes_a_constant_out_of_a_pattern(pimdse):
    sets = {}
    for name, line in {"all": "", "but": '"dplena.issue_slot_area" = { choices = ["661 um2"] }\n'}.items():
        (pimdse.folder / "s.toml").write_text(
            SMALL[:SMALL.index("[uncertain]")] + '[uncertain]\n"dplena.*_slot_area" = { times = 2 }\n' + line)
        pimdse.ok("explore", "s.toml", "-o", f"{name}.h5", "--progress", "none", "--uncertain", "4")
        with h5py.File(pimdse.folder / f"{name}.h5") as file:
            sets[name] = [len(set(file["uncertain/draws"][f"{c:04}"][()])) for c, _ in enumerate(constants_of(file)[0])]
    assert sorted(sets["all"]) == [4] * len(sets["all"]) and sorted(sets["but"]) == [1] + [4] * (len(sets["all"]) - 1)


def test_correlated_constants_move_together(pimdse):
    text = SMALL.replace("samples = 5", 'samples = 200\ncorrelated = [["dplena.sram_*", 0.9]]')
    (pimdse.folder / "small.toml").write_text(text)
    pimdse.ok("explore", "small.toml", "-o", "s.h5", "--progress", "none")
    with h5py.File(pimdse.folder / "s.h5") as file:
        names, _ = constants_of(file)
        columns = {name: file["uncertain/draws"][f"{c:04}"][()] for c, name in enumerate(names)}
    together = np.corrcoef(np.log(columns["dplena.sram_leakage"]), columns["dplena.sram_area_per_bit"])[0, 1]
    apart = np.corrcoef(columns["dplena.waiting_share"], columns["dplena.sram_area_per_bit"])[0, 1]
    assert together > 0.8 and abs(apart) < 0.2


@pytest.mark.parametrize("ranks", [None, in_campaign(2), 4])
def test_any_number_of_ranks_gives_the_same_bits(pimdse, ranks):
    (pimdse.folder / "small.toml").write_text(SMALL)
    pimdse.ok("explore", "small.toml", "-o", "one.h5", "--progress", "none", "--threads", "1")
    pimdse.ok("explore", "small.toml", "-o", "some.h5", "--progress", "none", "--threads", "2", ranks=ranks)
    assert group(pimdse.folder / "one.h5") == group(pimdse.folder / "some.h5")
    assert not list(pimdse.folder.glob("*.journal"))


def test_a_run_killed_while_it_draws_continues(pimdse):
    space = ROOT / "spaces" / "quick.toml"
    words = ("explore", space, "--uncertain", "100" if CAMPAIGN else "12", "--threads", "1", "--progress", "none")
    pimdse.ok(*words, "-o", "whole.h5")
    process = pimdse.start(*words, "-o", "killed.h5")
    journal = pimdse.folder / "killed.h5.draws.journal"
    wait_for_answers(process, journal, 100 if CAMPAIGN else 12)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL and not (pimdse.folder / "killed.h5").exists()
    assert journal.exists()
    pimdse.ok(*words, "-o", "killed.h5", "--resume")
    assert group(pimdse.folder / "whole.h5") == group(pimdse.folder / "killed.h5")
    assert not list(pimdse.folder.glob("*.journal"))


def test_the_smallest_change_takes_the_point_off_the_front(pimdse):
    text = SMALL[:SMALL.index("[uncertain]")] + 'loop_hardware = ["off", "on"]\nbatch = 16\n'
    text = text.replace("[64, 256, 1024]", "[64, 128, 256, 512, 1024]").replace("[1, 4]", "[1, 2, 4, 8]")
    (pimdse.folder / "small.toml").write_text(text + """[uncertain]
"dplena.issue_slot_area" = { times = 2 }
"dplena.fetch_slot_area" = { times = 2 }
""")
    pimdse.ok("explore", "small.toml", "-o", "sure.h5", "--progress", "none", "--uncertain", "20")
    (pimdse.folder / "plain.toml").write_text(text.replace("schema = 1\n", 'schema = 1\nconstants = "own.toml"\n'))
    seen = 0
    with h5py.File(pimdse.folder / "sure.h5") as file:
        front = file["front/ids"][()].tolist()
        units = dict(zip(*constants_of(file)))
    for point in thinned(3, front):
        told = pimdse.json("explain", "sure.h5", point)["uncertain"]
        assert [one["constant"] for one in told["tornado"]]
        leaves = told["leaves_front"]
        if leaves is None:
            continue
        name, value, nominal = leaves["constant"], leaves["value"], leaves["nominal"]
        on = []
        for share in (1.0, 0.9):  # there, and a tenth of the way back
            own_constants(pimdse.folder, "own.toml",
                          [(name.split(".")[1], units[name], nominal + share * (value - nominal))])
            pimdse.ok("explore", "plain.toml", "-o", "plain.h5", "--force", "--progress", "none")
            with h5py.File(pimdse.folder / "plain.h5") as file:
                on.append(point in file["front/ids"][()])
        assert on == [False, True], leaves
        seen += 1
    assert seen > 0


def test_the_report_of_a_file_says_the_same_as_the_file(pimdse):
    (pimdse.folder / "joint.toml").write_text(JOINT)
    pimdse.ok("explore", "joint.toml", "-o", "j.h5", "--progress", "none", "--uncertain", "24")
    told = pimdse.json("robust", "j.h5")
    with h5py.File(pimdse.folder / "j.h5") as file:
        uncertain = file["uncertain"]
        assert told["draws"] == 24 == len(uncertain["draws/front_size"])
        assert [int(one["point"]) for one in told["designs"]] == uncertain["designs/point"][()].tolist()
        assert [one["front_share"] for one in told["designs"]] == uncertain["designs/front_share"][()].tolist()
        wins = sum(uncertain["machines/best_latency"][()])
        feasible = set(np.flatnonzero(file["status"][()] == 0).tolist())
        possible = set(uncertain["possible"][()].tolist())
        front = set(file["front/ids"][()].tolist())
    assert wins == 24
    assert front <= possible and {int(one["point"]) for one in told["designs"] if one["front_share"]} <= possible
    assert len(feasible) >= len(front)
    text = pimdse.ok("robust", "j.h5")
    assert "share of the draws" in text and "umdam" in text and "mesh" in text


def test_flips_finds_values_at_which_another_machine_wins(pimdse):
    (pimdse.folder / "joint.toml").write_text(JOINT)
    told = pimdse.json("flips", "joint.toml", "--uncertain", "8", "--full")
    assert told["draws"] == 8
    for winner in told["winners"]:
        assert sum(winner["draws_won"].values()) == pytest.approx(1.0)
    plain = [flip for flip in told["flips"] if flip["assumption"].startswith("technology.")]
    assert plain
    for flip in thinned(4, plain):
        at = flip["break_even"]
        words = ("--assume", f"{flip['assumption']}={at['value']:.12g} {at['unit']}")
        again = pimdse.json("flips", "joint.toml", *words, "--candidates", "1000")
        now = {(one["scenario"], one["metric"], one["under"]): one["machine"] for one in again["winners"]}
        assert now[flip["scenario"], flip["metric"], flip["under"]] == flip["after"]


def test_a_file_without_draws_says_so(pimdse):
    pimdse.ok("explore", ROOT / "spaces" / "quick.toml", "-o", "q.h5", "--progress", "none")
    done = pimdse("robust", "q.h5")
    assert done.returncode == 3 and "--uncertain" in done.stderr
    assert "uncertain" not in pimdse.json("explain", "q.h5", 0)
