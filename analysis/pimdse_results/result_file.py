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
    units."""

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


def _metrics(file):
    """Names and data sets: metrics, then those of each scenario as NAME@SCENARIO."""
    for name in _texts(file["metrics"].attrs["names"]):
        yield name, file["metrics"][name]
    for scenario in _texts(file["scenarios"].attrs["names"]) if "scenarios" in file else ():
        group = file["scenarios"][scenario]["metrics"]
        for name in _texts(group.attrs["names"]):
            yield f"{name}@{scenario}", group[name]


def _read(file, path):
    columns = {"point_id": file["point_id"][()], "fidelity": _flags(file["fidelity"]), "status": _flags(file["status"])}
    parameters = {name: file["parameters"][name] for name in _texts(file["parameters"].attrs["names"])}
    metrics = dict(_metrics(file))
    results = Results(
        path,
        pd.DataFrame(),
        file.attrs["architecture"],
        file.attrs["digest"],
        {},
        file["front/ids"][()],
        file["front"].attrs["fidelity"],
        list(parameters),
        list(metrics),
    )
    for name, dataset in [*parameters.items(), *metrics.items()]:
        columns[name] = _column(dataset)
        results.units[name] = dataset.attrs["unit"]
        results.meanings[name] = dataset.attrs["meaning"]
    for name, dataset in metrics.items():
        results.better[name] = dataset.attrs["better"]
        if dataset.attrs["assumed"]:
            results.assumed.add(name)
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
