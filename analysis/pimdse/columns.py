"""Columns of a result file (docs/file_format.md) as pandas columns."""
from dataclasses import dataclass

import h5py
import numpy as np
import pandas as pd


def texts(values):
    return [v.decode("utf-8") if isinstance(v, bytes) else str(v) for v in values]


def text_column(values):
    """A categorical column of texts."""
    different, codes = np.unique(values, return_inverse=True)
    return pd.Categorical.from_codes(codes, pd.Index(texts(different), dtype=object))


def flag_column(dataset):
    """A categorical column from a data set of numbers with names (flag_meanings)."""
    return pd.Categorical.from_codes(dataset[()], dataset.attrs["flag_meanings"].split())


def _values(dataset):
    if "flag_meanings" in dataset.attrs:
        return flag_column(dataset)
    values = dataset[()]
    if values.dtype.kind in "SO":
        return text_column(values)
    return values.astype(bool) if dataset.attrs.get("kind") == "flag" else values


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
    """A data set that is a column of the table and starts at row `first`; `bounds`: the bounds of a metric."""

    name: str
    dataset: h5py.Dataset
    first: int = 0
    bounds: h5py.Group = None

    def of(self, rows):
        return self._among(self.dataset, rows)

    def bounds_of(self, rows):
        """Names and values of the lower bounds, the upper bounds and their kinds."""
        short = self.dataset.name.rsplit("/", 1)[-1]
        return {f"{self.name}_{end}": self._among(self.bounds[f"{short}_{end}"], rows)
                for end in ("low", "high", "kind")}

    def _among(self, dataset, rows):
        values = _values(dataset)
        return values if len(values) == rows else among(values, self.first, rows)


def _metrics(group, prefix, suffix, first):
    names = texts(group["metrics"].attrs["names"])
    return [Column(prefix + name + suffix, group["metrics"][dataset_name(name)], first, group["bounds"])
            for name in names]


def dataset_name(metric):
    """The name of the data set of a metric. HDF5 would read the slash of a formula as a folder."""
    return metric.replace("/", "\u2215")


def _columns_in(group, prefix="", first=0):
    """Parameters and metrics of a group: metrics, then those of each scenario as NAME@SCENARIO."""
    parameters = [
        Column(prefix + name, group["parameters"][name], first) for name in texts(group["parameters"].attrs["names"])
    ]
    metrics = _metrics(group, prefix, "", first)
    for scenario in texts(group["scenarios"].attrs["names"]) if "scenarios" in group else ():
        metrics += _metrics(group["scenarios"][scenario], prefix, "@" + scenario, first)
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
