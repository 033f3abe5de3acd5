import numpy as np
import pytest
from pimdse import Condition, ConditionError, print_quantity
from pimdse.units import axis_label, readable


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


def test_an_axis_takes_the_multiple_of_its_typical_value():
    assert readable([1e-3, 2e-3, 5.0], "s") == (1e-3, "ms")
    assert readable([], "s") == (1.0, "s")
    assert axis_label("latency", "ms", "", "minimize") .startswith("latency [ms]")
    assert axis_label("count", "", "", "none") == "count"


def masked(results, text):
    return results.feasible("analytic", [Condition(text)])


def test_conditions_select_rows(results):
    assert (masked(results, "latency <= 1.5 ms").latency <= 1.5e-3).all()
    assert (masked(results, "mode == fast")["mode"] == "fast").all()
    both = masked(results, "clock > 1 GHz and gated == true")
    assert len(both) and (both.clock > 1e9).all() and both.gated.all()
    assert len(masked(results, "size <= 0.5 KiB")) > len(masked(results, "size < 512 B")) > 0
    assert len(masked(results, "mode != fast")) + len(masked(results, "mode == fast")) == len(
        results.feasible("analytic")
    )


def test_conditions_have_the_whole_language(results):
    rows = results.feasible("analytic")
    chosen = masked(results, "not (mode == 'fast' or gated) and energy / latency > 2 * 0.5 mW")
    wanted = (rows["mode"] != "fast") & ~rows.gated & (rows.energy / rows.latency > 1e-3)
    assert 0 < len(chosen) < len(rows) and chosen.index.tolist() == rows.index[wanted].tolist()
    assert len(masked(results, "-latency + 1 s > 0")) == len(masked(results, "0 - latency > -1 s")) == len(rows)
    rate = masked(results, "1 / latency >= 500 1/s")
    assert len(rate) and rate.equals(masked(results, "1/latency >= 0.5 1/ms"))
    assert len(masked(results, "true")) == len(rows) and masked(results, "latency < 0").empty


def test_what_is_missing_is_unknown(results):
    table = results.table
    missing = table.latency.isna()
    assert missing.any() and not missing.all()
    assert (Condition("latency > 0").mask(results, table) == ~missing).all()
    assert not Condition("not latency > 0").mask(results, table).any()
    either = Condition("latency > 0 or mode == fast").mask(results, table)
    assert (either == ~missing | (table["mode"] == "fast")).all() and Condition("latency > 0 or true").mask(
        results, table).all()


@pytest.mark.parametrize(
    "text, fact",
    [
        ("latancy <= 1 s", "'latency'"),
        ("latency <= 1 J", "time and energy"),
        ("latency <= 1", r"\bs\b"),
        ("latency / energy <= 1", "s/J"),
        ("latency * energy <= 1", r"J \* 1 s"),
        ("latency <= 1 mss", "'mss'"),
        ("latency", ""),
        ("mode == quick", "'quick'.*mode"),
        ("mode < fast", "=="),
        ("mode == 3", "mode"),
        ("size <= big", "'big'"),
        ("latency <= 1,5 s", r"1,5.*1\.5"),
        ("size <= (1 B", r"'\)'"),
        ("size <= 1 B extra", "extra"),
        ("mode == 'fast", ""),
        ("latency <= 1 s and", ""),
        ("latency + energy > 1 s", "time and energy"),
        ("mode and gated", "'and'"),
        ("not latency", "'not'"),
        ("gated + 1 > 0", ""),
        ("gated - gated", ""),
        ("-gated", ""),
        ("-mode == fast", ""),
        ("gated == 1", ""),
        ("0 + latency <= 1 J", "time and energy"),
        ("", ""),
    ],
)
def test_a_mistake_is_a_line_that_quotes_the_condition(results, text, fact):
    with pytest.raises(ConditionError, match=fact) as caught:
        masked(results, text)
    assert f'"{text}"' in str(caught.value) and "\n" not in str(caught.value)


def test_masks_are_plain_arrays_of_truth(results):
    met = Condition("gated").mask(results, results.table)
    assert isinstance(met, np.ndarray) and met.dtype == bool
