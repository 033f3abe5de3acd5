"""The front under draws of uncertain constants: what is read, and what the pictures show."""
import json
import os
import subprocess

import h5py
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from joint_space import JOINT
from pimdse import NothingToDraw, load
from pimdse.drawing import robust, tornado
from pimdse.units import in_si, number_in, print_in

SPACE = f"""{JOINT}[uncertain]
samples = 8
"technology.mac_fp16" = "stated"
"technology.sram_leakage" = "stated"
"cim_mesh.value_bits" = "stated"
"""


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    folder = tmp_path_factory.mktemp("robust")
    (folder / "space.toml").write_text(SPACE)
    subprocess.run([os.environ["PIMDSE"], "explore", "space.toml", "-o", "run.h5", "--progress", "none"], cwd=folder,
                   check=True, capture_output=True, timeout=240)
    return load(folder / "run.h5")


def said(**options):
    """As `pimdse explain` prints it; the constant `wide` changes both objectives, `small` one, `idle` none."""
    def constant(name, energy, latency=(2.0, 2.0)):
        return {"constant": name, "unit": "um2", "nominal": 4e-12, "lower": 2e-12, "upper": 8e-12, "objectives": [
            {"name": "latency", "nominal": 2.0, "at_lower": latency[0], "at_upper": latency[1]},
            {"name": "energy", "nominal": 10.0, "at_lower": energy[0], "at_upper": energy[1]}]}
    rows = [constant("small", (9.5, 11.0)), constant("idle", (10.0, 10.0)), constant("wide", (6.0, 18.0), (1.9, None))]
    return {"front_share": 0.75, "tornado": rows, "leaves_front": None} | options


def test_a_file_has_what_was_drawn(drawn):
    uncertain = drawn.uncertain
    assert uncertain.draws == 8 and uncertain.objectives == ["latency", "energy"]
    assert sorted(uncertain.constants.name) == ["cim_mesh.value_bits", "technology.mac_fp16",
                                                "technology.sram_leakage"]
    with h5py.File(drawn.path) as file:
        group = file["uncertain"]
        for name in ("front_share", "regret", "latency_q05", "energy_q95"):
            assert uncertain.designs[name].tolist() == group["designs"][name][:].tolist()
        names = [group["constants/name"][place].decode() for place in group["flips/constant"][:]]
        assert uncertain.flips.constant.tolist() == names and names
    assert set(uncertain.flips.before) | set(uncertain.flips.after) <= set(drawn.machines)
    assert (uncertain.designs.now == uncertain.designs.point_id.isin(drawn.front_ids)).all()


def test_a_file_without_draws_has_none(results, sample):
    assert results.uncertain is None
    with pytest.raises(NothingToDraw, match="sample.h5.*--uncertain"):
        robust.draw(results)


def test_designs_are_at_their_medians_with_their_spread(drawn):
    rows = robust.rows_of(drawn, drawn.uncertain)
    figure = plt.figure()
    robust.draw_designs(figure, drawn, drawn.uncertain, rows, int(rows.point_id.iloc[0]))
    axes = figure.axes[0]
    dots = np.concatenate([one.get_offsets() for one in axes.collections if hasattr(one, "get_sizes")
                           and len(one.get_sizes())])
    assert sorted(dots[:, 0]) == pytest.approx(sorted(rows.latency_q50 * 1e3))
    across, up = [one.get_segments() for one in axes.collections if hasattr(one, "get_segments")]
    assert [line[:, 0].tolist() for line in across] == [
        pytest.approx([1e3 * row.latency_q05, 1e3 * row.latency_q95]) for row in rows.itertuples()]
    spread = [1e3 * (row.energy_q95 - row.energy_q05) for row in rows.itertuples()]
    assert [np.ptp(line[:, 1]) for line in up] == pytest.approx(spread)
    assert axes.get_xlabel().startswith("latency [ms]")
    shown = " ".join(text.get_text() for text in axes.get_legend().get_texts())
    assert f"{rows.now.sum()} on the front as assumed" in shown and f"{(~rows.now).sum()} in some draws" in shown


def test_bars_of_machines_are_their_shares(drawn):
    figure = plt.figure()
    robust.draw_machines(figure, drawn.uncertain)
    widths = [[bar.get_width() for bar in container] for container in figure.axes[0].containers]
    known = drawn.uncertain.machines[["best_latency", "best_energy"]] / 8
    assert widths == known.to_numpy().tolist() and known.sum().tolist() == [1, 1]


def test_the_largest_change_comes_first_and_idle_constants_are_left_out():
    found = tornado.tornado_of(3, True, said())
    assert found.constants.name.tolist() == ["wide", "small"]
    energy, latency = found.of("energy"), found.of("latency")
    assert energy.loc["wide"].tolist() == pytest.approx([-0.4, 0.8])
    assert latency.loc["wide", "at_lower"] == pytest.approx(-0.05) and np.isnan(latency.loc["wide", "at_upper"])
    assert tornado.changing(found) == ["latency", "energy"]


def test_a_panel_has_both_ends_and_says_where_there_is_no_result(drawn):
    figure = plt.figure(figsize=(8, 4))
    tornado.draw(figure, drawn, tornado.tornado_of(6, True, said()), "point 6")
    latency, energy = figure.axes
    lower, upper = ([bar.get_width() for bar in container] for container in energy.containers)
    assert lower == pytest.approx([-40, -5]) and upper == pytest.approx([80, 10])
    assert [text.get_text() for text in latency.texts if text.get_text() == "no result"] == ["no result"]
    assert [text.get_text() for text in latency.get_yticklabels()] == [
        "wide\n2 to 8 um2, assumed 4", "small\n2 to 8 um2, assumed 4"]


def test_where_nothing_changes_that_is_said(drawn):
    idle = said()
    idle["tornado"] = idle["tornado"][1:2]
    figure = plt.figure()
    tornado.draw(figure, drawn, tornado.tornado_of(6, True, idle), "point 6")
    assert figure._suptitle.get_text().startswith("no constant changes point 6")


def test_the_sentence_says_when_a_design_leaves_the_front():
    leaves = {"constant": "wide", "unit": "um2", "value": 6e-12, "change": 0.5, "dominated_by": "12"}
    told = tornado.standing(tornado.tornado_of(3, True, said(leaves_front=leaves)))
    assert "75 % of the draws" in told and "wide takes it off the front at 6 um2 (+50 %)" in told and "point 12" in told
    told = tornado.standing(tornado.tornado_of(3, True, said(leaves_front=leaves | {"dominated_by": None})))
    assert "infeasible" in told and "point" not in told
    assert "not as assumed" in tornado.standing(tornado.tornado_of(3, False, said(leaves_front=leaves)))


def test_the_usual_design_is_most_often_on_the_front_and_the_fastest_of_these(drawn):
    rows = pd.DataFrame({"point_id": [1, 2, 3], "front_share": [1.0, 0.5, 1.0], "latency": [3.0, 1.0, 2.0]})
    assert robust.usual_point(drawn, rows, "latency") == 3


def test_the_script_draws_all_with_the_program(drawn, tmp_path):
    script = os.path.join(os.environ["PIMDSE_ROOT"], "analysis", "robust.py")
    done = subprocess.run([script, drawn.path, "-o", tmp_path / "x.png"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    best = robust.usual_point(drawn, robust.rows_of(drawn, drawn.uncertain), "latency")
    assert "8 draws; designs on the front: 1 as assumed" in done.stdout and f"point {best}: on the front" in done.stdout
    assert plt.imread(tmp_path / "x.png").shape[0] > 1000
    words = ["explain", drawn.path, str(best), "--format", "json"]
    text = subprocess.run([os.environ["PIMDSE"], *words], capture_output=True, text=True, timeout=120).stdout
    found, known = tornado.asked(drawn, best), json.loads(text)["uncertain"]
    for one in known["tornado"]:
        for goal in one["objectives"]:
            ends = found.of(goal["name"]).loc[one["constant"]].to_numpy() + 1
            assert ends * goal["nominal"] == pytest.approx([goal["at_lower"], goal["at_upper"]])
    assert len(known["tornado"]) == len(found.constants) > 0


@pytest.mark.parametrize("unit, size", [
    ("um2", 1e-12), ("pJ/bit", 8e-12), ("mm2/Gibit", 8e-6 / 2**30), ("GB/s", 1e9), ("mW/MiB", 1e-3 / 2**20),
    ("KiB", 1024), ("1", 1), ("1/s", 1), ("cycles", 1), ("%", 0.01), ("min", 60), ("mm2/nJ", 1e3), ("MHz", 1e6)])
def test_a_unit_has_its_size(unit, size):
    assert in_si(unit) == pytest.approx(size, rel=1e-12)


def test_a_text_that_is_no_unit_is_refused():
    for text in ("furlong", "", "mm2/", "GB//s"):
        with pytest.raises(ValueError):
            in_si(text)


def test_numbers_are_written_in_the_unit_of_people():
    assert [number_in(2048 * 1024, "KiB"), print_in(3.5067e-13, "pJ"), print_in(8.0, "1")] == ["2048", "0.351 pJ", "8"]
