import pytest
from pimdse_results import Selection, SelectionError, axis_label, parse_quantity, print_quantity, readable


@pytest.mark.parametrize(
    "value, unit, text",
    [
        (0.00123, "s", "1.23 ms"),
        (47.9e9, "B/s", "47.9 GB/s"),
        (16 * 2**30, "B", "16 GiB"),
        (2048, "B", "2 KiB"),
        (5.87e-6, "m2", "5.87 mm²"),
        (1e9, "Hz", "1 GHz"),
        (1536, "tokens", "1536 tokens"),
        (0.25, "1", "0.25"),
        (128, "", "128"),
        (3.2e-12, "J", "3.2 pJ"),
        (0, "s", "0 s"),
    ],
)
def test_numbers_are_printed_in_readable_multiples(value, unit, text):
    assert print_quantity(value, unit) == text


@pytest.mark.parametrize(
    "text, value, unit",
    [
        ("16 GiB", 16 * 2**30, "B"),
        ("3 mm2", 3e-6, "m2"),
        ("1.5e-3 s", 1.5e-3, "s"),
        ("20 us", 20e-6, "s"),
        ("614.4 GB/s", 614.4e9, "B/s"),
        ("42", 42.0, ""),
        ("8 TFLOP/s", 8e12, "FLOP/s"),
        ("-2 mJ", -2e-3, "J"),
        ("100 cycles", 100, "cycles"),
    ],
)
def test_quantities_are_read(text, value, unit):
    number, found = parse_quantity(text)
    assert number == pytest.approx(value, rel=1e-12) and found == unit


def test_an_axis_takes_the_multiple_of_its_typical_value():
    assert readable([1e-3, 2e-3, 5.0], "s") == (1e-3, "ms")
    assert readable([], "s") == (1.0, "s")
    assert axis_label("latency", "ms", "", "minimize") == "latency [ms] — less is better"
    assert axis_label("count", "", "", "none") == "count"


def masked(results, text):
    rows = results.feasible("analytic")
    return rows[Selection(text).mask(results, rows)]


def test_conditions_select_rows(results):
    assert (masked(results, "latency <= 1.5 ms").latency <= 1.5e-3).all()
    assert (masked(results, "mode == fast")["mode"] == "fast").all()
    both = masked(results, "clock > 1 GHz and gated == true")
    assert len(both) and (both.clock > 1e9).all() and both.gated.all()
    assert len(masked(results, "size <= 0.5 KiB")) > len(masked(results, "size < 512 B")) > 0
    assert len(masked(results, "mode != fast")) + len(masked(results, "mode == fast")) == len(
        results.feasible("analytic")
    )


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("latancy <= 1 s", "Did you mean 'latency'"),
        ("latency <= 1 J", "is in s, not in J"),
        ("latency <= 1", "has no unit"),
        ("latency", "no condition"),
        ("mode == quick", "is never 'quick'"),
        ("mode < fast", "is a text"),
        ("gated == maybe", "true or false"),
        ("size <= big", "is no number"),
    ],
)
def test_a_mistake_is_one_sentence(results, text, sentence):
    with pytest.raises(SelectionError, match=sentence):
        masked(results, text)
