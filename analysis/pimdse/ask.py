"""Asking the program: one design, many designs, a whole space."""
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from .client import Explorer
from .errors import Refused
from .program import COMPLETE, STOPPED, call
from .result_file import load


@dataclass
class Answer:
    """What one design answers. `metrics` has a row per metric: value, low and high in SI, unit, and what stands behind
    the ends (exact, proved, calibrated); `breakdown` says where time, energy and area go, a table each."""

    architecture: str
    fidelity: str
    status: str             # ok, infeasible or defect
    point: dict             # every parameter
    metrics: pd.DataFrame
    breakdown: dict
    rule: str = ""          # which an infeasible design breaks
    reason: str = ""

    @property
    def ok(self):
        return self.status == "ok"

    def __getitem__(self, metric):
        """The value of a metric; Refused where there is none."""
        if not self.ok:
            raise Refused(f"this design has no metrics: {self.reason}")
        if metric not in self.metrics.index:
            raise Refused(f"{self.architecture} has no metric '{metric}' (known: {', '.join(self.metrics.index)})")
        return self.metrics.loc[metric, "value"]


def _answer(said):
    metrics = pd.DataFrame.from_dict(said.get("metrics", {}), orient="index",
                                     columns=["value", "low", "high", "unit", "low_kind", "high_kind"])
    metrics = metrics.astype({"value": float, "low": float, "high": float})
    parts = {of: pd.DataFrame(rows, columns=["what", unit]) for of, unit in
             (("time", "seconds"), ("energy", "joules"), ("area", "square_metres"))
             if (rows := said.get("breakdown", {}).get(of))}
    return Answer(said["architecture"], said["fidelity"], said["status"], said["point"], metrics, parts,
                  said.get("rule", ""), said.get("reason", ""))


def _text(value):
    """A value as flags take it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def evaluate(architecture, points=None, *, fidelity=None, program=None, **parameters):
    """One design, its parameters by name (texts with units: frequency="350 MHz"), those not named at their defaults:
    an Answer. With `points`, a list of dicts, many designs that share `parameters`: a table with a row each, in order,
    its columns as those of `load` with the bounds of every metric."""
    if points is not None:
        return _evaluate_many(architecture, [{**parameters, **point} for point in points], fidelity, program)
    words = ["evaluate", architecture, "--format", "json"]
    words += ["--fidelity", fidelity] if fidelity else []
    for name, value in parameters.items():
        words += ["--set", f"{name}={_text(value)}"]
    return _answer(json.loads(call(words, program)))


def _evaluate_many(architecture, points, fidelity, program):
    if not points:
        raise Refused("points is an empty list (give it a dict of parameters for each design)")
    described = json.loads(call(["describe", architecture, "--format", "json"], program))
    defaults = {parameter["name"]: parameter["default"] for parameter in described["parameters"]}
    names = sorted({name for point in points for name in point})
    axes = {name: list(dict.fromkeys(_written(point.get(name, defaults.get(name))) for point in points))
            for name in names}
    objective = next(m["name"] for m in described["metrics"] if m.get("better", "minimize") != "none")
    space = "\n".join(['schema = 1', f'architecture = "{architecture}"', f'objectives = ["{objective}"]',
                       "[parameters]", *(f"{name} = [{', '.join(values)}]" for name, values in axes.items())])
    asked = [{name: json.loads(_written(point.get(name, defaults.get(name)))) for name in names} for point in points]
    with tempfile.TemporaryDirectory(prefix="pimdse-") as folder:
        path, output = Path(folder, "points.toml"), Path(folder, "points.h5")
        path.write_text(space + "\n")
        with Explorer(path, output, program=program) as explorer:
            ids = [int(answer["id"]) for answer in explorer.evaluate(asked, fidelity=fidelity)]
        results = load(output)
        table = results.with_bounds()
        return table.set_index("point_id", drop=False).loc[ids].reset_index(drop=True)


def _written(value):
    """A value as TOML and JSON have it, which is the same for what a parameter may be."""
    if hasattr(value, "item"):
        value = value.item()  # of numpy
    return json.dumps(value)


def _flag_words(flags):
    words = []
    for name, value in flags.items():
        flag = "--" + name.replace("_", "-")
        if isinstance(value, dict):
            words += [word for key, one in value.items() for word in (flag, f"{key}={_text(one)}")]
        elif value is True:
            words.append(flag)
        elif value is not None and value is not False:
            words += [flag, ",".join(value) if isinstance(value, (list, tuple)) else str(value)]
    return words


def explore(space, output=None, *, program=None, launcher=(), **flags):
    """Every point of a space, or as many as a budget allows: Results. `space` is a space file, or the text of one.
    `flags` are those of `pimdse explore` (strategy="random", budget=1000, fidelity="cycle", set={"batch": 4},
    resume=True ...); `launcher` starts ranks (["mpirun", "-n", "8"]). Without `output` the file goes with the Results.
    A run that stops in time (time_limit) has state "stopped"."""
    folder = tempfile.TemporaryDirectory(prefix="pimdse-")
    if "\n" in str(space):
        path = Path(folder.name, "space.toml")
        path.write_text(space)
        space = path
    output = Path(output) if output else Path(folder.name, "results.h5")
    words = ["explore", space, "-o", output, "--progress", "none", "--format", "json", *_flag_words(flags)]
    call(words, program, launcher, (*COMPLETE, STOPPED))
    results = load(output)
    results.folder = folder  # which is deleted with it
    return results
