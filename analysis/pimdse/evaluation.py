"""Calls of the program: evaluate one design or many, explore a space."""
import json
import os
import re
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from .client import Explorer
from .errors import Refused
from .names import hint
from .program import COMPLETE, STOPPED, call
from .result_file import load
from .values import checked_points, flag_text, plain


@dataclass
class Evaluation:
    """The result of one design. `metrics` has a row per metric: value, lower bound (low) and upper bound (high) in SI,
    unit, and the kinds of the bounds (exact, proved, calibrated, none). `breakdown` has a table each for time, energy
    and area."""

    architecture: str
    fidelity: str
    status: str             # ok, infeasible or defect
    point: dict             # all parameters
    metrics: pd.DataFrame
    breakdown: dict
    rule: str = ""          # that an infeasible design breaks
    reason: str = ""

    @property
    def ok(self):
        return self.status == "ok"

    def __getitem__(self, metric):
        """The value of a metric. Raises Refused if there is none."""
        if not self.ok:
            raise Refused(f"this design has no metrics: {self.reason}")
        if metric not in self.metrics.index:
            raise Refused(f"{self.architecture} has no metric '{metric}'.{hint(metric, self.metrics.index)}")
        return self.metrics.loc[metric, "value"]


def evaluate_again(results, row, program=None):
    """The Evaluation of a row of a result file, with the machine that the file keeps."""
    words = ["evaluate", "--from", results.path, "--point", int(row["point_id"]), "--fidelity", str(row["fidelity"])]
    return _evaluation(json.loads(call([*words, "--format", "json"], program)))


def _evaluation(said):
    metrics = pd.DataFrame.from_dict(said.get("metrics", {}), orient="index",
                                     columns=["value", "low", "high", "unit", "low_kind", "high_kind"])
    metrics = metrics.astype({"value": float, "low": float, "high": float})
    parts = {of: pd.DataFrame(rows, columns=["what", unit]) for of, unit in
             (("time", "seconds"), ("energy", "joules"), ("area", "square_metres"),
              ("silicon", "square_metres"))
             if (rows := said.get("breakdown", {}).get(of))}
    return Evaluation(said["architecture"], said["fidelity"], said["status"], said["point"], metrics, parts,
                  said.get("rule", ""), said.get("reason", ""))


def _own_file(value):
    """The absolute path of a file of the user's own. The space file is written to another folder."""
    text = os.fspath(value) if isinstance(value, os.PathLike) else value
    return os.path.abspath(text) if isinstance(text, str) and text.endswith(".toml") else value


def _machine_from_here(architecture):
    """The name of an architecture, as any folder names it: paths of machines are absolute, also in a pair."""
    text = os.fspath(architecture)
    head, parts = ("pair:", text[len("pair:"):].split(":")) if text.startswith("pair:") else ("", [text])
    return head + ":".join(os.path.abspath(part) if part.endswith(".toml") or "/" in part else part for part in parts)


NAMED_FILE = re.compile(r"""^([ \t]*(?:architecture|prefill|decode|constants)[ \t]*=[ \t]*)(["'])(.*?)\2""",
                        re.MULTILINE)


def _space_from_here(text):
    """The text of a space, which has no folder of its own: machines and constants are looked for in the current one."""
    return NAMED_FILE.sub(lambda found: found[1] + json.dumps(_machine_from_here(found[3]), ensure_ascii=False), text)


def evaluate(architecture, points=None, *, fidelity=None, constants=None, program=None, **parameters):
    """The Evaluation of one design. Parameters are given by name (with units as text: frequency="350 MHz"); the
    others have their defaults. With `points`, a list of dicts, it evaluates many designs that share `parameters`
    and returns a table with a row each, in order, and the columns of `load` with the bounds of every metric.
    `architecture` is a name or the file of a machine ("./my_card.toml", or a Path).
    `constants` is a file of your own with constants that replace those of the machine (docs/spaces.md)."""
    architecture = _machine_from_here(architecture)
    if points is not None:
        return _evaluate_many(architecture, points, parameters, fidelity, constants, program)
    words = ["evaluate", architecture, "--format", "json"]
    words += ["--fidelity", fidelity] if fidelity else []
    words += ["--constants", os.fspath(constants)] if constants else []
    for name, value in parameters.items():
        words += ["--set", f"{name}={flag_text(value, name)}"]
    return _evaluation(json.loads(call(words, program)))


@contextmanager
def _called(folder, **names):
    """In messages, replaces the names of temporary files in `folder`. `names` maps the stem of a file to its
    replacement, in which {line} stands for the line number."""
    try:
        yield
    except Refused as error:
        text = str(error)
        for stem, name in names.items():
            file = re.escape(os.path.join(str(folder), stem)) + r"\.\w+"
            text = re.sub(file + r":(\d+):", name.replace("{line}", r", line \1") + ":", text)
            text = re.sub(file, name.replace("{line}", ""), text)
        raise Refused(text, error.code) from None


def _evaluate_many(architecture, points, shared, fidelity, constants, program):
    points = checked_points(points)
    if not points:
        raise Refused("points is an empty list (give it a dict of parameters for each design)")
    described = json.loads(call(["describe", architecture, "--format", "json"], program))
    defaults = {parameter["name"]: parameter["default"] for parameter in described["parameters"]}
    counted = {parameter["name"] for parameter in described["parameters"] if parameter["kind"] == "integer"}
    points = [{name: _as_axis(_own_file(value), name in counted) for name, value in {**shared, **point}.items()}
              for point in points]
    names = sorted({name for point in points for name in point})
    for name in names:
        if name not in defaults:
            raise Refused(f"points: {described['architecture']} has no parameter '{name}'.{hint(name, defaults)}")
    axes = {name: list(dict.fromkeys(_written(point.get(name, defaults[name]), name) for point in points))
            for name in names}
    objective = next(m["name"] for m in described["metrics"] if m.get("better", "minimize") != "none")
    own = [f"constants = {_written(_own_file(constants), 'constants')}"] if constants else []
    space = "\n".join(['schema = 1', f"architecture = {_written(architecture, 'architecture')}",
                       f'objectives = ["{objective}"]', *own, "[parameters]",
                       *(f"{name} = [{', '.join(values)}]" for name, values in axes.items())])
    asked = [{name: json.loads(_written(point.get(name, defaults[name]), name)) for name in names}
             for point in points]
    with tempfile.TemporaryDirectory(prefix="pimdse-") as folder, _called(folder, points="points"):
        path, output = Path(folder, "points.toml"), Path(folder, "points.h5")
        path.write_text(space + "\n", encoding="utf-8")
        with Explorer(path, output, program=program) as explorer:
            ids = [int(result["id"]) for result in explorer.evaluate(asked, fidelity=fidelity)]
        results = load(output)
        table = results.with_bounds()
        return table.set_index("point_id", drop=False).loc[ids].reset_index(drop=True)


def _as_axis(value, counted):
    """A whole number for an integer parameter: 256.0 and 256 are the same value of an axis."""
    return int(value) if counted and isinstance(value, float) and value.is_integer() else value


def _written(value, name):
    """A value as text. TOML and JSON write values of parameters in the same way."""
    return json.dumps(plain(value, name), ensure_ascii=False)


def _set_text(value, name):
    """The text of a value, or of a list of values, for --set."""
    if hasattr(value, "tolist"):
        value = value.tolist()  # a numpy array
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_written(one, name) for one in value)}]"
    return flag_text(value, name)


def _flag_words(flags):
    words = []
    for name, value in flags.items():
        flag = "--" + name.replace("_", "-")
        if isinstance(value, dict):
            for key, one in value.items():
                words += [flag, f"{key}={_set_text(one, f'{name}: {key}')}"]
        elif value is True:
            words.append(flag)
        elif isinstance(value, (list, tuple)):
            words += [flag, ",".join(flag_text(one, name) for one in value)]
        elif value is not None and value is not False:
            words += [flag, flag_text(value, name)]
    return words


def explore(space, output=None, *, program=None, launcher=(), **flags):
    """Results of all points of a space, or of as many as a budget allows. `space` is a space file or the text of one,
    or None with refine=FILE, which evaluates the front of that file at a finer fidelity. `flags` are those of
    `pimdse explore` (strategy="random", budget=1000, fidelity="cycle", set={"batch": 4}, resume=True ...); `launcher`
    starts ranks (["mpirun", "-n", "8"]). Without `output`, the file is deleted together with the Results. A run that a
    time limit stops has the state "stopped"."""
    refined = space is None and "refine" in flags
    if not refined and not isinstance(space, (str, os.PathLike)):
        raise Refused(f"space is of type {type(space).__name__} (it must be a space file or the text of one, see"
                      " docs/spaces.md)")
    folder = tempfile.TemporaryDirectory(prefix="pimdse-")
    if "\n" in str(space):
        path = Path(folder.name, "space.toml")
        path.write_text(_space_from_here(space), encoding="utf-8")
        space = path
    output = Path(output) if output else Path(folder.name, "results.h5")
    words = ["explore", *([] if refined else [space]), "-o", output, "--progress", "none", "--format", "json",
             *_flag_words(flags)]
    with _called(folder.name, space="the space given{line}", results="the results"):
        call(words, program, launcher, (*COMPLETE, STOPPED))
    results = load(output)
    results.folder = folder  # deleted together with the results
    return results
