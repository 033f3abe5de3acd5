"""SI numbers in readable multiples, and quantities as space files and conditions write them."""
import math
import re
from typing import NamedTuple

# What takes SI prefixes, and what is counted in powers of 1024. Everything else is printed as it is.
_PREFIXED = {"s", "J", "W", "Hz", "B/s", "FLOP/s", "FLOP", "m"}
_BINARY = {"B"}
_PREFIXES = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "\u00b5"), (1e-9, "n"),
             (1e-12, "p")]
_BINARY_PREFIXES = [(2.0**40, "Ti"), (2.0**30, "Gi"), (2.0**20, "Mi"), (2.0**10, "Ki"), (1.0, "")]
_AREAS = [(1.0, "m\u00b2"), (1e-6, "mm\u00b2"), (1e-12, "\u00b5m\u00b2")]


class Unit(NamedTuple):
    """Powers of second, joule, byte, metre and FLOP; how many SI units one of it is."""

    dimension: tuple = (0, 0, 0, 0, 0)
    in_si: float = 1.0


_TIME, _RATE, _ENERGY, _POWER = (1, 0, 0, 0, 0), (-1, 0, 0, 0, 0), (0, 1, 0, 0, 0), (-1, 1, 0, 0, 0)
_DATA, _LENGTH, _WORK, _SPEED = (0, 0, 1, 0, 0), (0, 0, 0, 1, 0), (0, 0, 0, 0, 1), (-1, 0, 0, 0, 1)
_TAKE_PREFIXES = {"s": Unit(_TIME), "Hz": Unit(_RATE), "J": Unit(_ENERGY), "W": Unit(_POWER), "B": Unit(_DATA),
                  "bit": Unit(_DATA, 0.125), "b": Unit(_DATA, 0.125), "m": Unit(_LENGTH), "FLOP": Unit(_WORK),
                  "FLOPS": Unit(_SPEED)}
_TAKE_BINARY = {name: _TAKE_PREFIXES[name] for name in ("B", "bit", "b")}
_PLAIN = {name: Unit() for name in "1 cycle cycles token tokens element elements vectors sequences steps instructions "
          "slots flits".split()} | {"min": Unit(_TIME, 60.0), "h": Unit(_TIME, 3600.0), "%": Unit(in_si=0.01)}
_READ = {"T": 1e12, "G": 1e9, "M": 1e6, "k": 1e3, "K": 1e3, "m": 1e-3, "u": 1e-6, "n": 1e-9, "p": 1e-12, "f": 1e-15}
_READ_BINARY = {"T": 2.0**40, "G": 2.0**30, "M": 2.0**20, "K": 2.0**10, "k": 2.0**10}
_NAMES = {(0, 0, 0, 0, 0): "plain number", _TIME: "time", _RATE: "frequency", _ENERGY: "energy", _POWER: "power",
          _DATA: "data", (-1, 0, 1, 0, 0): "bandwidth", (0, 0, 0, 2, 0): "area", _WORK: "operations",
          _SPEED: "throughput", _LENGTH: "length", (0, 1, -1, 0, 0): "energy per data"}


def combined(one, other, times):
    """The dimension of a product (times 1) or a quotient (times -1)."""
    return tuple(a + times * b for a, b in zip(one, other))


def unit_of(dimension):
    """A unit that has it, as people write one: 'GB/s' is not among them, 'B/s' is."""
    usual = {_RATE: "Hz or 1/s", _POWER: "W", (0, 0, 0, 2, 0): "mm2"}
    powers = dict(zip(("s", "J", "B", "m", "FLOP"), dimension))
    names = ("FLOP", "J", "B", "m", "s")
    above = "*".join(name for name in names for _ in range(powers[name]))
    below = "".join(f"/{name}" for name in names for _ in range(-powers[name]))
    return usual.get(dimension, (above or "1") + below)


def dimension_name(dimension):
    return _NAMES.get(dimension, f"quantity in {unit_of(dimension)}")


def _plain_unit(text):
    if text in _PLAIN or text in _TAKE_PREFIXES:
        return _PLAIN.get(text) or _TAKE_PREFIXES[text]
    if text[1:2] == "i" and text[2:] in _TAKE_BINARY and text[0] in _READ_BINARY:
        base = _TAKE_BINARY[text[2:]]
        return Unit(base.dimension, base.in_si * _READ_BINARY[text[0]])
    if text[1:] in _TAKE_PREFIXES and text[0] in _READ:
        base = _TAKE_PREFIXES[text[1:]]
        return Unit(base.dimension, base.in_si * _READ[text[0]])
    return None


def _factor(text):
    text = text.strip().translate({0xB5: "u", 0x3BC: "u", 0xB2: "2", 0xB3: "3"})
    unit = _plain_unit(text) if text else None
    if unit is None and text[-1:] in ("2", "3"):
        stem = _plain_unit(text[:-1].removesuffix("^") or " ")
        power = int(text[-1])
        unit = stem and Unit(tuple(power * p for p in stem.dimension), stem.in_si**power)
    if unit is None:
        raise ValueError(f"unknown unit '{text}'")
    return unit


def parse_unit(text):
    """'GB/s' -> Unit. Raises ValueError."""
    result = Unit()
    for sign, factor in re.findall(r"(^|[*/])([^*/]*)", text):
        unit, times = _factor(factor), -1 if sign == "/" else 1
        result = Unit(combined(result.dimension, unit.dimension, times), result.in_si * unit.in_si**times)
    return result


def parse_quantity(text):
    """'16 GiB' -> (17179869184.0, its dimension). Raises ValueError."""
    match = re.fullmatch(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(.*?)\s*", text)
    if not match:
        raise ValueError(f"'{text}' is no number")
    unit = parse_unit(match[2]) if match[2] else Unit()
    number = float(match[1]) * unit.in_si
    if not math.isfinite(number):
        raise ValueError(f"'{text}' is {number} in SI (that is no quantity)")
    return number, unit.dimension


def readable(values, unit):
    """(factor, name): divide by `factor` to get numbers around 1 to 1000 of the unit `name`; chosen by the typical
    size."""
    finite = sorted(abs(float(v)) for v in values if math.isfinite(v) and v != 0)
    size = finite[len(finite) // 2] if finite else 1.0
    if unit == "m2":
        return next(((f, n) for f, n in _AREAS if size >= f * 0.1), _AREAS[-1])
    table = _PREFIXES if unit in _PREFIXED else _BINARY_PREFIXES if unit in _BINARY else [(1.0, "")]
    factor, prefix = next(((f, p) for f, p in table if size >= f), table[-1])
    return factor, "" if unit == "1" else prefix + unit


def is_count(unit):
    """True for elements, tokens and other units of what is counted."""
    return unit in _PLAIN and _PLAIN[unit] == Unit()


def axis_label(name, unit_name, meaning="", better="none"):
    """'latency [ms] - less is better', with the meaning on a line of its own when it is short."""
    label = f"{name} [{unit_name}]" if unit_name else name
    hint = {"minimize": "less is better", "maximize": "more is better"}.get(better)
    label += f" \u2014 {hint}" if hint else ""
    return f"{label}\n{meaning}" if meaning and len(meaning) <= 70 else label


def _scaled(value, unit, digits):
    """The number and the name of its multiple; 999.99 of one are one of the next."""
    factor, name = readable([value], unit)
    rounded = float(f"{value / factor:.{digits}g}") * factor
    if readable([rounded], unit)[0] != factor:
        value, (factor, name) = rounded, readable([rounded], unit)
    return value / factor, name


def print_quantity(value, unit, digits=3):
    """'47.9 GB/s'; whole numbers without a unit in full."""
    if not math.isfinite(value):
        return str(value)
    scaled, name = _scaled(value, unit, digits)
    digits = max(digits, len(f"{abs(scaled):.0f}")) if abs(scaled) < 1e6 else digits
    text = f"{scaled:.0f}" if scaled == round(scaled) and abs(scaled) < 1e6 else f"{scaled:.{digits}g}"
    return f"{text} {name}".strip()
