"""The group /uncertain of a result file (docs/uncertain.md): the front when constants of the machines are known within
ranges only."""
from dataclasses import dataclass

import numpy as np
import pandas as pd

from .columns import dataset_name, texts

QUANTILES = ("q05", "q50", "q95")


@dataclass
class Uncertain:
    """Numbers in SI. Tables by the columns of the file: `constants` (name, unit of texts, nominal, lower, upper,
    effective), `designs` (point_id, now, certain, front_share, regret, OBJECTIVE_q05, _q50, _q95), `machines` (name,
    draws_on_front, best_OBJECTIVE), `decisions` (machine, parameter, value) and `flips` (with names instead of
    positions). `possible`: ids of the designs that may be on the front."""

    statement: str
    objectives: list
    draws: int
    constants: pd.DataFrame
    designs: pd.DataFrame
    machines: pd.DataFrame
    decisions: pd.DataFrame
    flips: pd.DataFrame
    possible: np.ndarray


def _table(group, flags=()):
    columns = {name: dataset[()] for name, dataset in group.items()}
    table = pd.DataFrame({name: texts(values) if values.dtype.kind in "SO" else values
                          for name, values in columns.items()})
    return table.astype(dict.fromkeys(flags, bool))


def uncertain_of(group):
    """Reads the group. Columns of objectives have the name of the objective, slashes included."""
    objectives = texts(group.attrs["objectives"])
    constants = _table(group["constants"], ("effective", "whole"))
    machines, flips = _table(group["machines"]), _table(group["flips"])
    for column, known in (("constant", constants["name"]), ("before", machines["name"]),
                          ("after", machines["name"]), ("objective", objectives)):
        flips[column] = [known[int(place)] for place in flips[column]]
    own = {dataset_name(name): name for name in objectives}
    designs = _table(group["designs"], ("now", "certain")).rename(
        columns={"point": "point_id"} |
        {f"{stored}_{q}": f"{name}_{q}" for stored, name in own.items() for q in QUANTILES})
    machines = machines.rename(columns={f"best_{stored}": f"best_{name}" for stored, name in own.items()})
    return Uncertain(group.attrs["statement"], objectives, len(group["draws/front_size"]), constants, designs, machines,
                     _table(group["decisions"]), flips, group["possible"][()])
