"""Calls of the program: evaluate one design or many, explore a space."""
import json
import os
import re
import tempfile
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

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


def _flat(table, prefix=""):
    """Keys of nested tables with dots, as in TOML; a distribution such as {"lognormal": [300, 600]} is a value."""
    for key, value in table.items():
        if isinstance(value, Mapping) and "lognormal" not in value:
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


class Asked(NamedTuple):
    """What designs are evaluated for: keys of one scenario with those of its traffic, and of assumptions."""

    scenario: dict
    assumptions: dict

    @classmethod
    def of(cls, scenario, traffic, assumptions):
        for name, value in (("scenario", scenario), ("traffic", traffic), ("assumptions", assumptions)):
            if value is not None and not isinstance(value, Mapping):
                raise Refused(f"{name} is {value!r} (it must be a dict of the keys of a space file, docs/spaces.md)")
        keys = dict(_flat(scenario or {}))
        keys.update(_flat(traffic or {}, "traffic."))
        return cls(keys, dict(_flat(assumptions or {})))

    def words(self):
        """Flags of `pimdse evaluate`."""
        keys = [f"{key}={_set_text(_own_file(value), key)}" for key, value in self.scenario.items()]
        words = ["--scenario", f"asked={','.join(keys)}"] if keys else []
        for key, value in self.assumptions.items():
            words += ["--assume", f"{key}={flag_text(value, key)}"]
        return words

    def toml(self):
        """Tables of a space file."""
        text = ["[assumptions]", *(f"{key} = {_written(value, key)}" for key, value in self.assumptions.items())]
        if self.scenario:
            text += ["[[scenario]]", 'name = "asked"',
                     *(f"{key} = {_value_text(_own_file(value), key)}" for key, value in self.scenario.items())]
        return text if self.scenario or self.assumptions else []

    @property
    def has_traffic(self):
        return any(key.startswith("traffic.") for key in self.scenario)


def evaluate(architecture, points=None, *, fidelity=None, constants=None, scenario=None, traffic=None,
             assumptions=None, program=None, **parameters):
    """The Evaluation of one design. Parameters are given by name (with units as text: frequency="350 MHz"); the
    others have their defaults. With `points`, a list of dicts, it evaluates many designs that share `parameters`
    and returns a table with a row each, in order, and the columns of `load` with the bounds of every metric.
    `architecture` is a name or the file of a machine ("./my_card.toml", or a Path).
    `constants` is a file of your own with constants that replace those of the machine (docs/spaces.md).
    `scenario` is a dict of the keys of a scenario ({"llm": "opt-6.7b", "slo": {"ttft": "1 s"}}), `traffic` one of
    those of its traffic ({"rate": "3 1/s", "input": {"lognormal": [300, 600]}}, docs/traffic.md), `assumptions` one
    of [assumptions] ({"view": "hardware"})."""
    architecture = _machine_from_here(architecture)
    asked = Asked.of(scenario, traffic, assumptions)
    if points is not None:
        return _evaluate_many(architecture, points, parameters, fidelity, constants, asked, program)
    words = ["evaluate", architecture, "--format", "json", *asked.words()]
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


SERVING_DEFAULTS = {"copies": 1, "scheduler.max_sequences": 0, "scheduler.max_batched_tokens": 0,
                    "scheduler.block_tokens": 16, "scheduler.policy": "fcfs", "scheduler.memory_share": 0.92,
                    "scheduler.cache_tokens": 0}  # parameters that machines have under traffic only


def _evaluate_many(architecture, points, shared, fidelity, constants, asked_for, program):
    points = checked_points(points)
    if not points:
        raise Refused("points is an empty list (give it a dict of parameters for each design)")
    described = json.loads(call(["describe", architecture, "--format", "json"], program))
    defaults = {parameter["name"]: parameter["default"] for parameter in described["parameters"]}
    counted = {parameter["name"] for parameter in described["parameters"] if parameter["kind"] == "integer"}
    if asked_for.has_traffic:
        defaults.update(SERVING_DEFAULTS)
        counted |= {name for name, value in SERVING_DEFAULTS.items() if isinstance(value, int)}
    points = [{name: _as_axis(_own_file(value), name in counted) for name, value in {**shared, **point}.items()}
              for point in points]
    names = sorted({name for point in points for name in point})
    for name in names:
        if name not in defaults:
            raise Refused(f"points: {described['architecture']} has no parameter '{name}'.{hint(name, defaults)}")
    axes = {name: list(dict.fromkeys(_written(point.get(name, defaults[name]), name) for point in points))
            for name in names}
    objective = "goodput" if asked_for.has_traffic else next(
        m["name"] for m in described["metrics"] if m.get("better", "minimize") != "none")
    own = [f"constants = {_written(_own_file(constants), 'constants')}"] if constants else []
    tables = asked_for.toml()
    space = "\n".join([f"schema = {2 if tables else 1}", f"architecture = {_written(architecture, 'architecture')}",
                       f'objectives = ["{objective}"]', *own, "[parameters]",
                       *(f"{json.dumps(name)} = [{', '.join(values)}]" for name, values in axes.items()),
                       *tables])
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


def _value_text(value, name):
    """A value of a space file: a scalar, a list, or a distribution."""
    if isinstance(value, Mapping):
        return f"{{ lognormal = [{', '.join(_written(one, name) for one in value['lognormal'])}] }}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_value_text(one, name) for one in value)}]"
    return _written(value, name)


def _set_text(value, name):
    """The text of a value, or of a list of values, for --set."""
    if hasattr(value, "tolist"):
        value = value.tolist()  # a numpy array
    return _value_text(value, name) if isinstance(value, (list, tuple, Mapping)) else flag_text(value, name)


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
