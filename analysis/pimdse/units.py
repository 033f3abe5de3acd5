"""SI numbers in readable multiples."""
import math

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
