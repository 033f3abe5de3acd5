"""What designs, files and colours are called on the pictures, and what the captions say."""
import copy
import json
import os
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from pimdse import Condition, NothingToDraw
from pimdse.drawing import breakdown, compare, designs, front, history, parallel, runs, shades, style
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
    found.table = results.table[results.table["mode"] == "fast"]
    return found


def small_texts(figure):
    return [note.get_text() for axes in figure.axes for note in axes.texts if note.get_fontsize() == style.SMALL_SIZE]


def test_the_colours_are_those_of_the_page():
    page = json.loads((Path(os.environ["PIMDSE_ROOT"]) / "analysis/report/palette.json").read_text())
    light = page["light"]
    assert list(style.RAMP) == page["ramp"] and style.FRONT_COLOUR == light["front"]
    assert style.SERIES_COLOURS[:4] == (light["selection"], light["front"], light["pinA"], light["pinB"])
    assert (style.GRID_COLOUR, style.QUIET_COLOUR, style.TEXT_COLOUR) == (light["line"], light["muted"], light["text"])
    assert style.POINT_COLOUR == light["axis"]


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
    assert len(found.texts) == 7 and found.rest == "one of 6 others"
    assert len({tuple(colour) for colour in found.of(rows)["c"]}) == 8


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
    with pytest.raises(NothingToDraw, match="9 files are too many"):
        runs.names_of([results] * 9, rows * 5)


def test_what_differs_is_a_warning_and_in_the_caption(results, other):
    for draw in (lambda: compare.draw([results, other], "file", "latency", "energy", [Condition("gated")]),
                 lambda: history.draw([results, other], where=[Condition("gated")])):
        with pytest.warns(DifferentRuns) as told:
            figure, _ = draw()
        said = [str(one.message) for one in told]
        assert said == [f"designs of different spaces: mode ({results.path} varies, elsewhere/sample.h5 fast)",
                        "not all answers of the run are there: elsewhere/sample.h5 (stopped)"]
        (caption,) = [text for text in small_texts(figure) if "spaces" in text]
        assert " ".join(caption.split()) == " ".join(["where gated", *said])


def test_levels_that_differ_are_said(results):
    finer = copy.copy(results)
    finer.front_fidelity = "analytic"
    with pytest.warns(DifferentRuns, match=r"answers of different levels: .* \(1\) hybrid, .* \(2\) analytic"):
        history.draw([results, finer])


def test_history_explains_its_dashed_line(results):
    figure, _ = history.draw([results], fidelity="analytic")
    texts = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert texts == ["sample, by point number", "sample, in random order: median, and 90 % of 20 orders"]
    (dashed,) = [line for line in figure.axes[0].lines if line.get_linestyle() == "--"]
    assert dashed.get_color() == figure.axes[0].lines[0].get_color()


def test_a_breakdown_says_of_how_many(results, monkeypatch):
    def answer(architecture, **_):
        import pandas as pd
        from pimdse import Answer

        parts = pd.DataFrame({"what": ["core", "memory"], "joules": [1e-3, 2e-3]})
        return Answer(architecture, "hybrid", "ok", {}, pd.DataFrame(), {"energy": parts})

    monkeypatch.setattr(breakdown, "evaluate", answer)
    whole, shown = len(results.front_ids), len(breakdown.choose_rows(results, (), (), None))
    figure, said = breakdown.draw(results, ["energy"])
    assert said.startswith(f"{shown} of {whole} designs on the front; the largest part of energy: memory")
    assert small_texts(figure) == [f"{shown} of {whole} designs on the front"]
    one = int(results.front_ids[0])
    figure, said = breakdown.draw(results, ["energy"], [one, one])
    assert said.startswith("1 design;")
