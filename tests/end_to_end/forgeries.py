"""Forged certificates: an honest result file, changed as somebody would who wants another front to look exact.

A change is made to the rows and the certificate; `pimdse merge` of the single file then seals it again, so that digest,
front, history, counts and seal are those of an honest file. `after` changes the sealed file once more."""
import shutil
from dataclasses import dataclass
from typing import Callable, Optional

import h5py
import numpy as np

SEAL = 512
ANALYTIC, CYCLE = 0, 2
FRONT = """schema = 1
architecture = "dplena"
objectives = ["latency", "area", "energy"]
[parameters]
vlen = [64, 256, 1024]
prefetch = [1, 4, 16]
channels = [8, 32]
steps = 1
[search]
strategy = "ladder"
"""
TWINS = """schema = 1
architecture = "upmem"
objectives = ["latency", "energy"]
[parameters]
kernel = "va"
elements = [65536, 262144]
streams = [1, 4]
tasklets = [1, 4, 8]
lock = ["exclusive", "rank_level"]
dpus = [64, 512]
[search]
strategy = "ladder"
"""
BOXES = """schema = 1
architecture = "cim_mesh"
objectives = ["latency", "area"]
[parameters]
llm = "llama-3.2-1b"
input = 128
output = 64
frequency = { from = "0.25 GHz", to = "2 GHz", step = "0.25 GHz" }
dmacs = { from = 1, to = 128, times = 2 }
fifo_bytes = [32, 64, 128, 256, 512]
scratchpad = [16384, 32768, 65536, 131072]
context_tile = { from = 1, to = 128, times = 2 }
smac_cycles = [0, 1, 2, 4, 8, 16, 32]
lora_rank = [4, 8, 16]
[search]
strategy = "ladder"
"""
NEVER = """[[constraint]]
name = "never"
expr = "latency <= 1 ps"
"""
SPACES = {
    "front": FRONT,
    "twins": TWINS,
    "boxes": BOXES,
    "epsilon": FRONT + "epsilon = 0.2\n",
    "stopped": FRONT + "budget = 2\n",
    "audited": FRONT + "audit = 2\n",
    "audited_boxes": BOXES + "audit = 10\n",
    "none": FRONT.replace("[search]", NEVER + "[search]"),
    "none_in_boxes": BOXES.replace("[search]", NEVER + "[search]"),
}


class Forged:
    """An open file without a seal, and how to change it."""

    def __init__(self, file):
        self.file, self.certificate = file, file["certificate"]
        self.objectives = [str(name) for name in self.certificate.attrs["objectives"]]

    def put(self, path, data):
        """In place of a data set of any length; what is said of it stays."""
        said = dict(self.file[path].attrs) if path in self.file else {}
        if path in self.file:
            del self.file[path]
        self.file[path] = data
        for name, value in said.items():
            if name not in ("DIMENSION_LIST", "REFERENCE_LIST", "CLASS", "NAME"):
                self.file[path].attrs[name] = value

    def columns(self):
        columns = ["point_id", "fidelity", "status", "timing/seconds", "timing/rank"]
        for group in ("metrics", "bounds", "parameters"):
            columns += [f"{group}/{name}" for name in self.file[group]]
        return columns

    def take_rows(self, rows):
        for name in self.columns():
            self.put(name, self.file[name][()][rows])
        self.file.attrs["evaluated"] = np.uint64(len(rows))

    def drop(self, point, fidelity):
        row = self.row(point, fidelity)
        self.take_rows(np.delete(np.arange(len(self.file["point_id"])), row))

    def append_copy(self, point, fidelity, new_fidelity):
        """One more row with what another says, sorted in."""
        ids = self.file["point_id"][()]
        row = self.row(point, fidelity)
        self.take_rows(np.insert(np.arange(len(ids)), row + 1, row))
        self.set("fidelity", row + 1, new_fidelity)
        return row + 1

    def row(self, point, fidelity):
        return int(np.flatnonzero((self.file["point_id"][()] == point) & (self.file["fidelity"][()] == fidelity))[0])

    def set(self, path, row, value):
        data = self.file[path][()]
        data[row] = value
        self.put(path, data)

    def scale(self, row, factor, ends=("low", "value", "high")):
        for name in self.objectives:
            paths = {"value": f"metrics/{name}", "low": f"bounds/{name}_low", "high": f"bounds/{name}_high"}
            old = {end: self.file[path][row] for end, path in paths.items()}  # some are one data set
            for end in ends:
                self.set(paths[end], row, old[end] * factor)

    def exact(self, row):
        for name in self.objectives:
            for path in (f"bounds/{name}_low", f"bounds/{name}_high"):
                self.set(path, row, self.file[f"metrics/{name}"][row])
            self.set(f"bounds/{name}_kind", row, 2)

    def closed(self):
        group = self.certificate["closed"]
        lists = {"point": group["point"][()], "witness": group["witness"][()]}
        return lists | {f"best/{name}": group[f"best/{name}"][()] for name in self.objectives}

    def put_closed(self, lists, rows=None):
        for name, values in lists.items():
            self.put(f"certificate/closed/{name}", values if rows is None else values[rows])

    def leave_out_closed(self, points):
        lists = self.closed()
        self.put_closed(lists, ~np.isin(lists["point"], points))

    def close(self, point, witness):
        """By the bounds of its row as it is now."""
        lists, row = self.closed(), self.row(point, ANALYTIC)
        at = int(np.searchsorted(lists["point"], point))
        new = {"point": point, "witness": witness}
        for name in self.objectives:
            low = float(self.file[f"bounds/{name}_low"][row])
            new[f"best/{name}"] = low - 1e-9 * abs(low)
        self.put_closed({name: np.insert(values, at, new[name]) for name, values in lists.items()})

    def add(self, path, point):
        self.put(path, np.append(self.file[path][()], np.uint64(point)))

    def say(self, name, value):
        self.certificate.attrs[name] = value

    def count(self, name, more):
        self.say(name, np.uint64(int(self.certificate.attrs[name]) + more))

    @property
    def front(self):
        return [int(point) for point in self.file["front/ids"][()]]

    def fail(self, point, fidelity):
        """Its row says that it is infeasible."""
        row = self.row(point, fidelity)
        self.set("status", row, 1)
        for name in self.file["metrics"]:
            for path in (f"metrics/{name}", f"bounds/{name}_low", f"bounds/{name}_high"):
                self.set(path, row, np.nan)
        self.put_failures(np.array([point], dtype=np.uint64), fidelity)

    def put_failures(self, points, fidelity):
        """Instead of all others."""
        texts = {"class": b"infeasible", "rule": b"fits", "reason": b"it does not fit", "replay": b"-"}
        for name in self.file["failures"]:
            value = texts.get(name, np.float64(np.inf))
            self.put(f"failures/{name}", np.array([value] * len(points)))
        self.put("failures/point", points)
        self.put("failures/fidelity", np.full(len(points), fidelity, dtype=np.uint8))


def state_exact(forged):
    forged.say("statement", "front exact (proved lows)")


def open_points_stated_exact(forged):
    points = forged.closed()["point"][:3]
    forged.leave_out_closed(points)
    forged.put("certificate/open", points)


def member_closed_by_raised_bounds(forged):
    member, witness = forged.front[0], forged.front[-1]
    forged.drop(member, CYCLE)
    forged.scale(forged.row(member, ANALYTIC), 1e4)
    replace_witness(forged, member)
    forged.close(member, witness)
    forged.count("runs", -1)


def member_made_worse(forged):
    forged.scale(forged.row(forged.front[0], CYCLE), 1e4)


def member_made_worse_with_its_bounds(forged):
    member_made_worse(forged)
    forged.scale(forged.row(forged.front[0], ANALYTIC), 1e4, ("value", "high"))
    replace_witness(forged, forged.front[0])


def member_infeasible_at_cycle_level(forged):
    forged.fail(forged.front[0], CYCLE)
    replace_witness(forged, forged.front[0])


def replace_witness(forged, member):
    """What the member closed is closed by another one, or by raised bounds."""
    lists = forged.closed()
    forged.leave_out_closed(lists["point"][lists["witness"] == member])
    for point in lists["point"][lists["witness"] == member]:
        forged.scale(forged.row(point, ANALYTIC), 1e4)
        forged.close(point, forged.front[-1])


def member_infeasible_at_analytic_level(forged):
    member = forged.front[0]
    forged.drop(member, CYCLE)
    forged.fail(member, ANALYTIC)
    replace_witness(forged, member)
    forged.count("infeasible", 1)
    forged.count("runs", -1)


def false_member(forged):
    """A closed point gets a cycle-level row that is better than any other, and bounds to go with it."""
    point = int(forged.closed()["point"][0])
    forged.leave_out_closed([point])
    forged.scale(forged.row(point, ANALYTIC), 1e-3, ("low", "value"))
    row = forged.append_copy(point, ANALYTIC, CYCLE)
    forged.exact(row)
    cover_all_by(forged, point)
    forged.count("runs", 1)


def cover_all_by(forged, member):
    lists = forged.closed()
    lists["witness"] = np.full_like(lists["witness"], member)
    forged.put_closed(lists)


def analytic_row_relabelled(forged):
    point = int(forged.closed()["point"][0])
    forged.leave_out_closed([point])
    forged.set("fidelity", forged.row(point, ANALYTIC), CYCLE)


def analytic_row_copied_to_cycle_level(forged):
    """Its middle value instead of a simulation, said to be exact."""
    member = forged.front[0]
    forged.drop(member, CYCLE)
    forged.exact(forged.append_copy(member, ANALYTIC, CYCLE))
    replace_witness(forged, member)


def bounds_raised_in_row_and_certificate(forged):
    lists = forged.closed()
    point, witness = int(lists["point"][0]), int(lists["witness"][0])
    forged.leave_out_closed([point])
    forged.scale(forged.row(point, ANALYTIC), 1.5)
    forged.close(point, witness)


def bounds_raised_in_certificate(forged):
    lists = forged.closed()
    lists[f"best/{forged.objectives[0]}"][0] *= 1.5
    forged.put_closed(lists)


def witness_that_does_not_cover(forged):
    lists = forged.closed()
    lists["witness"][0] = lists["point"][0]
    forged.put_closed(lists)


def point_closed_twice(forged):
    lists = forged.closed()
    forged.put_closed(lists, np.insert(np.arange(len(lists["witness"])), 0, 0))


def other_twin(forged):
    """Any closed point, as it is, becomes a twin of the first representative."""
    point = int(forged.closed()["point"][-1])
    forged.leave_out_closed([point])
    forged.add("certificate/twins/point", point)
    forged.add("certificate/twins/representative", forged.certificate["twins/representative"][0])


def other_twin_with_the_bounds_of_its_representative(forged):
    point = int(forged.closed()["point"][-1])
    other = int(forged.certificate["twins/representative"][0])
    other_twin(forged)
    here, there = forged.row(point, ANALYTIC), forged.row(other, ANALYTIC)
    for group in ("metrics", "bounds"):
        for name in forged.file[group]:
            forged.set(f"{group}/{name}", here, forged.file[f"{group}/{name}"][there])


def space_halved(forged):
    half = np.uint64(forged.file.attrs["points_in_space"] // 2)
    forged.take_rows(np.flatnonzero(forged.file["point_id"][()] < half))
    lists = forged.closed()
    forged.put_closed(lists, lists["point"] < half)
    twins = forged.certificate["twins/point"][()] < half
    for name in ("point", "representative"):
        path = f"certificate/twins/{name}"
        forged.put(path, forged.file[path][()][twins])
    coarse = (forged.file["fidelity"][()] == ANALYTIC) & (forged.file["status"][()] == 1)
    forged.certificate.attrs["infeasible"] = np.uint64(coarse.sum())
    forged.certificate.attrs["points"] = forged.file.attrs["points_in_space"] = half
    failed = forged.file["failures/point"][()] < half
    for name in forged.file["failures"]:
        forged.put(f"failures/{name}", forged.file[f"failures/{name}"][()][failed])


def space_halved_for_good(forged):
    """Once more after sealing, which takes the number of points from the text of the space."""
    half = forged.certificate.attrs["points"]
    forged.file.attrs["points_in_space"] = half


def space_of_other_values(forged):
    """The rows are said to be of 128 channels instead of 32, in text and parameters."""
    for name in ("space", "canonical_space"):
        forged.file.attrs[name] = str(forged.file.attrs[name]).replace("[8, 32]", "[8, 64]").replace("[8,32]", "[8,64]")
    channels = forged.file["parameters/channels"][()]
    forged.put("parameters/channels", np.where(channels == 32, 64, channels))


def every_design_called_infeasible(forged):
    """Rows, failures and certificate of a space without a feasible design."""
    forged.take_rows(np.flatnonzero(forged.file["fidelity"][()] == ANALYTIC))
    points = forged.file["point_id"][()]
    forged.put("status", np.ones(len(points), dtype=np.uint8))
    for name in forged.file["metrics"]:
        for path in (f"metrics/{name}", f"bounds/{name}_low", f"bounds/{name}_high"):
            forged.put(path, np.full(len(points), np.nan))
    forged.put_failures(points, ANALYTIC)
    forged.put_closed(forged.closed(), [])
    forged.certificate.attrs["infeasible"] = np.uint64(len(points))
    forged.certificate.attrs["runs"] = np.uint64(0)


def infeasible_design_left_out(forged):
    forged.drop(0, ANALYTIC)
    for name in forged.file["failures"]:
        forged.put(f"failures/{name}", forged.file[f"failures/{name}"][()][1:])
    forged.count("infeasible", -1)


def infeasible_box_left_out(forged):
    width = forged.certificate["grids/sizes"].shape[0]
    for name, rows in (("point", 1), ("extents", width)):
        forged.put(f"certificate/refused/{name}", forged.certificate[f"refused/{name}"][()][rows:])


def digest_changed(forged):
    text = str(forged.file.attrs["digest"])
    forged.file.attrs["digest"] = text[::-1]


def box_longer(forged):
    extents = forged.certificate["closed/extents"][()]
    extents[int(np.argmax(extents > 1))] -= 1
    forged.put("certificate/closed/extents", extents)


def box_called_infeasible(forged):
    lists, width = forged.closed(), forged.certificate["grids/sizes"].shape[0]
    extents = forged.certificate["closed/extents"][()]
    forged.put("certificate/refused/point", lists["point"][-1:])
    forged.put("certificate/refused/extents", extents[-width:])
    forged.put("certificate/closed/extents", extents[:-width])
    forged.put_closed(lists, np.arange(len(lists["point"]) - 1))


@dataclass(frozen=True)
class Forgery:
    what: str
    space: str
    change: Optional[Callable] = None
    after: Optional[Callable] = None
    quick: bool = False  # also tried outside the campaign


FORGERIES = [
    Forgery("three points open, stated as exact", "front", open_points_stated_exact, state_exact, quick=True),
    Forgery("a stopped search stated as exact", "stopped", None, state_exact),
    Forgery("open points left out", "stopped", lambda f: f.put("certificate/open", np.array([], dtype=np.uint64))),
    Forgery("a member pruned by raised bounds", "front", member_closed_by_raised_bounds, quick=True),
    Forgery("a member with a worse result", "front", member_made_worse),
    Forgery("the same, with its bounds", "front", member_made_worse_with_its_bounds),
    Forgery("a member infeasible at cycle level", "front", member_infeasible_at_cycle_level),
    Forgery("a member infeasible at analytic level", "front", member_infeasible_at_analytic_level),
    Forgery("a false member, with bounds", "front", false_member),
    Forgery("an analytic row relabelled as cycle level", "front", analytic_row_relabelled),
    Forgery("an analytic value as a cycle-level row", "front", analytic_row_copied_to_cycle_level),
    Forgery("bounds raised in row and certificate", "front", bounds_raised_in_row_and_certificate),
    Forgery("bounds raised in the certificate", "front", bounds_raised_in_certificate),
    Forgery("a witness that does not dominate", "front", witness_that_does_not_cover, quick=True),
    Forgery("an analytic row removed", "front", lambda f: f.drop(int(f.closed()["point"][0]), ANALYTIC)),
    Forgery("a point pruned twice", "front", point_closed_twice),
    Forgery("two keys merged", "twins", other_twin),
    Forgery("two keys merged, with equal bounds", "twins", other_twin_with_the_bounds_of_its_representative),
    Forgery("a representative without a result", "twins",
            lambda f: f.put("certificate/twins/representative", f.certificate["twins/point"][()])),
    Forgery("a space of half its points", "twins", space_halved, space_halved_for_good),
    Forgery("a space of other values", "front", space_of_other_values),
    Forgery("epsilon lowered to zero", "epsilon", lambda f: f.say("epsilon", np.array([0.0]))),
    Forgery("epsilon raised, the statement as before", "front", None, lambda f: f.say("epsilon", np.array([0.5]))),
    Forgery("kinds of bounds weakened", "front", lambda f: f.say("kinds", ["calibrated"] * len(f.objectives))),
    Forgery("one more infeasible point counted", "twins", lambda f: f.count("infeasible", 1)),
    Forgery("twice as many simulations counted", "front",
            lambda f: f.say("runs", np.uint64(2 * f.certificate.attrs["runs"]))),
    Forgery("a large audit that did not happen", "front", lambda f: f.say("audited", np.uint64(10000))),
    Forgery("an audit of one point that did not happen", "front", lambda f: f.count("audited", 1), quick=True),
    Forgery("an audit of one point more", "audited", lambda f: f.count("audited", 1), quick=True),
    Forgery("an audit of one point less", "audited", lambda f: f.count("audited", -1), quick=True),
    Forgery("an audited point called wrong", "audited", lambda f: f.count("audited_wrong", 1)),
    Forgery("an audit of boxes of one point more", "audited_boxes", lambda f: f.count("audited", 1)),
    Forgery("an audit of boxes of one point less", "audited_boxes", lambda f: f.count("audited", -1)),
    Forgery("a result below a bound that nobody widened", "front", lambda f: f.count("below", 1)),
    Forgery("every design called infeasible", "front", every_design_called_infeasible, quick=True),
    Forgery("an infeasible design left out", "none", infeasible_design_left_out, quick=True),
    Forgery("a box of infeasible designs left out", "none_in_boxes", infeasible_box_left_out),
    Forgery("another digest", "front", None, digest_changed),
    Forgery("a member left out of the front", "front", None,
            lambda f: f.put("front/ids", f.file["front/ids"][()][1:]), quick=True),
    Forgery("a box that is shorter", "boxes", box_longer),
    Forgery("a box with raised bounds", "boxes", bounds_raised_in_certificate),
    Forgery("a box called infeasible", "boxes", box_called_infeasible),
    Forgery("a member of boxes with a worse result", "boxes", member_made_worse),
]


def change(path, how):
    """Takes the seal off and changes what is behind it."""
    whole = path.read_bytes()
    path.write_bytes(whole[SEAL:])
    with h5py.File(path, "r+") as file:
        how(Forged(file))


def explored(runner, name):
    """The honest file; a stopped search ends with 75."""
    (runner.folder / f"{name}.toml").write_text(SPACES[name])
    runner("explore", f"{name}.toml", "-o", f"{name}.h5", "--progress", "none")
    return f"{name}.h5"


def forge(runner, forgery):
    """The name of the forged file, beside the honest one."""
    forged, sealed = runner.folder / "unsealed.h5", runner.folder / "forged.h5"
    shutil.copyfile(runner.folder / f"{forgery.space}.h5", forged)
    if forgery.change:
        change(forged, forgery.change)
        runner.ok("merge", "unsealed.h5", "-o", "forged.h5", "--force", "--partial")
    else:
        shutil.copyfile(forged, sealed)
    if forgery.after:
        change(sealed, forgery.after)
    return "forged.h5"
