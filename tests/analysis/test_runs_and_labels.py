"""What designs, files and colours are called on the pictures, and what the captions say."""
import copy
import re
import json
import os
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.legend import Legend
from pimdse import Condition, NothingToDraw
from pimdse.drawing import axes_of, breakdown, compare, designs, front, history, labels, parallel, runs, shades, style
from pimdse.errors import DifferentRuns


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def other(results):
    """A file of the same space at another level, of a run that was stopped, called the same."""
    found = copy.copy(results)
    found.path, found.state = Path("elsewhere/sample.h5"), "stopped"
    found.space, found.scenarios = results.space + "mode = 'fast'\n", ["chat"]
    found.table = results.table[results.table["mode"] == "fast"]
    return found


def small_texts(figure):
    return [note.get_text() for axes in figure.axes for note in axes.texts
            if note.get_fontsize() == style.SMALL_SIZE]


def test_the_colours_are_those_of_the_page():
    page = json.loads((Path(os.environ["PIMDSE_ROOT"]) / "analysis/report/palette.json").read_text())
    light = page["light"]
    assert list(style.RAMP) == light["ramp"] and style.FRONT_COLOUR == light["front"]
    assert style.SERIES_COLOURS[:4] == (light["selection"], light["front"], light["pinA"], light["pinB"])
    assert set(style.SERIES_COLOURS) == set(light["series"])
    assert (style.GRID_COLOUR, style.QUIET_COLOUR) == (light["line"], light["muted"])
    assert style.TEXT_COLOUR == light["text"] and style.POINT_COLOUR == light["axis"]


@pytest.mark.parametrize("name", ["mode", "gated", "clock"])
def test_few_values_are_entries_of_a_legend_and_no_bar(results, name):
    figure, _ = front.draw(results, "latency", "energy", name, fidelity="analytic")
    (axes,) = figure.axes
    entries = axes.get_legend()
    assert entries.get_title().get_text() == name
    different = results.feasible("analytic")[name].nunique()
    assert len(entries.get_texts()) == different
    colours = [tuple(handle.get_color()) for handle in entries.get_lines()]
    assert len(set(colours)) == different
    drawn = np.concatenate([dots.get_facecolors() for dots in axes.collections if len(dots.get_offsets()) > 1])
    assert len(np.unique(drawn[:, :3], axis=0)) >= different


def test_many_words_share_grey(results):
    rows = results.feasible("analytic").copy()
    rows["mode"] = [f"word {i % 13}" for i in range(len(rows))]
    rows["mode"] = rows["mode"].astype("category")
    found = shades.shades_of(results, rows, "mode")
    assert len(found.texts) == 8 and "5" in found.rest.split()
    assert len({tuple(colour) for colour in found.of(rows)["c"]}) == 9


def test_labels_name_what_differs(results):
    rows = results.feasible("analytic")
    alike = rows[(rows["mode"] == "fast") & rows["gated"]].head(7)
    texts = designs.distinct(results, alike)
    assert len(set(texts)) == 7 and not any("mode" in text or "gated" in text for text in texts)
    twice = alike.iloc[[0, 0, 1]].assign(point_id=[4, 5, 6])
    texts = designs.distinct(results, twice)
    assert len(set(texts)) == 3 and texts[0].endswith("point 4") and texts[1].endswith("point 5")
    assert len(designs.telling(results, rows)) == len(designs.varying_parameters(results, rows))


def test_labels_of_alike_numbers_differ(results):
    rows = results.feasible("analytic").head(2).copy()
    for name in results.parameters:
        rows[name] = rows[name].iloc[0]
    rows["clock"] = [1.00001e9, 1.00002e9]
    texts = designs.distinct(results, rows)
    assert len(set(texts)) == 2, texts


def test_texts_of_an_upright_axis_do_not_overlap(results):
    figure, _ = parallel.draw(results, ["mode", "size", "order", "latency"], (), "analytic")
    figure.canvas.draw()
    texts = [text for text in figure.axes[0].texts if text.get_fontsize() == 7.5]
    boxes = [text.get_window_extent() for text in texts]
    assert len(texts) > 10
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_files_are_told_apart(results, other):
    rows = [results.feasible("analytic")] * 2
    assert runs.names_of([results, other], rows) == [str(results.path), "elsewhere/sample.h5"]
    assert runs.names_of([results, results], rows) == [f"{results.path} (1)", f"{results.path} (2)"]
    with pytest.raises(NothingToDraw, match=r"\b10\b"):
        runs.names_of([results] * 10, rows * 5)


def test_what_differs_is_a_warning_and_in_the_caption(results, other, tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / other.path).symlink_to(results.path.resolve())
    monkeypatch.chdir(tmp_path)
    for draw in (lambda: compare.draw([results, other], "file", "latency", "energy", [Condition("gated")]),
                 lambda: history.draw([results, other], where=[Condition("gated")])):
        with pytest.warns(DifferentRuns) as told:
            figure, _ = draw()
        said = [str(one.message) for one in told]
        facts = [("mode", str(results.path), "elsewhere/sample.h5 fast"),
                 (str(results.path), "elsewhere/sample.h5 chat"),
                 ("elsewhere/sample.h5 (stopped)",)]
        assert len(said) == len(facts)
        assert all(fact in text for text, wanted in zip(said, facts) for fact in wanted), said
        captions = [" ".join(text.split()) for text in small_texts(figure)]
        assert any("gated" in caption and all(text in caption for text in said) for caption in captions), captions


def test_a_part_of_one_space_is_no_other_space(results, recwarn):
    part = copy.copy(results)
    part.path, part.table = Path("part.h5"), results.table[results.table["mode"] == "fast"]
    history.draw([results, part])
    assert not [one for one in recwarn if one.category is DifferentRuns]


def test_what_both_files_have_is_on_the_front_of_both(results):
    _, said = compare.draw([results, results], "file", "latency", "energy")
    shares = [text.rsplit(" ", 3)[-3:] for text in said.split(", ")]
    assert len(shares) == 2 and shares[0][0] == shares[0][2] == shares[1][0] == shares[1][2]


def test_of_many_words_those_on_the_front_have_colours(results):
    rows = pd.concat([results.feasible("analytic").head(1)] * 40, ignore_index=True)
    rows["point_id"], rows["mode"] = range(40), pd.Categorical([f"m{i:02}" for i in range(40)])
    found = copy.copy(results)
    found.table, found.front_ids = rows, np.array([37, 12])
    found.choices = {**results.choices, "mode": [f"m{i:02}" for i in range(40)]}
    entries = shades.shades_of(found, rows, "mode")
    assert {"m12", "m37"} <= set(entries.texts) and len(entries.texts) < 40


def test_scenarios_are_no_rivals_and_named_on_the_axes(results):
    found, columns = copy.copy(results), ("latency", "energy")
    rows = results.feasible("analytic").head(4).copy()
    easy = [[1.0, 9.0], [2.0, 8.0], [3.0, 9.5], [1.0, 9.0]]
    hard = [[50.0, 70.0], [70.0, 80.0], [60.0, 60.0], [50.0, 70.0]]
    for name, values in (("chat", easy), ("draft", hard)):
        rows[[f"{column}@{name}" for column in columns]] = values
    found.table, found.scenarios = rows, ["chat", "draft"]
    for table in ("units", "better", "meanings"):
        known = getattr(results, table)
        new = {f"{column}@{s}": known.get(column, "") for column in columns for s in found.scenarios}
        setattr(found, table, {**known, **new})
    found.meanings["latency"] = "mean over the scenarios"
    figure, said = compare.draw([found], "scenario", "latency", "energy", fidelity="analytic")
    first, *_, equal = rows["point_id"]
    # The second is only on chat's front, the third only on draft's.
    assert re.search(r"\b2 of 4\b", said) and re.search(rf"\b{first}, {equal}\b", said)
    assert "over the scenarios" not in figure.axes[0].get_xlabel()


def test_a_machine_has_the_same_colour_on_every_picture(results):
    rows = results.feasible("analytic").copy()
    some = rows[rows["mode"] != "slow"]
    whole, part = (shades.shades_of(results, one, "mode") for one in (rows, some))
    of_whole, of_part = (dict(zip(one.texts, one.colours.values())) for one in (whole, part))
    assert of_part.items() <= of_whole.items()
    assert len(part.texts) == len(whole.texts) - 1


def test_labels_keep_off_both_legends(results):
    figure, _ = front.draw(results, "latency", "energy", "mode", fidelity="analytic")
    figure.canvas.draw()
    (axes,) = figure.axes
    legends = [one for one in axes.get_children() if isinstance(one, Legend)]
    assert len(legends) == 2
    boxes = [text.get_window_extent() for text in axes.texts]
    assert boxes and not any(a.overlaps(one.get_window_extent()) for a in boxes for one in legends)


@pytest.mark.parametrize("count", [1, 2, 5, 8])
def test_as_many_are_spread_as_asked(count):
    points = np.array([[1.0, 9.0], *[[1.1 + i / 1e4, 8.0 - i / 1e4] for i in range(20)], [7.0, 1.0]])
    chosen = front.spread(points, [False, True], count)
    assert len(set(chosen)) == count and (count == 1 or {0, 21} <= set(chosen))


def test_shares_that_are_unknown_are_said_once(results):
    from pimdse.drawing import sensitivity as picture
    from pimdse.sensitivity import Indices

    row = {"metric": "latency", "first": 0.2, "first_low": 0.1, "first_high": 0.3}
    row |= {name: np.nan for name in ("total", "total_low", "total_high")}
    table = pd.DataFrame([{**row, "parameter": name} for name in ("mode", "size")])
    figure, _ = picture.draw(results, Indices(table, False, 30), ["latency"])
    (caption,) = small_texts(figure)
    assert caption and len(figure.axes[0].get_legend().get_texts()) == 1


@pytest.mark.parametrize("x, y", [("clock", "order"), ("mode", "size"), ("size", "latency"), ("latency", "energy")])
def test_the_legend_hides_nothing_of_the_front(results, x, y):
    figure, _ = front.draw(results, x, y, "gated", fidelity="analytic")
    figure.canvas.draw()
    (axes,) = figure.axes
    spots = axes.transData.transform(np.concatenate([dots.get_offsets() for dots in axes.collections
                                                     if "front" in dots.get_label() or "best" in dots.get_label()]))
    marks, entries = sorted((one for one in axes.get_children() if isinstance(one, Legend)),
                            key=lambda one: one.get_window_extent().x0)
    assert not labels.inside(spots, marks.get_window_extent(), 0)
    width, height = figure.canvas.get_width_height()
    for box in (marks.get_window_extent(), entries.get_window_extent()):
        assert box.x0 >= 0 and box.y0 >= 0 and box.x1 <= width and box.y1 <= height


def test_few_values_of_a_parameter_are_its_ticks(results):
    figure, _ = front.draw(results, "clock", "latency", fidelity="analytic")
    figure.canvas.draw()
    assert [tick.get_text() for tick in figure.axes[0].get_xticklabels()] == ["1", "2", "3"]
    assert axes_of.few_of(np.array([1.0, 1.01, 2.0])) is None
    assert axes_of.few_of(np.array([1.0, 2.0, 4.0, 64.0])).tolist() == [1, 2, 4, 64]
    assert axes_of.few_of(np.arange(30.0)) is None


def test_pictures_of_a_stopped_run_say_so(other):
    for figure, _ in (front.draw(other, "latency", "energy", fidelity="analytic"),
                      parallel.draw(other, ["mode", "latency"], (), "analytic")):
        assert any(re.search(r"\bstopped\b.*\b500 of ", text) for text in small_texts(figure))


def test_levels_that_differ_are_said(results):
    finer = copy.copy(results)
    finer.front_fidelity = "analytic"
    with pytest.warns(DifferentRuns, match=r"\(1\) hybrid, .* \(2\) analytic"):
        history.draw([results, finer])


def test_history_explains_its_dashed_line(results):
    figure, _ = history.draw([results], fidelity="analytic")
    texts = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert len(texts) == 2 and all(text.startswith("sample, ") for text in texts) and "90 % of 20" in texts[1]
    (dashed,) = [line for line in figure.axes[0].lines if line.get_linestyle() == "--"]
    assert dashed.get_color() == figure.axes[0].lines[0].get_color()


def test_a_breakdown_says_of_how_many(results, monkeypatch):
    def evaluation(architecture, **_):
        from pimdse import Evaluation

        parts = pd.DataFrame({"what": ["core", "memory"], "joules": [1e-3, 2e-3]})
        return Evaluation(architecture, "hybrid", "ok", {}, pd.DataFrame(), {"energy": parts})

    monkeypatch.setattr(breakdown, "evaluate", evaluation)
    whole, shown = len(results.front_ids), len(breakdown.choose_rows(results, (), (), None))
    figure, said = breakdown.draw(results, ["energy"])
    (small,) = small_texts(figure)
    assert small.startswith(f"{shown} of {whole} ") and said.startswith(small)
    assert re.search(r"\benergy: memory\b", said)
    one = int(results.front_ids[0])
    figure, said = breakdown.draw(results, ["energy"], [one, one])
    assert said.startswith("1 ")


def test_shares_of_links_are_never_among_the_others_and_have_their_colours():
    from pimdse import Evaluation

    names = [f"part {i}" for i in range(14)] + ["links/exchange", "links/waiting for other stages"]
    seconds = [16.0 - i for i in range(14)] + [0.5, 0.25]
    answer = Evaluation("gpu", "analytic", "ok", {}, pd.DataFrame(),
                        {"time": pd.DataFrame({"what": names, "seconds": seconds})})
    table = breakdown.shares_of({0: answer}, "time")
    assert table.loc[names[-2:], 0].tolist() == [0.5, 0.25] and table[0].sum() == sum(seconds)
    assert sum(str(what).endswith(breakdown.REST) for what in table.index) == 1
    colours = dict(zip(table.index, breakdown.colours_of(table)))
    assert colours["links/exchange"] == style.LINKS_COLOUR
    assert colours["links/waiting for other stages"] == style.WAITING_COLOUR
    others = [colour for what, colour in colours.items() if not breakdown.is_of_links(what)]
    assert style.LINKS_COLOUR not in others and len(set(others)) == len(others)


def test_a_breakdown_without_links_has_the_colours_in_order():
    table = pd.DataFrame({0: [3.0, 2.0, 1.0]}, index=["a", "b", f"4 {breakdown.REST}"])
    assert breakdown.colours_of(table) == [*style.PART_COLOURS[:2], style.OTHERS_COLOUR]
