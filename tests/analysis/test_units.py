"""Quantities against a table of their own, and what is printed against what is read."""
import math
import random

import pytest
from pimdse import print_quantity
from pimdse.units import combined, dimension_name, parse_quantity, parse_unit, readable

PREFIXES = {"f": -15, "p": -12, "n": -9, "u": -6, "m": -3, "": 0, "k": 3, "K": 3, "M": 6, "G": 9, "T": 12}
BASES = {"s": ("s", 1), "Hz": ("1/s", 1), "J": ("J", 1), "W": ("J/s", 1), "B": ("B", 1), "bit": ("B", 0.125),
         "b": ("B", 0.125), "m": ("m", 1), "FLOP": ("FLOP", 1), "FLOPS": ("FLOP/s", 1)}


def numbers_of_every_size(seed=1):
    source = random.Random(seed)
    return [10 ** source.uniform(-12, 14) for _ in range(400)] + [
        share * 10.0**power for power in range(-11, 14) for share in (0.9, 0.9994, 0.9996, 0.99999, 1.0)
    ]


@pytest.mark.parametrize("base", BASES)
def test_every_prefix_is_a_power_of_ten(base):
    plain, factor = BASES[base]
    for prefix, power in PREFIXES.items():
        unit = parse_unit(prefix + base)
        if prefix + base == "min":
            continue
        assert unit.dimension == parse_unit(plain).dimension
        assert unit.in_si == pytest.approx(factor * 10.0**power, rel=1e-12), prefix + base


@pytest.mark.parametrize("base", ["B", "bit", "b"])
def test_binary_prefixes_are_powers_of_1024(base):
    for power, prefix in enumerate("KMGT", 1):
        assert parse_unit(f"{prefix}i{base}").in_si == 1024**power * parse_unit(base).in_si
    with pytest.raises(ValueError):
        parse_unit("mi" + base)


@pytest.mark.parametrize(
    "letters, plain", [("mm²", "mm2"), ("µm³", "um3"), ("μs", "us"), ("mm^2", "mm2"), ("m^3", "m3")]
)
def test_special_letters_are_units_too(letters, plain):
    assert parse_unit(letters) == parse_unit(plain)


def test_quotients_and_products_combine():
    source = random.Random(2)
    names = [prefix + base for prefix in ("", "M", "n") for base in BASES]
    for _ in range(300):
        words = [source.choice(names) for _ in range(source.randint(1, 4))]
        signs = [1] + [source.choice([1, -1]) for _ in words[1:]]
        text = words[0] + "".join(("*" if sign > 0 else "/") + word for sign, word in zip(signs[1:], words[1:]))
        unit, dimension, scale = parse_unit(text), (0, 0, 0, 0, 0), 0.0
        for word, sign in zip(words, signs):
            one = parse_unit(word)
            dimension, scale = combined(dimension, one.dimension, sign), scale + sign * math.log(one.in_si)
        assert unit.dimension == dimension and math.log(unit.in_si) == pytest.approx(scale, abs=1e-9), text


@pytest.mark.parametrize("text", ["GB//s", "/s", "s/", "*s", "m4", "m22", "^2", "iB", "KiHz", "G", "1e400 s",
                                  "1e300 TB", "inf s", "nan", "0x10", "4 ns ns", "", " "])
def test_what_is_no_quantity_is_a_sentence(text):
    with pytest.raises(ValueError) as caught:
        parse_quantity(text if text[:1].isdigit() or text in ("inf s", "nan", "", " ") else f"1 {text}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("unit", ["s", "J", "W", "Hz", "B/s", "B", "FLOP/s", "m", "m2", "1"])
@pytest.mark.parametrize("digits", [3, 4, 6])
def test_what_is_printed_is_read_again(unit, digits):
    for number in numbers_of_every_size():
        for value in (number, -number):
            text = print_quantity(value, unit, digits)
            read, dimension = parse_quantity(text)
            assert abs(read - value) <= 0.501 * number * 10.0 ** (1 - digits), text
            assert dimension == parse_unit(unit).dimension


@pytest.mark.parametrize("unit", ["s", "J", "Hz", "B/s", "FLOP"])
def test_a_thousand_of_a_unit_is_one_of_the_next(unit):
    for number in numbers_of_every_size():
        text = print_quantity(number, unit)
        shown = float(text.split()[0])
        assert 1 <= shown < 1000 and "e" not in text.split()[0], text
    for count in range(1, 1 << 14, 3):
        assert "e" not in print_quantity(count * 341, "B").split()[0], count * 341


def test_the_multiple_is_that_of_the_middle_of_all():
    source = random.Random(3)
    for _ in range(200):
        values = [source.choice([1, -1]) * 10 ** source.uniform(-10, 12) for _ in range(source.randint(1, 9))]
        factor, name = readable([*values, 0.0, math.nan, math.inf], "s")
        middle = sorted(abs(value) for value in values)[len(values) // 2]
        assert parse_unit(name).in_si == pytest.approx(factor) and 1 <= middle / factor < 1000 or factor == 1e12


def test_dimensions_have_names():
    names = {"s": "time", "GB/s": "bandwidth", "mm2": "area", "pJ/bit": "energy per data", "FLOPS": "throughput"}
    for text, name in {**names, "%": "plain number"}.items():
        assert dimension_name(parse_unit(text).dimension) == name
    assert dimension_name(parse_unit("J*s/m").dimension) == "quantity in J*s/m"
