"""Formulas of metrics as metrics of a table: the same numbers, units, senses and intervals as the program's."""
import numpy as np
import pytest
from pimdse import ConditionError, load
from pimdse.formula import is_formula
from test_scripts import front


@pytest.fixture
def fresh(sample):
    return load(sample)


def test_a_formula_is_a_metric_of_the_table(fresh):
    fresh.take_formula("latency * energy")
    name = "latency * energy"
    assert name in fresh.metrics and fresh.units[name] == "J*s" and fresh.better[name] == "minimize"
    ok = fresh.table[fresh.table.status == "ok"]
    assert np.array_equal(ok[name], ok.latency * ok.energy, equal_nan=True)
    assert fresh.table[fresh.table.status != "ok"][name].isna().all()
    bounds = fresh.bounds.loc[ok.index]
    for end in ("low", "high"):
        of = bounds[f"latency_{end}"] * bounds[f"energy_{end}"]
        assert np.array_equal(bounds[f"{name}_{end}"], of, equal_nan=True)
    before = list(fresh.metrics)
    fresh.take_formula(name)
    fresh.take_formula("latency")
    fresh.take_formula("nobody")
    assert fresh.metrics == before


def test_a_quotient_turns_the_ends_and_kinds_of_what_is_below(fresh):
    name = "maximize energy / latency"
    fresh.take_formula(name)
    assert fresh.better[name] == "maximize" and fresh.units[name] == "W"
    bounds = fresh.bounds[(fresh.table.status == "ok").to_numpy()].dropna(subset=["latency_kind", "energy_kind"])
    assert np.array_equal(bounds[f"{name}_low"], bounds.energy_low / bounds.latency_high, equal_nan=True)
    ranks = ("none", "calibrated", "proved")
    for kind, energy, latency in bounds[[f"{name}_kind", "energy_kind", "latency_kind"]].astype(str).to_numpy():
        low = min(ranks.index(energy.split("_")[0]), ranks.index(latency.split("_")[-1]))
        assert kind.split("_")[0] == ranks[low]


def test_what_goes_both_ways_has_no_bounds(fresh):
    name = "minimize latency * energy - latency * energy / 2"
    fresh.take_formula(name)
    assert set(fresh.bounds[f"{name}_kind"]) == {"none"}


@pytest.mark.parametrize("text, fact", [
    ("latency + energy", "latency + energy"), ("latency + latncy", "'latency'"),
    ("energy - energy / latency * latency", "minimize"), ("maximize latency * energy", "less"), ("1 + 2", "1 + 2"),
    ("(latency", "')'")])
def test_a_mistake_is_one_line(fresh, text, fact):
    with pytest.raises(ConditionError) as raised:
        fresh.take_formula(text)
    assert fact in str(raised.value) and "\n" not in str(raised.value)


def test_names_are_no_formulas():
    names = ("latency", "energy@my-chat", "mesh.links", "umdam.power@chat.2")
    assert not any(is_formula(name) for name in names)
    assert all(is_formula(name) for name in ("a + b", "a/b", "-a", "a-b", "2*a", "a@x + b@y"))


def test_scripts_draw_formulas(sample, tmp_path):
    done = front(sample, "-o", tmp_path / "f.svg", "--x", "latency * energy", "--y", "energy")
    assert done.returncode == 0, done.stderr
    assert "latency * energy" in done.stdout and (tmp_path / "f.svg").stat().st_size > 10_000
