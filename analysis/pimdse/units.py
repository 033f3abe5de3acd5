"""SI numbers in readable multiples, and the size of a unit in SI."""
import math
import re

# Units with SI prefixes, and units counted in powers of 1024. Numbers in other units are printed without a prefix.
_PREFIXED = {"s", "J", "W", "Hz", "B/s", "FLOP/s", "FLOP", "m", "g"}
_BINARY = {"B"}
_PREFIXES = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "\u00b5"), (1e-9, "n"),
             (1e-12, "p")]
_BINARY_PREFIXES = [(2.0**40, "Ti"), (2.0**30, "Gi"), (2.0**20, "Mi"), (2.0**10, "Ki"), (1.0, "")]
_AREAS = [(1.0, "m\u00b2"), (1e-6, "mm\u00b2"), (1e-12, "\u00b5m\u00b2")]
_COUNTS = set("1 cycle cycles token tokens element elements vectors sequences steps instructions slots flits".split())


def readable(values, unit):
    """(factor, name): divided by `factor`, numbers of the median size are between 1 and 1000, in the unit `name`."""
    finite = sorted(abs(float(v)) for v in values if math.isfinite(v) and v != 0)
    size = finite[len(finite) // 2] if finite else 1.0
    if unit == "kg":
        factor, name = readable([1e3 * v for v in finite], "g")
        return factor / 1e3, name
    if unit == "m2":
        return next(((f, n) for f, n in _AREAS if size >= f * 0.1), _AREAS[-1])
    table = _PREFIXES if unit in _PREFIXED else _BINARY_PREFIXES if unit in _BINARY else [(1.0, "")]
    factor, prefix = next(((f, p) for f, p in table if size >= f), table[-1])
    return factor, "" if unit == "1" else prefix + unit


def is_count(unit):
    """True for units of things that are counted, such as elements and tokens."""
    return unit in _COUNTS


def axis_label(name, unit_name, meaning="", better="none"):
    """'latency [ms] - less is better', with the meaning on a second line if it is short."""
    label = f"{name} [{unit_name}]" if unit_name else name
    hint = {"minimize": "less is better", "maximize": "more is better"}.get(better)
    label += f" \u2014 {hint}" if hint else ""
    return f"{label}\n{meaning}" if meaning and len(meaning) <= 70 else label


def _scaled(value, unit, digits):
    """The scaled number and the name of its unit; 999.99 ms become 1 s."""
    factor, name = readable([value], unit)
    rounded = float(f"{value / factor:.{digits}g}") * factor
    if readable([rounded], unit)[0] != factor:
        value, (factor, name) = rounded, readable([rounded], unit)
    return value / factor, name


def print_quantity(value, unit, digits=3):
    """'47.9 GB/s'; whole numbers without a unit are printed in full."""
    if not math.isfinite(value):
        return str(value)
    scaled, name = _scaled(value, unit, digits)
    digits = max(digits, len(f"{abs(scaled):.0f}")) if abs(scaled) < 1e6 else digits
    text = f"{scaled:.0f}" if scaled == round(scaled) and abs(scaled) < 1e6 else f"{scaled:.{digits}g}"
    return f"{text} {name}".strip()


# Units as people write them (sim/base/quantity_text.hpp): bases in SI, with data in bytes, and what may precede them.
_BASES = {"s": 1.0, "Hz": 1.0, "J": 1.0, "W": 1.0, "Wh": 3600.0, "B": 1.0, "bit": 0.125, "b": 0.125, "bps": 0.125,
          "m": 1.0, "FLOP": 1.0, "op": 1.0, "MAC": 2.0, "FLOPS": 1.0, "OPS": 1.0, "USD": 1.0, "g": 1e-3, "gCO2e": 1e-3}
_WHOLE = {"min": 60.0, "h": 3600.0, "year": 31557600.0, "years": 31557600.0, "%": 0.01, "MT": 1e6, "GT": 1e9} | (
    dict.fromkeys(_COUNTS, 1.0))
_DECIMAL = {"": 1.0, "f": 1e-15, "p": 1e-12, "n": 1e-9, "u": 1e-6, "m": 1e-3, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9,
            "T": 1e12, "P": 1e15}
_TWOS = {"Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40, "Pi": 2.0**50}


def in_si(unit):
    """The size of a unit such as "pJ/bit", "mm2" or "GB/s" in SI, with data in bytes. Raises ValueError otherwise."""
    size = 1.0
    for sign, part in re.findall(r"(^|[*/])([^*/]*)", unit):
        size = size / _factor(part, unit) if sign == "/" else size * _factor(part, unit)
    return size


def _factor(part, unit):
    part = part.strip().replace("\u00b5", "u").replace("\u00b2", "2").replace("\u00b3", "3")
    if part in _WHOLE:
        return _WHOLE[part]
    stem, power = re.fullmatch(r"(.*?)\^?([23]?)", part).groups()
    for prefix, factor in (_DECIMAL | _TWOS).items():
        if stem.startswith(prefix) and stem[len(prefix):] in _BASES:
            return (factor * _BASES[stem[len(prefix):]]) ** int(power or 1)
    raise ValueError(f"'{part or unit}' is not a unit")


def percent(share):
    """'54 %'."""
    return f"{100 * share:.0f} %"


def number_in(value, unit, digits=3):
    """An SI value as a number in this unit, as people write it: number_in(6e-12, "um2") is '6'."""
    number = value / in_si(unit)
    whole = len(f"{abs(number):.0f}") if abs(number) < 1e6 else 0
    return f"{number:.{max(digits, whole)}g}"


def print_in(value, unit, digits=3):
    """An SI value in this unit: print_in(6e-12, "um2") is '6 um2'."""
    return f"{number_in(value, unit, digits)} {'' if unit == '1' else unit}".strip()
