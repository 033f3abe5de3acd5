"""Values of parameters of any Python type, as the program reads them. Standard library only."""
import decimal
import math
import numbers
import os
import struct
from collections.abc import Mapping

from .errors import Refused

NARROW = {2: "e", 4: "f"}  # formats of struct for floats of so many bytes


def _widened(number, narrow):
    """The shortest decimal that a narrow float stands for: float32(0.1) is 0.1, not 0.10000000149011612."""
    for digits in range(1, 10):
        short = float(f"{number:.{digits}g}")
        try:
            if struct.unpack(narrow, struct.pack(narrow, short))[0] == number:
                return short
        except OverflowError:
            pass  # rounded beyond the largest one
    return number


def plain(value, name):
    """The value as bool, int, float or str; accepts scalars of numpy and other libraries, and paths. Else Refused."""
    if hasattr(value, "item") and getattr(value, "size", 1) == 1:
        narrow = NARROW.get(getattr(value, "itemsize", 8))
        value = value.item()  # a numpy scalar
        if narrow and isinstance(value, float) and math.isfinite(value):
            value = _widened(value, narrow)
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, numbers.Integral) and not isinstance(value, (bool, int)):
        value = int(value)
    if isinstance(value, (numbers.Real, decimal.Decimal)) and not isinstance(value, (bool, int, float)):
        value = float(value)
    if not isinstance(value, (bool, int, float, str)) or isinstance(value, float) and not math.isfinite(value):
        raise Refused(f"{name} is {value!r} (accepted are numbers, texts such as '1 GHz', True and False)")
    return value


def flag_text(value, name):
    """A value as text for a flag."""
    value = plain(value, name)
    return str(value).lower() if isinstance(value, bool) else str(value)


def checked_points(points):
    """Points as a list of dicts with plain values."""
    if isinstance(points, (str, Mapping)) or not hasattr(points, "__iter__"):
        raise Refused("points is not a list of dicts (for a single design, pass its parameters: vlen=2048)")
    return [_checked_point(point, f"points[{i}]") for i, point in enumerate(points)]


def _checked_point(point, place):
    if not isinstance(point, Mapping):
        raise Refused(f"{place} is {point!r} (it must be a dict of parameters)")
    for name in point:
        if not isinstance(name, str):
            raise Refused(f"{place} has the name {name!r} (names of parameters must be texts)")
    return {name: plain(value, f"{place}: {name}") for name, value in point.items()}


def checked_ids(ids):
    """Ids of points as texts of digits; 12.0 becomes 12."""
    if isinstance(ids, (str, Mapping)) or not hasattr(ids, "__iter__"):
        raise Refused(f"ids is {ids!r} (it must be a list of ids)")
    values = [plain(value, f"ids[{i}]") for i, value in enumerate(ids)]
    return [str(int(value)) if isinstance(value, float) and value.is_integer() else str(value) for value in values]
