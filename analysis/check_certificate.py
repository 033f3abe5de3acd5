#!/usr/bin/python3
"""Check that the front of a ladder search is that of all points: by its file alone, with none of the program's code.

Every point of the space must be in one place: closed by a witness, twin of another, open, infeasible, or answered at
cycle level. A witness must be on the front and be as good as the point could be; where it is equal, its id must be
smaller. What a point could be is read from the bounds of its analytic row. That equal cycle keys mean equal answers is
taken from the program (`pimdse verify` computes keys again), and so are the bounds of boxes where points are too many
to be listed (`verify` computes them again)."""
import argparse
import math
import random
import sys
from pathlib import Path

import h5py
import numpy as np

ANALYTIC, CYCLE = 0, 2
MISMATCH, UNREADABLE = 8, 4  # docs/exit_codes.md
OK, INFEASIBLE = 0, 1
ROUNDING = 1e-9  # by which bounds that are not exact are lowered
LOW_KINDS = np.array([0, 1, 2, 0, 0, 1, 1, 2, 2])  # of each number of /bounds/NAME_kind: none, calibrated, proved


class Wrong(Exception):
    """The certificate does not hold."""


class NoCertificate(Exception):
    """There is nothing to check."""


def require(holds, sentence, ids=()):
    """All of `holds`; else says which of `ids` is the first that is wrong."""
    holds = np.atleast_1d(holds)
    if not holds.all():
        first = f" (point {int(np.asarray(ids)[np.argmin(holds)])}, {int((~holds).sum())} in all)" if len(ids) else ""
        raise Wrong(sentence + first)


def row_files(path, file):
    """The files that have the rows: itself, or its parts."""
    if "parts" not in file:
        return [file]
    names = [name.decode() for name in file["parts/file"][()]]
    return [h5py.File(Path(str(path) + ".parts") / name, "r") for name in names]


def column(files, metric, kind, suffix=""):
    """A column of a metric, which may be one of a scenario: NAME@SCENARIO."""
    name, _, scenario = metric.partition("@")
    folder = f"scenarios/{scenario}/{kind}" if scenario else kind
    return np.concatenate([file[f"{folder}/{name}{suffix}"][()] for file in files])


class Answers:
    """Rows, and of each objective the value and the best it could be, turned so that less is better."""

    def __init__(self, files, objectives, senses):
        self.ids, self.fidelity, self.status = (
            np.concatenate([file[name][()] for file in files]) for name in ("point_id", "fidelity", "status")
        )
        self.values, self.best, self.kinds = [], [], []
        for objective, sense in zip(objectives, senses):
            value = column(files, objective, "metrics")
            low, high = (column(files, objective, "bounds", end) for end in ("_low", "_high"))
            number = column(files, objective, "bounds", "_kind")
            kind = LOW_KINDS[number]
            if sense == "maximize":
                value, low, high = -value, -high, -low
                kind = np.where(number < 3, number, np.array([0, 0, 0, 1, 2, 0, 2, 0, 1])[number])
            exact = (low == value) & (high == value) & (kind == 2)
            low = np.where(exact | np.isinf(low), low, low - ROUNDING * np.abs(low))
            self.values.append(value)
            self.best.append(np.where((kind == 0) | np.isnan(low), -np.inf, low))
            self.kinds.append(kind)
        self.values, self.best, self.kinds = (np.array(x).T for x in (self.values, self.best, self.kinds))

    def at(self, fidelity):
        """Rows of one fidelity by id: an array with the row of each id, or -1."""
        rows = np.flatnonzero(self.fidelity == fidelity)
        return dict(zip(self.ids[rows].tolist(), rows.tolist()))


def rows_of(table, ids):
    return np.array([table.get(int(i), -1) for i in ids], dtype=np.int64)


def check_partition(points, answers, closed, twins, opened, infeasible):
    listed = np.concatenate([closed, twins, opened])
    require(listed < points, "a point is beyond the space", listed)
    require(len(np.unique(listed)) == len(listed), "a point is in two places")
    place = np.zeros(points, dtype=bool)
    place[listed] = True
    decided = (answers.fidelity == CYCLE) & (answers.status <= INFEASIBLE)
    place[answers.ids[decided]] = True
    refused = (answers.fidelity == ANALYTIC) & (answers.status == INFEASIBLE) & ~place[answers.ids]
    place[answers.ids[refused]] = True
    require(place, "a point is in no place", np.arange(points))
    there = int(refused.sum())
    require(there == infeasible, f"{infeasible} infeasible points are stated, {there} are there")


class Numbering:
    """How ids of boxes are numbered, and a random weight of each point: the product of those of its positions. Boxes
    have every point once if their weights add up to that of the whole, but for one chance in 10^15 (Schwartz and
    Zippel, modulo a prime)."""

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
        """The weights of boxes, added up."""
        total = 0
        ids = np.asarray(ids, dtype=np.uint64)
        grids = np.searchsorted(self.first, ids, side="right") - 1
        for g, axes in enumerate(self.before):
            here = np.flatnonzero(grids == g)
            rest = ids[here] - self.first[g]
            weights = np.full(len(here), self.factors[g], dtype=object)
            for a in reversed(range(len(axes))):
                size = self.sizes[g][a]
                low = (rest % size).astype(np.int64)
                high = low + (extents[here, a] if extents is not None else 1)
                require(high <= int(size), "a box reaches beyond its axis", ids[here])
                weights = weights * (axes[a][high] - axes[a][low]) % self.PRIME
                rest = rest // size
            require(rest == 0, "a point is beyond the space", ids[here])
            total += int(weights.sum())
        return total % self.PRIME


def check_boxes(points, answers, stated):
    """As check_partition, where closed, open and refused points are boxes."""
    numbering = Numbering(stated["grids"])
    require(numbering.points() == points, "its grids are of another number of points")
    twins = stated["twins/point_id"][()]
    opened = stated["open"][()]
    width = numbering.sizes.shape[1]
    extents = [stated[name][()].reshape(-1, width) for name in ("closed/extents", "open_extents", "refused/extents")]
    firsts = [stated["closed/point_id"][()], opened, stated["refused/point_id"][()]]
    decided = answers.ids[(answers.fidelity == CYCLE) & (answers.status <= INFEASIBLE)]
    alone = np.setdiff1d(decided, np.concatenate([twins, opened]))
    total = sum(numbering.weigh(ids, counts) for ids, counts in zip(firsts, extents))
    total += numbering.weigh(twins) + numbering.weigh(alone)
    require(total % Numbering.PRIME == numbering.whole(), "a point is in no place, or in two")


def check_front(answers, front):
    """The front stated is that of the rows at cycle level."""
    rows = np.flatnonzero((answers.fidelity == CYCLE) & (answers.status == OK))
    values, ids = answers.values[rows], answers.ids[rows]
    members = np.isin(ids, front)
    require(int(members.sum()) == len(front), "a member of the front has no answer at cycle level")
    for value, point, member in zip(values, ids, members):
        better = (values[members] <= value).all(axis=1)
        equal = (values[members] == value).all(axis=1)
        covered = (better & (~equal | (ids[members] < point))).any()
        require(covered != member, "the front is not that of the answers", [point])


def check_closed(answers, closed, witnesses, best, epsilon, grounds, slack, front, listed):
    """Of a search with an epsilon, points may be better than their witness by that share. Returns how many bounds only
    the certificate states: those of points that miss a condition at analytic level."""
    require(np.isin(witnesses, front), "a witness is not on the front", closed)
    values = answers.values[rows_of(answers.at(CYCLE), witnesses)]
    reach = np.where(best < 0, best / (1.0 + epsilon), best * (1.0 + epsilon))
    require((values <= reach).all(axis=1), "a point could be better than its witness", closed)
    equal = (values == reach).all(axis=1)
    require(~equal | (witnesses < closed), "a point could be equal to its witness, and its id is smaller", closed)
    if not listed:
        return len(closed)
    rows = rows_of(answers.at(ANALYTIC), closed)
    require(rows >= 0, "a closed point has no analytic answer", closed)
    known = answers.status[rows] == OK
    low, kinds = answers.best[rows], answers.kinds[rows]
    widened = np.where(kinds == 1, low - np.where(slack > 0, slack, 0.0) * np.abs(low), low)
    require(((best <= widened) | ~known[:, None]).all(axis=1), "a point could be better than is stated", closed)
    weaker = (kinds < grounds) & known[:, None]
    require(~weaker.any(axis=1), "a bound has weaker grounds than are stated", closed)
    return int((~known).sum())


def check_answers(answers):
    """No answer is better than what is proved to be the best."""
    coarse, fine = answers.at(ANALYTIC), answers.at(CYCLE)
    both = np.array([i for i in fine if i in coarse], dtype=np.int64)
    a, b = rows_of(coarse, both), rows_of(fine, both)
    ok = (answers.status[a] == OK) & (answers.status[b] == OK)
    holds = (answers.values[b] >= answers.best[a]) | (answers.kinds[a] != 2)
    require(holds.all(axis=1) | ~ok, "an answer is better than its proved bound", both)


def check(path):
    with h5py.File(path, "r") as file:
        if "certificate" not in file:
            raise NoCertificate("it has no certificate (only searches by 'ladder' have)")
        stated = file["certificate"]
        objectives = [str(name) for name in stated.attrs["objectives"]]
        front = file["front"]
        require(objectives == [str(n) for n in front.attrs["objectives"]], "its objectives are not those of the front")
        answers = Answers(row_files(path, file), objectives, front.attrs["better"])
        closed, twins, opened = stated["closed/point_id"][()], stated["twins/point_id"][()], stated["open"][()]
        witnesses = stated["closed/witness"][()]
        turned = [-1.0 if sense == "maximize" else 1.0 for sense in front.attrs["better"]]
        best = np.array([sign * stated[f"closed/best/{name}"][()] for sign, name in zip(turned, objectives)]).T
        grounds = np.array([["none", "calibrated", "proved"].index(str(kind)) for kind in stated.attrs["kinds"]])
        points = int(stated.attrs["points"])
        require(points == int(file.attrs["points_in_space"]), "it is of another number of points")
        listed = "grids" not in stated
        if listed:
            check_partition(points, answers, closed, twins, opened, int(stated.attrs["infeasible"]))
        else:
            check_boxes(points, answers, stated)
        check_front(answers, front["ids"][()])
        only_stated = 0
        if len(closed):
            slack = np.asarray(stated.attrs["slack"])
            epsilon = float(np.ravel(stated.attrs.get("epsilon", 0.0))[0])
            only_stated = check_closed(
                answers, closed, witnesses, best, epsilon, grounds, slack, front["ids"][()], listed
            )
        check_answers(answers)
        representatives = stated["twins/representative"][()]
        decided = answers.ids[(answers.fidelity == CYCLE) & (answers.status <= INFEASIBLE)]
        require(np.isin(representatives, decided), "a twin's representative has no answer at cycle level", twins)
        note = f" ({only_stated} bounds are stated by the certificate alone)" if only_stated else ""
        return f"{stated.attrs['statement']}: {len(closed)} coverings of {points} points hold{note}"


def one_line(problem):
    return " ".join(str(problem).split())


def fail(sentence, code):
    print(f"check_certificate.py: {sentence}", file=sys.stderr)
    return code


def main(argv):
    parser = argparse.ArgumentParser(prog="check_certificate.py", description=__doc__.split("\n\n")[0])
    parser.add_argument("file", metavar="FILE.h5", help="a result file of strategy 'ladder'")
    path = parser.parse_args(argv).file
    if not Path(path).is_file():
        return fail(f"{path} is not there", UNREADABLE)
    try:
        print(f"{path}: {check(path)}")
    except NoCertificate as problem:
        return fail(f"{path}: {problem}", UNREADABLE)
    except Wrong as problem:
        return fail(f"{path}: {problem}", MISMATCH)
    except KeyError as problem:
        return fail(f"{path}: no result of a ladder search ({one_line(problem.args[0])})", UNREADABLE)
    except OSError as problem:
        return fail(f"{path}: cannot be read ({one_line(problem)})", UNREADABLE)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
