"""Read result files of pimdse: tables with units, fronts, selections. Needs h5py, numpy and pandas only."""
from .front import is_on_front
from .result_file import NotAResultFile, Results, load
from .select import Selection, SelectionError
from .units import axis_label, parse_quantity, print_quantity, readable

__all__ = [
    "NotAResultFile",
    "Results",
    "Selection",
    "SelectionError",
    "axis_label",
    "is_on_front",
    "load",
    "parse_quantity",
    "print_quantity",
    "readable",
]
