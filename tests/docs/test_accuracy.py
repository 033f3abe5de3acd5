"""docs/generated/accuracy.md: its rows are those of the data, and a group that becomes worse or loses rows is named."""
import copy
import sys

from conftest import ROOT

sys.path.insert(0, str(ROOT / "docs"))
import make_accuracy  # noqa: E402


def now():
    """What the program would say if it said what the page says."""
    return {key: {"rows": rows, "median_absolute_error": error / 100}
            for key, (rows, error) in make_accuracy.recorded().items()}


def test_every_machine_with_rows_is_on_the_page():
    machines = {machine for machine, _ in make_accuracy.recorded()}
    assert machines == {file.stem for file in make_accuracy.ROWS.glob("*.csv")} | {"runs"} and len(machines) >= 9


def test_nothing_is_named_where_nothing_changed():
    assert list(make_accuracy.worse(now())) == []


def test_a_group_that_became_worse_is_named():
    for key, of in now().items():
        found = copy.deepcopy(now())
        found[key]["median_absolute_error"] = of["median_absolute_error"] * 1.05 + 0.014  # within the tolerance
        small = of["median_absolute_error"] <= 0.1
        assert not (small and list(make_accuracy.worse(found))), key
        found[key]["median_absolute_error"] = of["median_absolute_error"] * 1.1 + 0.021
        (said,) = make_accuracy.worse(found)
        assert " ".join(key) in said and "it was" in said


def test_a_prediction_that_disappeared_is_named():
    key = next(iter(now()))
    fewer, none = copy.deepcopy(now()), copy.deepcopy(now())
    fewer[key]["rows"] -= 1
    del none[key]
    for found in (fewer, none):
        (said,) = make_accuracy.worse(found)
        assert "were predicted" in said
