#!/usr/bin/python3
"""Check that the front of a ladder search is the front of all points, without using the code of the program.

Every point of the space must be in exactly one class: pruned by a witness, an equal-key point, open, infeasible, or
evaluated at cycle level. A witness must be on the front and at least as good as the best bounds of the point; if both
are equal, the id of the witness must be smaller. The bounds of a point are those of its analytic row. The result of an
equal-key point must be within the bounds of its own row. The script derives the statement of the certificate from these
data and compares it.

Some data depend on the models and cannot be checked from the file: the number of points, rows, cycle keys and bounds of
boxes. The program recomputes them (`pimdse verify`), and this script requires that it recomputed all data that the
proof uses. With --alone they are not checked, and the last line states this."""
import argparse
import json
import math
import random
import shutil
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np

ANALYTIC, CYCLE = 0, 2
MISMATCH, UNREADABLE = 8, 4  # docs/exit_codes.md
OK, INFEASIBLE = 0, 1
ROUNDING = 1e-9  # relative margin of bounds that are not exact
# The kind of the lower and the upper bound (0 none, 1 calibrated, 2 proved) for each number of /bounds/NAME_kind.
LOW_KINDS = np.array([0, 1, 2, 0, 0, 1, 1, 2, 2])
HIGH_KINDS = np.array([0, 1, 2, 1, 2, 0, 2, 0, 1])
PROVED = 2


class Wrong(Exception):
    """The certificate does not hold."""


class NoCertificate(Exception):
    """The file has no certificate."""


class NoProgram(Exception):
    """The program that recomputes the data of the models was not found."""


def require(holds, sentence, ids=()):
    """Raises Wrong unless all of `holds` are true, with the first of `ids` for which it is false."""
    holds = np.atleast_1d(holds)
    if not holds.all():
        first = f" (point {int(np.asarray(ids)[np.argmin(holds)])}, {int((~holds).sum())} in all)" if len(ids) else ""
        raise Wrong(sentence + first)


def row_files(path, file):
    """The files with the rows: the file itself, or its parts."""
    if "parts" not in file:
        return [file]
    names = [name.decode() for name in file["parts/file"][()]]
    return [h5py.File(Path(str(path) + ".parts") / name, "r") for name in names]


def is_formula(metric):
    return any(c in metric for c in " +*/()") or "-" in metric.partition("@")[0]


def dataset_name(metric):
    """The name of the data set of a metric. HDF5 would read the slash of a formula as a folder."""
    return metric.replace("/", "\u2215")


def column(files, metric, kind, suffix=""):
    """A column of a metric, of a metric in a scenario (NAME@SCENARIO), or of a formula."""
    name, _, scenario = (metric, "", "") if is_formula(metric) else metric.partition("@")
    name = dataset_name(name)
    path = f"{kind}/{name}{suffix}"
    return np.concatenate([in_scenario(file, scenario, path) if scenario else file[path][()] for file in files])


def in_scenario(file, scenario, path):
    """A column of a scenario: of a table with a column per scenario, or before schema 3 in a group of its own."""
    if file.attrs["schema"] < 3:
        return file[f"scenarios/{scenario}/{path}"][()]
    return file[f"scenarios/{path}"][:, list(file["scenarios"].attrs["names"]).index(scenario)]


class Results:
    """Rows with the value and the best bound of each objective. The sign of maximised objectives is changed."""

    def __init__(self, files, objectives, senses):
        self.ids, self.fidelity, self.status = (
            np.concatenate([file[name][()] for file in files]) for name in ("point_id", "fidelity", "status")
        )
        self.values, self.best, self.kinds = [], [], []
        self.worst, self.exact = [], []  # proved upper bounds; rows with exact and proved values
        for objective, sense in zip(objectives, senses):
            value = column(files, objective, "metrics")
            lower, upper = (column(files, objective, "bounds", end) for end in ("_low", "_high"))
            number = column(files, objective, "bounds", "_kind")
            kind = LOW_KINDS[number]
            if sense == "maximize":
                value, lower, upper = -value, -upper, -lower
                kind = HIGH_KINDS[number]
            exact = (lower == value) & (upper == value) & (kind == PROVED)
            other = (LOW_KINDS if sense == "maximize" else HIGH_KINDS)[number]
            self.exact.append(exact & (other == PROVED))
            self.worst.append(np.where((other == PROVED) & ~np.isnan(upper), upper + ROUNDING * np.abs(upper), np.inf))
            lower = np.where(exact | np.isinf(lower), lower, lower - ROUNDING * np.abs(lower))
            self.values.append(value)
            self.best.append(np.where((kind == 0) | np.isnan(lower), -np.inf, lower))
            self.kinds.append(kind)
        turned = (self.values, self.best, self.kinds, self.worst, self.exact)
        self.values, self.best, self.kinds, self.worst, self.exact = (np.array(x).T for x in turned)

    def at(self, fidelity):
        """The rows of one fidelity: id -> row."""
        rows = np.flatnonzero(self.fidelity == fidelity)
        return dict(zip(self.ids[rows].tolist(), rows.tolist()))


def rows_of(table, ids):
    return np.array([table.get(int(i), -1) for i in ids], dtype=np.int64)


def check_partition(points, results, pruned, equal_keys, opened, infeasible):
    listed = np.concatenate([pruned, equal_keys, opened])
    require(listed < points, "a point is not in the space", listed)
    require(results.ids < points, "the point of a row is not in the space", results.ids)
    swept = np.zeros(points, dtype=bool)
    swept[results.ids[results.fidelity == ANALYTIC]] = True
    swept[opened] = True
    require(swept, "a point has no analytic row", np.arange(points))
    require(len(np.unique(listed)) == len(listed), "a point is in two classes")
    place = np.zeros(points, dtype=bool)
    place[listed] = True
    decided = (results.fidelity == CYCLE) & (results.status <= INFEASIBLE)
    place[results.ids[decided]] = True
    refused = (results.fidelity == ANALYTIC) & (results.status == INFEASIBLE) & ~place[results.ids]
    place[results.ids[refused]] = True
    require(place, "a point is in no class", np.arange(points))
    there = int(refused.sum())
    require(there == infeasible, f"{infeasible} infeasible points are stated, but there are {there}")


class Numbering:
    """The numbering of ids in boxes, and a random weight of each point: the product of random weights of its positions.
    If the weights of boxes add up to the weight of the space, the boxes contain every point exactly once, except with a
    probability of 1e-15 (Schwartz and Zippel, modulo a prime)."""

    PRIME = (1 << 61) - 1

    def __init__(self, group):
        self.first = group["first"][()].astype(np.uint64)
        self.sizes = group["sizes"][()].reshape(len(self.first), -1).astype(np.uint64)
        draw = random.SystemRandom()
        self.factors = [draw.randrange(1, self.PRIME) for _ in self.first]
        self.before = []
        for sizes in self.sizes:
            axes = []
            for size in sizes:
                sums = [0]
                for _ in range(int(size)):
                    sums.append((sums[-1] + draw.randrange(self.PRIME)) % self.PRIME)
                axes.append(np.array(sums, dtype=object))
            self.before.append(axes)

    def whole(self):
        return sum(f * math.prod(int(a[-1]) for a in axes) for f, axes in zip(self.factors, self.before)) % self.PRIME

    def points(self):
        return sum(math.prod(int(size) for size in sizes) for sizes in self.sizes)

    def weigh(self, ids, extents=None):
        """The sum of the weights of boxes (without extents: of points)."""
        total = 0
        ids = np.asarray(ids, dtype=np.uint64)
        grids = np.searchsorted(self.first, ids, side="right") - 1
        for g, axes in enumerate(self.before):
            here = np.flatnonzero(grids == g)
            rest = ids[here] - self.first[g]
            weights = np.full(len(here), self.factors[g], dtype=object)
            for a in reversed(range(len(axes))):
                size = self.sizes[g][a]
                bound = (rest % size).astype(np.int64)
                high = bound + (extents[here, a] if extents is not None else 1)
                require(high <= int(size), "a box extends beyond its axis", ids[here])
                weights = weights * (axes[a][high] - axes[a][bound]) % self.PRIME
                rest = rest // size
            require(rest == 0, "a point is not in the space", ids[here])
            total += int(weights.sum())
        return total % self.PRIME


def check_boxes(points, results, stated):
    """As check_partition, for pruned, open and refused points in boxes."""
    numbering = Numbering(stated["grids"])
    require(numbering.points() == points, "its grids have another number of points")
    equal_keys = stated["twins/point_id"][()]
    opened = stated["open"][()]
    width = numbering.sizes.shape[1]
    extents = [stated[name][()].reshape(-1, width) for name in ("closed/extents", "open_extents", "refused/extents")]
    firsts = [stated["closed/point_id"][()], opened, stated["refused/point_id"][()]]
    decided = results.ids[(results.fidelity == CYCLE) & (results.status <= INFEASIBLE)]
    alone = np.setdiff1d(decided, np.concatenate([equal_keys, opened]))
    total = sum(numbering.weigh(ids, counts) for ids, counts in zip(firsts, extents))
    total += numbering.weigh(equal_keys) + numbering.weigh(alone)
    require(total % Numbering.PRIME == numbering.whole(), "a point is in no class, or in two")


def check_front(results, front):
    """The stated front must be the front of the rows at cycle level."""
    rows = np.flatnonzero((results.fidelity == CYCLE) & (results.status == OK))
    values, ids = results.values[rows], results.ids[rows]
    members = np.isin(ids, front)
    require(int(members.sum()) == len(front), "a member of the front has no result at cycle level")
    for value, point, member in zip(values, ids, members):
        better = (values[members] <= value).all(axis=1)
        equal = (values[members] == value).all(axis=1)
        covered = (better & (~equal | (ids[members] < point))).any()
        require(covered != member, "the front is not the front of the results", [point])


def check_pruned(results, pruned, witnesses, best, epsilon, grounds, slack, front, listed):
    """Checks pruned points, which may be better than their witness by the share `epsilon`. Returns the number of bounds
    that are only in the certificate: those of points that violate a condition at analytic level."""
    require(np.isin(witnesses, front), "a witness is not on the front", pruned)
    values = results.values[rows_of(results.at(CYCLE), witnesses)]
    reach = np.where(best < 0, best / (1.0 + epsilon), best * (1.0 + epsilon))
    require((values <= reach).all(axis=1), "a point could be better than its witness", pruned)
    equal = (values == reach).all(axis=1)
    require(~equal | (witnesses < pruned), "a point could be equal to its witness, and its id is smaller", pruned)
    if not listed:
        return len(pruned)
    rows = rows_of(results.at(ANALYTIC), pruned)
    require(rows >= 0, "a pruned point has no analytic result", pruned)
    known = results.status[rows] == OK
    bound, kinds = results.best[rows], results.kinds[rows]
    widened = np.where(kinds == 1, bound - np.where(slack > 0, slack, 0.0) * np.abs(bound), bound)
    require(((best <= widened) | ~known[:, None]).all(axis=1), "a point could be better than its stated bound", pruned)
    weaker = (kinds < grounds) & known[:, None]
    require(~weaker.any(axis=1), "the kind of a bound is weaker than stated", pruned)
    return int((~known).sum())


def check_results(results):
    """Results at cycle level must be within the proved bounds of the analytic rows."""
    coarse, fine = results.at(ANALYTIC), results.at(CYCLE)
    both = np.array([i for i in fine if i in coarse], dtype=np.int64)
    a, b = rows_of(coarse, both), rows_of(fine, both)
    ok = (results.status[a] == OK) & (results.status[b] == OK)
    holds = (results.values[b] >= results.best[a]) | (results.kinds[a] != PROVED)
    require(holds.all(axis=1) | ~ok, "a result is better than its proved bound", both)
    require((results.values[b] <= results.worst[a]).all(axis=1) | ~ok, "a result is worse than its proved bound", both)
    rows = np.flatnonzero((results.fidelity == CYCLE) & (results.status == OK))
    require(results.exact[rows].all(axis=1), "a row at cycle level is not exact", results.ids[rows])


def check_equal_keys(results, equal_keys, representatives):
    """The result of a representative must be within the bounds of its equal-key points, where these have rows."""
    coarse, fine = results.at(ANALYTIC), results.at(CYCLE)
    decided = results.ids[(results.fidelity == CYCLE) & (results.status <= INFEASIBLE)]
    require(np.isin(representatives, decided), "a representative has no result at cycle level", equal_keys)
    own, other, result = rows_of(coarse, equal_keys), rows_of(coarse, representatives), rows_of(fine, representatives)
    known = (own >= 0) & (other >= 0)
    own, other, result, equal_keys = own[known], other[known], result[known], equal_keys[known]
    both = (results.status[own] == OK) & (results.status[other] == OK)
    exact = results.exact[own] & results.exact[other]
    equal = (results.values[own] == results.values[other]) | ~exact
    require(equal.all(axis=1) | ~both, "exact analytic values of points with equal keys differ", equal_keys)
    usable = (results.status[own] == OK) & (results.status[result] == OK)
    values = results.values[result]
    bound = (values >= results.best[own]) | (results.kinds[own] != PROVED)
    inside = (bound & (values <= results.worst[own])).all(axis=1)
    require(inside | ~usable, "the result of a representative is outside the bounds of an equal-key point", equal_keys)


def points_of(stated, name, extents):
    """The number of points in a list of points or boxes."""
    if "grids" not in stated:
        return len(stated[name])
    width = stated["grids/sizes"].shape[0] // stated["grids/first"].shape[0]
    return sum(math.prod(row) for row in stated[extents][()].reshape(-1, width).tolist())


def statement_of(stated, objectives, grounds, bounds="lower bounds"):
    """The statement that the data of the certificate prove, in the form of docs/file_format.md; `bounds` names lower
    bounds."""
    calibrated = [name for name, kind in zip(objectives, grounds) if kind != PROVED]
    opened = points_of(stated, "open", "open_extents")
    epsilon = epsilon_of(stated)
    parts = [f"but for {opened} open points"] if opened else []
    parts += [f"if the calibrated {bounds} of {', '.join(calibrated)} hold"] if calibrated else []
    front = f"front within {100 * epsilon:.6g} %" if epsilon > 0 else "front exact"
    return f"{front} {', '.join(parts)}" if parts else f"{front} (proved {bounds})"


def epsilon_of(stated):
    return float(np.ravel(stated.attrs.get("epsilon", 0.0))[0])


def check_grounds(results, pruned, grounds, listed):
    """Checks the stated kinds: per objective the weakest kind of a bound that pruned a point (boxes: proved)."""
    weakest = np.full(len(grounds), PROVED)
    rows = rows_of(results.at(ANALYTIC), pruned) if listed and len(pruned) else np.array([], dtype=np.int64)
    rows = rows[results.status[rows] == OK]
    if len(rows):
        weakest = np.where((results.kinds[rows] == 1).any(axis=0), 1, PROVED)
    if listed and len(rows) < len(pruned):
        weakest = np.minimum(weakest, grounds)  # bounds of points that violate a condition are in no row
    require(weakest == grounds, "the stated kinds of bounds are not those of the pruned points")


def recomputed(path, program, needs):
    """The output of `pimdse verify`. Raises Wrong if it found a difference, or did not recompute all data that the
    proof uses."""
    found = shutil.which(program)
    if found is None:
        raise NoProgram(f"{program} is not on the PATH. Give its path with --program, or omit its part with --alone?")
    done = subprocess.run([found, "verify", str(path), "--format", "json"], capture_output=True, text=True)
    if done.returncode not in (0, MISMATCH) or not done.stdout.strip():
        raise OSError(f"{program} verify ended with {done.returncode}: {one_line(done.stderr) or 'no message'}")
    written = json.loads(done.stdout)
    require(written["holds"], f"{program} verify: {'; '.join(written['problems'][:3])}")
    for name, needed in needs.items():
        require(
            written.get(name) == needed,
            f"{program} verify recomputed {name} = {written.get(name)} instead of {needed}",
        )
    return written


def needs_of(stated, results, points, statement):
    boxes = len(stated["closed/point_id"]) + len(stated["refused/point_id"]) if "grids" in stated else 0
    return {
        "points_in_space": points,
        "rows": len(results.ids),
        "all_rows": True,
        "twin_keys": len(stated["twins/point_id"]),
        "box_bounds": boxes,
        "statement": statement,
    }


def check(path, program):
    with h5py.File(path, "r") as file:
        if "certificate" not in file:
            raise NoCertificate("it has no certificate (only searches with strategy 'ladder' have one)")
        stated = file["certificate"]
        objectives = [str(name) for name in stated.attrs["objectives"]]
        front = file["front"]
        require(objectives == [str(n) for n in front.attrs["objectives"]], "its objectives are not those of the front")
        require(front.attrs["fidelity"] == "cycle", "its front is not at cycle level")
        results = Results(row_files(path, file), objectives, front.attrs["better"])
        pruned, equal_keys, opened = stated["closed/point_id"][()], stated["twins/point_id"][()], stated["open"][()]
        witnesses = stated["closed/witness"][()]
        turned = [-1.0 if sense == "maximize" else 1.0 for sense in front.attrs["better"]]
        lower_bounds = [stated[f"closed/best/{dataset_name(name)}"][()] for name in objectives]
        best = np.array([sign * bound for sign, bound in zip(turned, lower_bounds)]).T
        grounds = np.array([["none", "calibrated", "proved"].index(str(kind)) for kind in stated.attrs["kinds"]])
        points = int(stated.attrs["points"])
        require(points == int(file.attrs["points_in_space"]), "it has another number of points")
        listed = "grids" not in stated
        if listed:
            check_partition(points, results, pruned, equal_keys, opened, int(stated.attrs["infeasible"]))
        else:
            check_boxes(points, results, stated)
        check_front(results, front["ids"][()])
        only_stated = 0
        if len(pruned):
            slack = np.asarray(stated.attrs["slack"])
            only_stated = check_pruned(
                results, pruned, witnesses, best, epsilon_of(stated), grounds, slack, front["ids"][()], listed
            )
        check_results(results)
        check_equal_keys(results, equal_keys, stated["twins/representative"][()])
        check_grounds(results, pruned, grounds, listed)
        statement = statement_of(stated, objectives, grounds)
        written = str(stated.attrs["statement"])
        of_older_programs = statement_of(stated, objectives, grounds, "lows")
        require(written in (statement, of_older_programs), f"it states '{written}', but its points prove '{statement}'")
        needs = needs_of(stated, results, points, statement)
    if program:
        recomputation = recomputed(path, program, needs)
        by = (
            f"{recomputation['evaluated_again']} rows, {needs['twin_keys']} cycle keys and {needs['box_bounds']} boxes"
            " recomputed"
        )
    else:
        by = "the number of points, rows, cycle keys"
        by += f" and {only_stated} bounds are not checked" if only_stated else " are not checked"
    return f"{statement}: {len(pruned)} prunings among {points} points are correct ({by})"


def one_line(problem):
    return " ".join(str(problem).split())


def fail(sentence, code):
    print(f"check_certificate.py: {sentence}", file=sys.stderr)
    return code


def main(argv):
    parser = argparse.ArgumentParser(prog="check_certificate.py", description=__doc__.split("\n\n")[0])
    parser.add_argument("file", metavar="FILE.h5", help="a result file of strategy 'ladder'")
    parser.add_argument("--program", default="pimdse",
                        help="the program that recomputes the data of the models (default: pimdse)")
    parser.add_argument("--alone", action="store_true", help="check only the proof in the file, without the program")
    given = parser.parse_args(argv)
    path, program = given.file, None if given.alone else given.program
    if not Path(path).is_file():
        return fail(f"{path} does not exist", UNREADABLE)
    try:
        print(f"{path}: {check(path, program)}")
    except (NoCertificate, NoProgram) as problem:
        return fail(f"{path}: {problem}", UNREADABLE)
    except Wrong as problem:
        return fail(f"{path}: {problem}", MISMATCH)
    except KeyError as problem:
        return fail(f"{path}: not a result file of a ladder search ({one_line(problem.args[0])})", UNREADABLE)
    except OSError as problem:
        return fail(f"{path}: cannot be read ({one_line(problem)})", UNREADABLE)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
