import h5py
import numpy as np
import pandas as pd
import pytest
from pimdse import NotAResultFile, is_on_front, load

HYBRID = len(range(0, 300, 7))


def test_a_row_for_every_result_by_point_then_fidelity(results):
    table = results.table
    assert len(table) == 2000 + HYBRID
    assert (table.point_id.diff().dropna() >= 0).all()
    assert (table.fidelity == "hybrid").sum() == HYBRID
    assert set(table.status.cat.categories) == {"ok", "infeasible", "exception", "not_a_number", "timeout", "crash"}


def test_points_are_decoded(results):
    assert results.parameters == ["mode", "clock", "gated", "order", "size"]
    row = results.table[results.table.point_id == 4 * 3 * 2 * 6 * 5 + 2 + 4 * 1 + 4 * 3 * 1 + 4 * 3 * 2 * 3].iloc[0]
    assert row["mode"] == "très rapide"
    assert row["clock"] == 2e9
    assert row["gated"] is True or row["gated"] == np.True_
    assert row["order"] == "column-bank-row"
    assert row["size"] == 64 * 5


def test_columns_know_their_units_and_senses(results):
    assert results.architecture == "sample"
    assert results.units["clock"] == "Hz" and results.units["latency"] == "s" and results.units["size"] == "B"
    assert results.better == {"latency": "minimize", "energy": "minimize", "speed": "maximize"}
    assert results.assumed == {"energy"}
    assert results.meanings["order"] == "order of fields"
    assert results.objectives == {"latency": "minimize", "energy": "minimize"}


def test_points_that_are_not_ok_have_no_metrics(results):
    ok = results.table.status == "ok"
    assert results.table.loc[ok, ["latency", "energy"]].notna().all().all()
    assert results.table.loc[~ok, ["latency", "energy", "speed"]].isna().all().all()
    assert 0 < (~ok).sum() < len(results.table) / 3


def test_what_is_not_ok_has_a_rule_or_a_reason(results):
    table = results.table
    failed = table.status != "ok"
    assert table.loc[failed, "reason"].notna().all() and table.loc[~failed, ["rule", "reason"]].isna().all().all()
    infeasible = table[table.status == "infeasible"]
    assert set(infeasible.rule) <= {"fits", "aligned"} and infeasible.reason.str.contains("zu groß").any()
    assert results.failures.index.tolist() == table.index[failed].tolist()
    assert "latency" not in results.failures and "mode" in results.failures
    assert results.rules.points.sum() == failed.sum() and results.rules.points.is_monotonic_decreasing


def test_bounds_are_beside_their_metrics(results):
    table = results.with_bounds("latency")
    place = list(table).index("latency")
    assert list(table)[place : place + 4] == ["latency", "latency_low", "latency_high", "latency_kind"]
    assert len(table) == len(results.table) and "energy_low" not in table
    ok = table.status == "ok"
    assert (table.latency_low <= table.latency)[ok].all() and (table.latency <= table.latency_high)[ok].all()
    assert (table.latency_low < table.latency_high)[ok].any()
    everything = results.with_bounds()
    assert (everything.energy_low == everything.energy)[ok].all(), "energy is exact"
    assert len(results.with_bounds("latency", rows=results.feasible())) == len(results.feasible())


def test_choices_flags_and_history_are_there(results):
    assert "fast" in results.choices["mode"] and results.flags == {"gated"} and "size" in results.integers
    assert results.history["evaluations"].is_monotonic_increasing and (results.history["size"] > 0).any()
    assert sorted(results.front().point_id) == sorted(results.front_ids)


def test_the_stated_front_is_the_front_of_the_table(results):
    rows = results.feasible()
    assert results.front_fidelity == "hybrid"
    assert (rows.fidelity == "hybrid").all()
    mask = is_on_front(rows[list(results.objectives)], list(results.objectives.values()))
    assert sorted(rows.point_id[mask]) == sorted(results.front_ids)
    assert len(results.front_ids) > 2


def test_the_file_is_plain_HDF5(sample):
    with h5py.File(sample, "r") as file:
        assert file.attrs["schema"] == 2 and len(file.attrs["digest"]) == 64
        for group in ("parameters", "metrics"):
            for dataset in file[group].values():
                assert dataset.shape == file["point_id"].shape
                assert dataset.dims[0][0] == file["point_id"], "every column is measured along point_id"
                assert dataset.compression == "gzip" and dataset.shuffle
        assert file["metrics/latency"].dtype == np.float64 and file["point_id"].dtype == np.uint64
        low, value, high = (file[name][()] for name in ("bounds/latency_low", "metrics/latency", "bounds/latency_high"))
        ok = file["status"][()] == 0
        assert (low[ok] <= value[ok]).all() and (value[ok] <= high[ok]).all() and (low[ok] < high[ok]).any()
        assert file["bounds/energy_low"] == file["metrics/energy"], "bounds of an exact metric are the metric"
        failures = pd.DataFrame({name: file["failures"][name].asstr()[()] for name in ("class", "rule", "reason")})
        assert len(failures) == (~ok).sum()
        assert failures[failures["class"] == "infeasible"].rule.isin(["fits", "aligned"]).all()
        assert failures.reason.str.contains("zu groß").any()
        history = file["front/history"]
        assert history["evaluations"][-1] == len(low) and history["size"][-1] == len(file["front/ids"])
        assert 0 < history["hypervolume"][-1] <= 1


def test_what_is_not_a_result_file_is_refused_by_name(tmp_path):
    with pytest.raises(NotAResultFile, match="none.h5"):
        load(tmp_path / "none.h5")
    (tmp_path / "text.h5").write_text("hello")
    with pytest.raises(NotAResultFile, match="text.h5"):
        load(tmp_path / "text.h5")
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["x"] = 1
    with pytest.raises(NotAResultFile, match="other.h5.*schema"):
        load(tmp_path / "other.h5")


def test_a_file_can_be_open_twice(sample, tmp_path):
    copy = tmp_path / "copy.h5"
    copy.write_bytes(sample.read_bytes())
    with h5py.File(copy, "r"):
        assert len(load(copy).table) == 2000 + HYBRID
