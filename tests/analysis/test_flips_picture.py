"""The picture of winners under draws: bars as long as the shares of the draws."""
import json

import matplotlib.pyplot as plt
import pytest
from pimdse import NothingToDraw
from pimdse.drawing import flips
from pimdse.errors import NotFlips


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def winner(scenario, metric, machine, under="", **won):
    return {"scenario": scenario, "metric": metric, "under": under, "machine": machine, "draws_won": won}


WINNERS = [
    winner("chat", "latency", "mesh", mesh=1.0),
    winner("chat", "energy", "mesh", mesh=0.75, npu=0.25),
    winner("chat", "latency", "npu", "peak_power <= 5 W", npu=0.5, mesh=0.5),
    winner("chat", "energy", None, "peak_power <= 5 W"),
]


def written(folder, **told):
    path = folder / "flips.json"
    path.write_text(json.dumps({"draws": 8, "winners": WINNERS, **told}))
    return path


def test_bars_are_shares_of_draws(tmp_path):
    figure, says = flips.draw(written(tmp_path))
    assert says == "8 draws; 1 of 3 winners win in all of them"
    latency, energy = figure.axes
    assert (latency.get_title(), energy.get_title()) == ("latency", "energy")
    assert [label.get_text() for label in latency.get_yticklabels()] == ["chat, no limit", "chat, <= 5 W"]
    bars = {bar.get_label(): [(p.get_x(), p.get_width()) for p in bar.patches] for bar in energy.containers}
    assert bars == {"mesh": [(0, 0.75), (0, 0)], "npu": [(0.75, 0.25), (0, 0)]}
    assert len(latency.lines) == 1 and list(latency.lines[0].get_ydata()) == [0]


@pytest.mark.parametrize("told, fact", [({"draws": 0}, "--uncertain"), ({"winners": []}, "--uncertain"),
                                        ({"winners": [{"metric": "latency"}]}, "flips")])
def test_what_has_no_draws_is_refused(tmp_path, told, fact):
    with pytest.raises((NothingToDraw, NotFlips), match=fact):
        flips.draw(written(tmp_path, **told))


def test_what_is_no_such_text_is_refused(tmp_path):
    (tmp_path / "text.json").write_text("hello")
    with pytest.raises(NotFlips, match="text.json"):
        flips.read(tmp_path / "text.json")
    with pytest.raises(NotFlips, match="cannot read"):
        flips.read(tmp_path / "none.json")
