"""Printed quantities."""
import math
import random
import re

import pytest
from pimdse import print_quantity
from conftest import ROOT
from pimdse.units import in_si, is_count, print_in, readable

FACTORS = {"T": 1e12, "G": 1e9, "M": 1e6, "k": 1e3, "": 1.0, "m": 1e-3, "\u00b5": 1e-6, "n": 1e-9, "p": 1e-12,
           "Ti": 2.0**40, "Gi": 2.0**30, "Mi": 2.0**20, "Ki": 2.0**10}


def factor_of(name, unit):
    """SI units in one of the printed unit `name`."""
    if unit == "m2":
        return FACTORS[name.removesuffix("m\u00b2")] ** 2
    return FACTORS[name.removesuffix("" if unit == "1" else unit)]


def numbers_of_every_size(seed=1):
    source = random.Random(seed)
    return [10 ** source.uniform(-12, 14) for _ in range(400)] + [
        share * 10.0**power for power in range(-11, 14) for share in (0.9, 0.9994, 0.9996, 0.99999, 1.0)
    ]


@pytest.mark.parametrize("unit", ["s", "J", "W", "Hz", "B/s", "B", "FLOP/s", "m", "m2", "1"])
@pytest.mark.parametrize("digits", [3, 4, 6])
def test_printed_quantities_are_close_to_the_number(unit, digits):
    for number in numbers_of_every_size():
        for value in (number, -number):
            text = print_quantity(value, unit, digits)
            shown, _, name = text.partition(" ")
            assert abs(float(shown) * factor_of(name, unit) - value) <= 0.501 * number * 10.0 ** (1 - digits), text


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
        assert factor_of(name, "s") == pytest.approx(factor) and 1 <= middle / factor < 1000 or factor == 1e12


def test_counts_have_no_unit_of_measurement():
    assert all(map(is_count, ("1", "tokens", "elements", "cycles"))) and not any(map(is_count, ("s", "B", "%", "")))


def test_every_unit_of_shipped_constants_has_a_size():
    files = ROOT.glob("models/**/*.toml")
    found = r'value *= *[-+.e0-9]+, *unit *= *"([^"]+)"|value *= *[-+.e0-9]+\nunit *= *"([^"]+)"'
    units = {one for file in files for pair in re.findall(found, file.read_text()) for one in pair if one}
    assert len(units) > 50 and all(in_si(unit) > 0 for unit in units)
    assert in_si("MUSD") == 1e6 and in_si("gCO2e/GiB") == pytest.approx(1e-3 / 2**30) and in_si("Mb/s") == 125e3
    assert print_in(2.5e-3, "gCO2e") == "2.5 gCO2e"
