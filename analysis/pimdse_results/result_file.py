"""A result file as a pandas table; docs/file_format.md describes the file."""
from dataclasses import dataclass, field
from pathlib import Path

import h5py
import numpy as np
import pandas as pd
from pandas.api.types import union_categoricals

SCHEMAS = (1, 2)


class NotAResultFile(Exception):
    """The file is missing, no HDF5, or not written by pimdse."""


@dataclass
class Results:
    """One row per answer. `table` has point_id, fidelity, status, then a column per parameter and per metric, all in SI
    units. Of a space of several machines it has `machine`, and what only one of them has as MACHINE.NAME, which is
    missing in the rows of others."""

    path: Path
    table: pd.DataFrame
    architecture: str
    digest: str
    objectives: dict           # metric -> "minimize" or "maximize"
    front_ids: np.ndarray      # as the file states them, for all its objectives
    front_fidelity: str
    parameters: list           # names in declared order
    metrics: list
    units: dict = field(default_factory=dict)     # column -> SI unit
    meanings: dict = field(default_factory=dict)
    better: dict = field(default_factory=dict)    # metric -> "minimize", "maximize" or "none"
    assumed: set = field(default_factory=set)     # metrics that rest on an assumption
    machines: list = field(default_factory=list)  # names, where there are several

    def feasible(self, fidelity=None):
        """The rows of one fidelity (that of the front by default) that are ok."""
        wanted = fidelity or self.front_fidelity
        return self.table[(self.table.status == "ok") & (self.table.fidelity == wanted)]


def _texts(values):
    return [v.decode("utf-8") if isinstance(v, bytes) else str(v) for v in values]


def _column(dataset):
    values = dataset[()]
    if values.dtype.kind in "SO":
        return pd.Categorical(_texts(values))
    if dataset.attrs.get("kind") == "flag":
        return values.astype(bool)
    return values


def _flags(dataset):
    meanings = dataset.attrs["flag_meanings"].split()
    return pd.Categorical.from_codes(dataset[()], meanings)


@dataclass
class _Named:
    """A data set that is a column of the table, `first` the row it begins at."""

    name: str
    dataset: h5py.Dataset
    first: int = 0

    def column(self, rows):
        values = _column(self.dataset)
        return values if len(values) == rows else _among(values, self.first, rows)


def _among(values, first, rows):
    """Values of some rows as a column of all: missing elsewhere."""
    if isinstance(values, pd.Categorical):
        codes = np.full(rows, -1)
        codes[first : first + len(values)] = values.codes
        return pd.Categorical.from_codes(codes, values.categories)
    if values.dtype == bool:
        return _among(pd.Categorical(np.where(values, "true", "false")), first, rows)
    column = np.full(rows, np.nan)
    column[first : first + len(values)] = values
    return column


def _columns_in(group, prefix="", first=0):
    """Parameters and metrics of a group: metrics, then those of each scenario as NAME@SCENARIO."""
    parameters = [
        _Named(prefix + name, group["parameters"][name], first) for name in _texts(group["parameters"].attrs["names"])
    ]
    metrics = [_Named(prefix + name, group["metrics"][name], first) for name in _texts(group["metrics"].attrs["names"])]
    for scenario in _texts(group["scenarios"].attrs["names"]) if "scenarios" in group else ():
        inside = group["scenarios"][scenario]["metrics"]
        names = _texts(inside.attrs["names"])
        metrics += [_Named(f"{prefix}{name}@{scenario}", inside[name], first) for name in names]
    return parameters, metrics


def _all_columns(file):
    parameters, metrics = _columns_in(file)
    for machine in _texts(file["machines"].attrs["names"]) if "machines" in file else ():
        group = file["machines"][machine]
        own = _columns_in(group, machine + ".", int(group.attrs["first_row"]))
        parameters += own[0]
        metrics += own[1]
    return parameters, metrics


def _read(file, path):
    columns = {"point_id": file["point_id"][()], "fidelity": _flags(file["fidelity"]), "status": _flags(file["status"])}
    machines = _texts(file["machines"].attrs["names"]) if "machines" in file else []
    if machines:
        columns["machine"] = _flags(file["machine"])
    parameters, metrics = _all_columns(file)
    results = Results(
        path,
        pd.DataFrame(),
        file.attrs["architecture"],
        file.attrs["digest"],
        {},
        file["front/ids"][()],
        file["front"].attrs["fidelity"],
        (["machine"] if machines else []) + [one.name for one in parameters],
        [one.name for one in metrics],
        machines=machines,
    )
    if machines:
        results.units["machine"], results.meanings["machine"] = "", file["machine"].attrs["meaning"]
    for one in [*parameters, *metrics]:
        columns[one.name] = one.column(len(columns["point_id"]))
        results.units[one.name] = one.dataset.attrs["unit"]
        results.meanings[one.name] = one.dataset.attrs["meaning"]
    for one in metrics:
        results.better[one.name] = one.dataset.attrs["better"]
        if one.dataset.attrs["assumed"]:
            results.assumed.add(one.name)
    results.objectives = dict(zip(_texts(file["front"].attrs["objectives"]), _texts(file["front"].attrs["better"])))
    results.table = (
        pd.concat(_tables_of_parts(file, path), ignore_index=True) if "parts" in file else pd.DataFrame(columns)
    )
    return results


def _tables_of_parts(file, path):
    """The rows of a file that has them in parts, with the same categories everywhere, so that they can be joined."""
    directory = path.resolve().with_name(path.resolve().name + ".parts")
    tables = [load(directory / name).table for name in _texts(file["parts/file"][()])]
    for column in tables[0].select_dtypes("category"):
        joined = union_categoricals(
            [table[column] for table in tables], sort_categories=not hasattr(file.get(column), "shape")
        ).categories
        for table in tables:
            table[column] = table[column].cat.set_categories(joined)
    return tables


def _open(path):
    try:
        return h5py.File(path, "r")
    except OSError:
        return h5py.File(path, "r", locking=False)  # some file systems have no locks


def load(path):
    """Read a result file. Raises NotAResultFile with one sentence."""
    path = Path(path)
    if not path.is_file():
        raise NotAResultFile(f"{path} is not there")
    try:
        with _open(path) as file:
            if "schema" not in file.attrs:
                raise NotAResultFile(f"{path} is no result file of pimdse (it has no schema)")
            if file.attrs["schema"] not in SCHEMAS:
                known = f"{SCHEMAS[0]} to {SCHEMAS[-1]}"
                raise NotAResultFile(f"{path} has schema {file.attrs['schema']} (this program reads schemas {known})")
            return _read(file, path)
    except (OSError, KeyError) as error:
        raise NotAResultFile(f"{path} cannot be read ({error})") from error
