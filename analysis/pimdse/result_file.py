"""A result file as pandas tables; docs/file_format.md describes the file."""
import json
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import h5py
import numpy as np
import pandas as pd
from pandas.api.types import union_categoricals

from .columns import choices_of, columns_of, flag_column, machines_of, text_column, texts
from .condition import Condition
from .errors import NotAResultFile, Refused
from .formula import Formula, is_formula
from .names import hint, known_metric
from .uncertain import uncertain_of

SCHEMAS = (1, 2, 3)
FIDELITIES = ("analytic", "hybrid", "cycle")


@dataclass(repr=False)
class Results:
    """One row per result. `table` has point_id, fidelity, status, rule and reason (of points without metrics), then a
    column per parameter and per metric, all in SI units. For a space with several machines it also has `machine`, and
    MACHINE.NAME for columns of a single machine, with missing values in the rows of the others."""

    path: Path
    architecture: str
    digest: str
    objectives: dict           # metric -> "minimize" or "maximize"
    front_ids: np.ndarray      # of the front in the file, for all its objectives
    front_fidelity: str
    parameters: list           # names in declared order
    metrics: list
    table: pd.DataFrame = None
    units: dict = field(default_factory=dict)     # column -> SI unit
    meanings: dict = field(default_factory=dict)
    better: dict = field(default_factory=dict)    # metric -> "minimize", "maximize" or "none"
    assumed: set = field(default_factory=set)     # metrics that depend on an assumption
    machines: list = field(default_factory=list)  # names, if there are several
    architectures: dict = field(default_factory=dict)  # machine -> architecture
    scenarios: list = field(default_factory=list)  # names, if there are any
    choices: dict = field(default_factory=dict)   # parameter -> its possible values
    flags: set = field(default_factory=set)       # parameters that are true or false
    integers: set = field(default_factory=set)    # parameters with whole numbers, in their unit
    points_in_space: int = 0                      # 0: unknown
    state: str = "complete"                       # or stopped, going on, part
    space: str = ""                               # the space file as written
    machine_files: dict = field(default_factory=dict)  # path -> text of the files that machines were read from
    assumptions: dict = field(default_factory=dict)  # the common assumptions of the machines of a joint space

    def __repr__(self):
        return (f"<Results of {self.path}: {self.architecture}, {len(self.table):,} results,"
                f" {len(self.front_ids):,} on the front of {', '.join(self.objectives)} ({self.front_fidelity})>")

    @cached_property
    def bounds(self):
        """NAME_low, NAME_high and NAME_kind of every metric, in the rows of `table`: the interval of the cycle-level
        result, and whether its ends are proved or calibrated. Read on first use."""
        return _bounds(self.path)

    @cached_property
    def history(self):
        """Growth of the front over the points in the order of their ids: evaluations, hypervolume, size."""
        with _open(self.path) as file:
            group = file["front/history"]
            return pd.DataFrame({name: group[name][()] for name in ("evaluations", "hypervolume", "size")})

    @cached_property
    def progress(self):
        """Progress of the run that wrote the file: seconds since its start, and results (`answers`), including those of
        earlier runs. Empty for merged and for older files."""
        with _open(self.path) as file:
            group = file.get("timing/progress", {})
            return pd.DataFrame({"seconds": np.asarray(group.get("seconds", ()), float),
                                 "answers": np.asarray(group.get("answers", ()), np.uint64)})

    @cached_property
    def timing(self):
        """The rank that evaluated each row of `table`, and the seconds that it took."""
        return _timing(self.path)

    @cached_property
    def uncertain(self):
        """The front under draws of uncertain constants (uncertain.Uncertain); None if the file has none."""
        with _open(self.path) as file:
            return uncertain_of(file["uncertain"]) if "uncertain" in file else None

    @cached_property
    def rules(self):
        """Points per broken rule or kind of failure, including points whose rows are not in the file."""
        with _open(self.path) as file:
            found = pd.DataFrame({"rule": texts(file["rules/rule"][()]), "points": file["rules/points"][()]})
        return found.sort_values("points", ascending=False, ignore_index=True)

    def with_bounds(self, *metrics, rows=None):
        """The table (or `rows` of it) with the bounds of these metrics (default: all) after each of them."""
        table = self.table if rows is None else rows
        wanted = [known_metric(self, name) for name in metrics] or self.metrics
        columns = []
        for name in table.columns:
            columns.append(table[name])
            if name in wanted:
                columns += [self.bounds.loc[table.index, f"{name}_{end}"] for end in ("low", "high", "kind")]
        return pd.concat(columns, axis=1)

    def take_formula(self, name):
        """Adds a formula of metrics, such as "area + memory_area", to the table as a metric with its text as the name.
        Other names are ignored. Raises ConditionError for a mistake in the formula."""
        if name in self.metrics or not is_formula(name) or name in self.parameters:
            return
        formula = Formula.of(self, name)
        low, high, kinds = formula.bounds(self)
        self.bounds[[f"{name}_low", f"{name}_high"]] = np.column_stack([low, high])
        self.bounds[f"{name}_kind"] = pd.Categorical(kinds)
        self.table[name] = np.where(self.table.status == "ok", formula.values(self), np.nan)
        self.metrics.append(name)
        self.units[name], self.better[name] = formula.unit, formula.better
        self.meanings[name] = "a formula of metrics"
        if any(of in self.assumed for of in formula.directions):
            self.assumed.add(name)

    def feasible(self, fidelity=None, where=()):
        """The rows of one fidelity (default: that of the front) that are ok and meet the conditions."""
        wanted = fidelity or self.front_fidelity
        if wanted not in FIDELITIES:
            raise Refused(f"'{wanted}' is not a fidelity.{hint(wanted, FIDELITIES)}")
        rows = self.table[(self.table.status == "ok") & (self.table.fidelity == wanted)]
        for condition in [where] if isinstance(where, (str, Condition)) else where:
            condition = Condition(condition) if isinstance(condition, str) else condition
            rows = rows[condition.mask(self, rows)]
        return rows

    def front(self):
        """The rows of the front in the file."""
        rows = self.feasible()
        return rows[rows.point_id.isin(self.front_ids)]

    @property
    def failures(self):
        """The rows without metrics: parameters, status, rule and reason."""
        return self.table[self.table.status != "ok"].drop(columns=self.metrics)


def _read(file, path):
    parameters, metrics = columns_of(file)
    machines = machines_of(file)
    results = Results(
        path,
        file.attrs["architecture"],
        file.attrs["digest"],
        dict(zip(texts(file["front"].attrs["objectives"]), texts(file["front"].attrs["better"]))),
        file["front/ids"][()],
        file["front"].attrs["fidelity"],
        (["machine"] if machines else []) + [one.name for one in parameters],
        [one.name for one in metrics],
        machines=machines,
        architectures={name: file["machines"][name].attrs["architecture"] for name in machines},
        scenarios=texts(file["scenarios"].attrs["names"]) if "scenarios" in file else [],
        choices=choices_of(file),
        points_in_space=int(file.attrs["points_in_space"]),
        state=file["provenance"].attrs.get("state", "complete"),
        space=file.attrs["space"],
        machine_files=_machine_files(file),
        assumptions=_assumptions(file.attrs.get("canonical_space", "")),
    )
    if machines:
        results.units["machine"], results.meanings["machine"] = "", file["machine"].attrs["meaning"]
    for one in [*parameters, *metrics]:
        results.units[one.name] = one.attributes["unit"]
        results.meanings[one.name] = one.attributes["meaning"]
    _say_what_kind(results, parameters, metrics)
    in_parts = "parts" in file
    results.table = (_joined([load(p).table for p in _parts(file, path)]) if in_parts
                     else _table(file, machines, [*parameters, *metrics]))
    return results


def _machine_files(file):
    group = file.get("machine_files")
    return {} if group is None else dict(zip(texts(group["file"][()]), texts(group["text"][()])))


def _assumptions(canonical):
    """The assumptions of the first machine, which are those of all machines."""
    try:
        space = json.loads(canonical)
        return dict(space.get("machines", [space])[0].get("assumptions", {}))
    except (ValueError, AttributeError, IndexError, TypeError):
        return {}


def _say_what_kind(results, parameters, metrics):
    for one in parameters:
        kind = one.attributes["kind"]
        results.flags |= {one.name} if kind == "flag" else set()
        results.integers |= {one.name} if kind == "integer" else set()
    for one in metrics:
        results.better[one.name] = one.attributes["better"]
        if one.attributes["assumed"]:
            results.assumed.add(one.name)


def _table(file, machines, named):
    columns = {"point_id": file["point_id"][()], "fidelity": flag_column(file["fidelity"]),
               "status": flag_column(file["status"])}
    rows = len(columns["point_id"])
    failed = np.flatnonzero(columns["status"] != "ok")
    for name in ("rule", "reason"):
        said = text_column(file["failures"][name][()])
        codes = np.full(rows, -1)
        codes[failed] = said.codes
        columns[name] = pd.Categorical.from_codes(codes, said.categories)
    if machines:
        columns["machine"] = flag_column(file["machine"])
    return pd.DataFrame(columns | {one.name: one.of(rows) for one in named})


def _bounds(path):
    with _open(path) as file:
        if "parts" in file:
            return _joined([_bounds(part) for part in _parts(file, path)])
        rows = len(file["point_id"])
        return pd.DataFrame({name: values for one in columns_of(file)[1]
                             for name, values in one.bounds_of(rows).items()})


def _timing(path):
    with _open(path) as file:
        if "parts" in file:
            return pd.concat([_timing(part) for part in _parts(file, path)], ignore_index=True)
        return pd.DataFrame({name: file["timing"][name][()] for name in ("seconds", "rank")})


def _parts(file, path):
    directory = path.resolve().with_name(path.resolve().name + ".parts")
    return [directory / name for name in texts(file["parts/file"][()])]


def _joined(tables):
    """The rows of all parts as one table with common categories."""
    for column in tables[0].select_dtypes("category"):
        known = [table[column].cat.categories for table in tables]
        if any(not categories.equals(known[0]) for categories in known):
            joined = union_categoricals([table[column] for table in tables], sort_categories=True).categories
            for table in tables:
                table[column] = table[column].cat.set_categories(joined)
    return pd.concat(tables, ignore_index=True)


def _open(path):
    try:
        return h5py.File(path, "r")
    except OSError:
        return h5py.File(path, "r", locking=False)  # some file systems do not support locks


def load(path):
    """Reads a result file. Raises NotAResultFile with one sentence."""
    path = Path(path)
    if path.is_dir():
        raise NotAResultFile(f"{path} is a folder, not a result file")
    if not path.is_file():
        raise NotAResultFile(f"{path} does not exist")
    try:
        with _open(path) as file:
            if "schema" not in file.attrs:
                raise NotAResultFile(f"{path} is not a result file of pimdse (it has no schema)")
            if file.attrs["schema"] not in SCHEMAS:
                known = f"{SCHEMAS[0]} to {SCHEMAS[-1]}"
                raise NotAResultFile(f"{path} has schema {file.attrs['schema']} (this program reads schemas {known})")
            return _read(file, path)
    except (OSError, KeyError) as error:
        raise NotAResultFile(f"{path} cannot be read ({' '.join(str(error).split())})") from error
