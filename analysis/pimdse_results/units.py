"""SI numbers in readable multiples, and back."""
import math
import re

# What takes SI prefixes, and what is counted in powers of 1024. Everything else is printed as it is.
_PREFIXED = {"s", "J", "W", "Hz", "B/s", "FLOP/s", "FLOP", "m"}
_BINARY = {"B"}
_PREFIXES = [
    (1e12, "T"),
    (1e9, "G"),
    (1e6, "M"),
    (1e3, "k"),
    (1.0, ""),
    (1e-3, "m"),
    (1e-6, "\u00b5"),
    (1e-9, "n"),
    (1e-12, "p"),
]
_BINARY_PREFIXES = [(2.0**40, "Ti"), (2.0**30, "Gi"), (2.0**20, "Mi"), (2.0**10, "Ki"), (1.0, "")]
_AREAS = [(1.0, "m\u00b2"), (1e-6, "mm\u00b2"), (1e-12, "\u00b5m\u00b2")]
_READ = {
    "T": 1e12,
    "G": 1e9,
    "M": 1e6,
    "k": 1e3,
    "K": 1e3,
    "m": 1e-3,
    "u": 1e-6,
    "\u00b5": 1e-6,
    "n": 1e-9,
    "p": 1e-12,
    "f": 1e-15,
    "Ti": 2.0**40,
    "Gi": 2.0**30,
    "Mi": 2.0**20,
    "Ki": 2.0**10,
}


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


def axis_label(name, unit_name, meaning="", better="none"):
    """'latency [ms] - less is better', with the meaning on a line of its own when it is short."""
    label = f"{name} [{unit_name}]" if unit_name else name
    hint = {"minimize": "less is better", "maximize": "more is better"}.get(better)
    label += f" \u2014 {hint}" if hint else ""
    return f"{label}\n{meaning}" if meaning and len(meaning) <= 70 else label


def print_quantity(value, unit, digits=3):
    """'47.9 GB/s'; whole numbers without a unit in full."""
    if not math.isfinite(value):
        return str(value)
    factor, name = readable([value], unit)
    scaled = value / factor
    text = f"{scaled:.0f}" if scaled == round(scaled) and abs(scaled) < 1e6 else f"{scaled:.{digits}g}"
    return f"{text} {name}".strip()


def parse_quantity(text):
    """'16 GiB' -> (17179869184.0, 'B'); a plain number has the unit ''. Raises ValueError."""
    match = re.fullmatch(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(.*?)\s*", text)
    if not match:
        raise ValueError(f"'{text}' is no number")
    number, unit = float(match[1]), match[2]
    if unit in ("", "1"):
        return number, ""
    if re.fullmatch(r"(.?)m(?:2|\u00b2)", unit):
        prefix = unit[:-2]
        return number * (_READ[prefix] ** 2 if prefix else 1.0), "m2"
    for base in sorted(_PREFIXED | _BINARY, key=len, reverse=True):
        prefix = unit[: -len(base)]
        if unit == base or (unit.endswith(base) and prefix in _READ):
            return number * _READ.get(prefix, 1.0), base
    return number, unit
