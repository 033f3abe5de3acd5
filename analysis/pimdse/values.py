"""Values of parameters as the program reads them, whatever type of Python they have. Standard library only."""
import math
import numbers
import os
from collections.abc import Mapping

from .errors import Refused


def plain(value, name):
    """A bool, int, float or str: scalars of numpy and other libraries, and paths, become one. Refused otherwise."""
    if hasattr(value, "item") and getattr(value, "size", 1) == 1:
        value = value.item()  # of numpy
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, numbers.Integral) and not isinstance(value, (bool, int)):
        value = int(value)
    if isinstance(value, numbers.Real) and not isinstance(value, (bool, int, float)):
        value = float(value)
    if not isinstance(value, (bool, int, float, str)) or isinstance(value, float) and not math.isfinite(value):
        raise Refused(f"{name} is {value!r} (values are numbers, texts such as '1 GHz', True and False)")
    return value


def flag_text(value, name):
    """A value as flags take it."""
    value = plain(value, name)
    return str(value).lower() if isinstance(value, bool) else str(value)


def checked_points(points):
    """Points as a list of dicts with plain values."""
    if isinstance(points, (str, Mapping)) or not hasattr(points, "__iter__"):
        raise Refused("points is not a list of dicts (one design alone is named by parameters: vlen=2048)")
    return [_checked_point(point, f"points[{i}]") for i, point in enumerate(points)]


def _checked_point(point, place):
    if not isinstance(point, Mapping):
        raise Refused(f"{place} is no dict of parameters but {point!r}")
    for name in point:
        if not isinstance(name, str):
            raise Refused(f"{place} has the name {name!r} (names of parameters are texts)")
    return {name: plain(value, f"{place}: {name}") for name, value in point.items()}


def checked_ids(ids):
    """Ids of points as texts of digits; 12.0 is 12."""
    if isinstance(ids, (str, Mapping)) or not hasattr(ids, "__iter__"):
        raise Refused(f"ids is {ids!r} (it must be a list of ids)")
    values = [plain(value, f"ids[{i}]") for i, value in enumerate(ids)]
    return [str(int(value)) if isinstance(value, float) and value.is_integer() else str(value) for value in values]
