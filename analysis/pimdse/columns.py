"""Columns of a result file (docs/file_format.md) as pandas columns."""
from dataclasses import dataclass
from functools import cached_property

import h5py
import numpy as np
import pandas as pd

SCENARIOS_IN_TABLES = 3  # since this schema; before it, every scenario has a group


def texts(values):
    return [v.decode("utf-8") if isinstance(v, bytes) else str(v) for v in values]


def text_column(values):
    """A categorical column of texts."""
    different, codes = np.unique(values, return_inverse=True)
    return pd.Categorical.from_codes(codes, pd.Index(texts(different), dtype=object))


def flag_column(dataset):
    """A categorical column from a data set of numbers with names (flag_meanings)."""
    return pd.Categorical.from_codes(dataset[()], dataset.attrs["flag_meanings"].split())


class DataSet:
    """A column, or a table with a column per scenario, which is read when a value of it is needed."""

    def __init__(self, dataset):
        self._dataset = dataset
        self.attributes = {name: dataset.attrs[name] for name in dataset.attrs if name != "DIMENSION_LIST"}

    @cached_property
    def _numbers(self):
        return self._dataset[()]

    def values(self, scenario=None):
        values = self._numbers if scenario is None else self._numbers[:, scenario]
        if "flag_meanings" in self.attributes:
            return pd.Categorical.from_codes(values, self.attributes["flag_meanings"].split())
        if values.dtype.kind in "SO":
            return text_column(values)
        return values.astype(bool) if self.attributes.get("kind") == "flag" else values


def among(values, first, rows):
    """The values of some rows as a column of all rows, missing in the others."""
    if isinstance(values, pd.Categorical):
        codes = np.full(rows, -1)
        codes[first : first + len(values)] = values.codes
        return pd.Categorical.from_codes(codes, values.categories)
    if values.dtype == bool:
        return among(pd.Categorical(np.where(values, "true", "false")), first, rows)
    column = np.full(rows, np.nan)
    column[first : first + len(values)] = values
    return column


@dataclass
class Column:
    """A column of the table, which starts at row `first`; `bounds`: those of a metric, by end; `scenario`: its number
    in the table with a column per scenario."""

    name: str
    dataset: DataSet
    first: int = 0
    bounds: dict = None
    scenario: int = None

    @property
    def attributes(self):
        return self.dataset.attributes

    def of(self, rows):
        return self._among(self.dataset, rows)

    def bounds_of(self, rows):
        """Names and values of the lower bounds, the upper bounds and their kinds."""
        return {f"{self.name}_{end}": self._among(dataset, rows) for end, dataset in self.bounds.items()}

    def _among(self, dataset, rows):
        values = dataset.values(self.scenario)
        return values if len(values) == rows else among(values, self.first, rows)


def _metrics(group, prefix, first, suffixes=("",), in_tables=False):
    """The metrics of a group: columns, or tables with a column per suffix."""
    found = []
    for name in texts(group["metrics"].attrs["names"]):
        short = dataset_name(name)
        bounds = {end: DataSet(group["bounds"][f"{short}_{end}"]) for end in ("low", "high", "kind")}
        found.append((prefix + name, DataSet(group["metrics"][short]), bounds))
    return [Column(name + suffix, dataset, first, bounds, number if in_tables else None)
            for number, suffix in enumerate(suffixes) for name, dataset, bounds in found]


def dataset_name(metric):
    """The name of the data set of a metric. HDF5 would read the slash of a formula as a folder."""
    return metric.replace("/", "\u2215")


def _columns_in(group, prefix="", first=0):
    """Parameters and metrics of a group: metrics, then those of each scenario as NAME@SCENARIO."""
    parameters = [Column(prefix + name, DataSet(group["parameters"][name]), first)
                  for name in texts(group["parameters"].attrs["names"])]
    metrics = _metrics(group, prefix, first)
    scenarios = ["@" + name for name in texts(group["scenarios"].attrs["names"])] if "scenarios" in group else []
    if group.file.attrs["schema"] >= SCENARIOS_IN_TABLES:
        return parameters, metrics + _metrics(group["scenarios"], prefix, first, scenarios, in_tables=True)
    for scenario in scenarios:
        metrics += _metrics(group["scenarios"][scenario[1:]], prefix, first, [scenario])
    return parameters, metrics


def machines_of(file):
    return texts(file["machines"].attrs["names"]) if "machines" in file else []


def columns_of(file):
    """All parameters and all metrics, including those of single machines."""
    parameters, metrics = _columns_in(file)
    for machine in machines_of(file):
        group = file["machines"][machine]
        own = _columns_in(group, machine + ".", int(group.attrs["first_row"]))
        parameters += own[0]
        metrics += own[1]
    return parameters, metrics


def choices_of(file):
    """Parameter -> its possible values, for parameters whose values are names."""
    found = {name: texts(dataset[()]) for name, dataset in file.get("choices", {}).items()}
    for machine in machines_of(file):
        inside = file["machines"][machine].get("choices", {})
        found |= {f"{machine}.{name}": texts(dataset[()]) for name, dataset in inside.items()}
    return found
