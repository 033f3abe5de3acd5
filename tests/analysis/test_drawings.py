"""What is on the pictures, asked of the axes that were drawn."""
import copy
import json
import re

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import LineCollection
from pimdse import Condition, NotATrace, NothingToDraw, UnknownName, is_on_front
from pimdse.drawing import compare, curves, designs, fidelity, front, history, parallel, timeline


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def scattered(results):
    """The sample with energies that have nothing to do with its latencies, so that few designs are on the front."""
    found = copy.copy(results)
    found.table = results.table.copy()
    found.table["energy"] *= np.random.default_rng(4).uniform(1, 9, len(found.table)) * found.table.latency / 1e-3
    return found


def spots(axes, label):
    """Positions of the dots whose label has this."""
    (dots,) = [c for c in axes.collections if label in str(c.get_label())]
    return dots.get_offsets()


def inside(figure, axes):
    """Boxes of all texts lie on the picture."""
    figure.canvas.draw()
    width, height = figure.canvas.get_width_height()
    boxes = [text.get_window_extent() for text in axes.texts if text.get_visible()]
    return all(b.x0 >= -1 and b.y0 >= -1 and b.x1 <= width + 1 and b.y1 <= height + 1 for b in boxes)


def test_a_front_is_drawn_where_it_is(scattered):
    figure, said = front.draw(scattered, "latency", "energy", fidelity="analytic")
    rows = scattered.feasible("analytic")
    best = rows[is_on_front(rows[["latency", "energy"]], ["minimize", "minimize"])]
    drawn = spots(figure.axes[0], "best")
    assert f"{len(rows):,} " in said and len(drawn) == len(best)
    assert sorted(drawn[:, 0]) == pytest.approx(sorted(best.latency * 1e3))
    assert figure.axes[0].get_xlabel().startswith("latency [ms]")
    cloud = spots(figure.axes[0], "dominated")
    assert len(cloud) == len(rows) - len(best)


def test_labels_say_designs_and_hide_nothing(scattered):
    figure, _ = front.draw(scattered, "latency", "energy", fidelity="analytic")
    axes = figure.axes[0]
    assert axes.texts and all("point" not in text.get_text() for text in axes.texts)
    assert inside(figure, axes)
    boxes = [text.get_window_extent() for text in axes.texts]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_whiskers_are_the_bounds(scattered):
    figure, _ = front.draw(scattered, "latency", "energy", fidelity="analytic")
    rows = scattered.feasible("analytic")
    best = rows[is_on_front(rows[["latency", "energy"]], ["minimize", "minimize"])].index
    ends = scattered.bounds.loc[best, ["latency_low", "latency_high"]].to_numpy() * 1e3
    bars = [c.get_segments() for c in figure.axes[0].collections if isinstance(c, LineCollection)]
    (across,) = [segments for segments in bars if segments[0][0][1] == segments[0][1][1]]
    drawn = np.array([[segment[0][0], segment[1][0]] for segment in across])
    assert drawn[np.argsort(drawn[:, 0])] == pytest.approx(ends[np.argsort(ends[:, 0])])


def test_parameters_stand_on_axes_and_a_third_metric_is_colour(scattered):
    figure, _ = front.draw(scattered, "mode", "latency", "energy", [Condition("gated")], "analytic")
    axes, bar = figure.axes
    words = [tick.get_text() for tick in axes.get_xticklabels()]
    assert sorted(words) == sorted(scattered.table["mode"].cat.categories)
    cloud = [c for c in axes.collections if "dominated" in str(c.get_label())][0]
    rows = scattered.feasible("analytic", ["gated"])
    assert set(np.unique(cloud.get_offsets()[:, 0])) <= set(range(len(words)))
    assert len(np.unique(cloud.get_array())) > 50 and bar.get_ylabel().startswith("energy [µJ]")
    assert np.nanmax(cloud.get_array()) <= rows.energy.max() * 1e6 * (1 + 1e-9)


def test_what_a_design_is_called():
    assert designs.setting("channels", 32, "") == "32 channels"
    assert designs.setting("channels", 1, "") == "1 channel"
    assert designs.setting("vlen", 2048, "elements") == "vlen 2048"
    assert designs.setting("frequency", 350e6, "Hz") == "frequency 350 MHz"
    assert designs.setting("npu_buffer", 8 * 2**20, "B") == "npu_buffer 8 MiB"
    assert designs.setting("gated", np.bool_(True), "") == "gated on"
    assert designs.setting("mode", "fast", "") == "mode fast"


def test_a_step_line_stands_at_the_worse_end():
    line = front.step_line([(1, 5), (2, 3)], "minimize")
    assert line.tolist() == [[1, 5], [2, 5], [2, 3]]
    assert front.step_line(np.empty((0, 2)), "minimize").shape == (0, 2)


def test_every_design_is_a_line_across_the_axes(scattered):
    figure, said = parallel.draw(scattered, ["mode", "size", "latency"], [Condition("clock > 2 GHz")], "analytic")
    axes = figure.axes[0]
    rows = scattered.feasible("analytic", ["clock > 2 GHz"])
    others, best = [c for c in axes.collections if isinstance(c, LineCollection)][:2]
    assert len(others.get_segments()) + len(best.get_segments()) == len(rows)
    latency = rows.latency.to_numpy()
    heights = sorted(segment[2][1] for lines in (others, best) for segment in lines.get_segments())
    assert heights == pytest.approx(sorted((latency - latency.min()) / np.ptp(latency)))
    assert [tick.get_text().split("\n")[0] for tick in axes.get_xticklabels()] == ["mode", "size", "latency"]
    assert "latency, energy" in said and str(len(best.get_segments())) in said.replace(",", "")


def test_history_ends_at_the_share_of_all_results(scattered):
    figure, said = history.draw([scattered], fidelity="analytic")
    axes = figure.axes[0]
    steps, median = axes.lines[:2]
    assert steps.get_xdata()[-1] == len(scattered.feasible("analytic"))
    assert (np.diff(steps.get_ydata()) >= 0).all() and steps.get_ydata()[-1] == median.get_ydata()[-1]
    assert f"{steps.get_ydata()[-1]:.4f}" in said


def test_history_agrees_with_what_the_file_says(results):
    rows = results.feasible()
    goals = designs.objectives_of(results)
    share = history.growth(rows, goals, history.box_of(rows, goals), np.arange(len(rows)), [len(rows)])[-1]
    assert share == pytest.approx(results.history.hypervolume.iloc[-1], rel=1e-9)


def test_fidelities_are_compared_design_by_design(results):
    pairs = fidelity.pairs_of([results], "latency", "analytic", "hybrid")
    table = results.table[results.table.status == "ok"]
    both = set(table[table.fidelity == "analytic"].point_id) & set(table[table.fidelity == "hybrid"].point_id)
    assert set(pairs.index) == both
    one = pairs.index[0]
    assert pairs.truth[one] == table[(table.point_id == one) & (table.fidelity == "hybrid")].latency.iloc[0]
    figure, said = fidelity.draw([results], ["latency"])
    holds = ((pairs.low <= pairs.truth) & (pairs.truth <= pairs.high)).sum()
    assert {str(len(pairs)), str(len(pairs) - holds)} <= set(re.findall(r"\d+", said))
    drawn = np.concatenate([line.get_ydata() for line in figure.axes[0].lines if len(line.get_ydata()) > 2])
    assert sorted(drawn) == pytest.approx(sorted(pairs.value / pairs.truth))


def test_one_fidelity_is_nothing_to_compare(results):
    results.table, whole = results.feasible("analytic"), results.table
    try:
        with pytest.raises(NothingToDraw, match="analytic"):
            fidelity.levels_of([results])
    finally:
        results.table = whole


def test_runs_are_compared_front_by_front(scattered):
    figure, said = compare.draw([scattered, scattered], "file", "latency", "energy", fidelity="analytic")
    rows = scattered.feasible("analytic")
    best = is_on_front(rows[["latency", "energy"]], ["minimize", "minimize"]).sum()
    assert len(re.findall(rf"\b{best}\b", said)) >= 2
    labels = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    for i, label in enumerate(labels, 1):
        assert label.startswith(f"{scattered.path} ({i}): ") and re.findall(r"[\d,]+", label.rsplit(":", 1)[1]) == [
            f"{best:,}", f"{len(rows):,}"]
    assert len(labels) == 2
    with pytest.raises(NothingToDraw, match="machine"):
        compare.draw([scattered], "machine")


def test_designs_are_told_apart(results):
    rows = pd.concat([results.feasible("analytic").head(6)])
    texts = designs.distinct(results, rows)
    assert len(set(texts)) == 6


def test_curves_keep_all_other_parameters_the_same(results):
    rows = results.feasible("analytic")
    others = [name for name in designs.varying_parameters(results, rows) if name != "size"]
    some = curves.series(rows, "size", others)
    assert some["size"].is_monotonic_increasing and some["size"].is_unique
    assert all(some[name].nunique() == 1 for name in others)
    counts = rows.groupby(others, observed=True)["size"].nunique()
    assert len(some) == counts.max(), "the combination with most sizes"


def test_a_curve_per_value_of_the_lines_and_a_second_metric_on_the_right(results):
    figure, said = curves.draw(results, ["size"], "latency", "energy", "mode", fidelity="analytic")
    left, right = figure.axes
    modes = results.feasible("analytic")["mode"].unique()
    assert len(left.lines) == len(right.lines) == len(modes)
    assert {text.get_text() for text in left.get_legend().get_texts()} == {f"mode {mode}" for mode in modes}
    assert said.startswith("latency along size") and left.get_ylabel().startswith("latency [")
    assert right.get_ylabel().startswith("energy [")


def test_curves_need_a_parameter(results):
    with pytest.raises(UnknownName):
        curves.draw(results, ["latency"], fidelity="analytic")
    size = results.feasible("analytic")["size"].iloc[0]
    _, said = curves.draw(results, None, "latency", where=[Condition(f"size == {size:g} B")], fidelity="analytic")
    assert "clock" in said and "size" not in said, "a parameter with one value is no axis"


def trace(path, bars):
    """A Chrome trace with these bars (unit, operation, start, duration), in microseconds."""
    named = list(dict.fromkeys(unit for unit, *_ in bars))
    events = [{"name": "process_name", "ph": "M", "pid": 1, "tid": 0, "args": {"name": "machine"}}]
    events += [{"name": "thread_name", "ph": "M", "pid": 1, "tid": i, "args": {"name": unit}}
               for i, unit in enumerate(named, 1)]
    events += [{"name": what, "ph": "X", "ts": start, "dur": duration, "pid": 1, "tid": named.index(unit) + 1}
               for unit, what, start, duration in bars]
    path.write_text(json.dumps({"traceEvents": events}))
    return path


def test_a_timeline_has_a_row_per_unit_and_a_bar_per_operation(tmp_path):
    path = trace(tmp_path / "t.json", [("link", "input", 0, 2000), ("link", "input", 2000, 2000),
                                       ("dpus", "kernel", 2000, 5000)])
    figure, said = timeline.draw(timeline.load(path))
    axes = figure.axes[0]
    assert said == "3 operations of 2 units in 7 ms"
    assert [label.get_text() for label in axes.get_yticklabels()] == ["link", "dpus"]
    spans = sorted(tuple(box.get_extents().intervalx) for bars in axes.collections for box in bars.get_paths())
    assert spans == [pytest.approx(span) for span in [(0, 2), (2, 4), (2, 7)]]
    _, said = timeline.draw(timeline.load(path), until=1e-3)
    assert said == "1 operations of 2 units in 1 ms"


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"traceEvents": [1]}'])
def test_other_files_are_no_traces(tmp_path, text):
    (tmp_path / "t.json").write_text(text)
    with pytest.raises(NotATrace):
        timeline.load(tmp_path / "t.json")
    with pytest.raises(NotATrace):
        timeline.load(tmp_path / "nowhere.json")
