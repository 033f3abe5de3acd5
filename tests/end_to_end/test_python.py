"""`import pimdse`: designs evaluated, spaces explored, files read, as the program does it."""
import json
import os
import shutil
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction

import pytest

from conftest import PIMDSE, ROOT, UPMEM_CLOCKS

sys.path.insert(0, str(ROOT) + "/analysis")
import pimdse as package  # noqa: E402


def test_a_design_is_what_the_program_says_of_it(pimdse):
    answer = package.evaluate("dplena", vlen=1024, channels=8, fidelity="cycle")
    words = ["--set", "vlen=1024", "--set", "channels=8", "--fidelity", "cycle", "--format", "json"]
    said = json.loads(pimdse.ok("evaluate", "dplena", *words))
    assert answer.ok and answer.fidelity == "cycle" and answer.point["vlen"] == 1024
    assert answer["latency"] == said["metrics"]["latency"]["value"]
    assert answer.metrics.loc["energy", "low"] == said["metrics"]["energy"]["low"]
    assert answer.breakdown["time"].seconds.tolist() == [part["seconds"] for part in said["breakdown"]["time"]]


def test_an_infeasible_design_says_why():
    answer = package.evaluate("dplena", channels=3)
    assert answer.status == "infeasible" and answer.rule == "channels_power_of_two" and "3" in answer.reason
    with pytest.raises(package.Refused, match=r"channels .*\(got 3\)"):
        answer["latency"]


def test_files_of_ones_own_begin_where_python_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.toml").write_text('[frequency]\nvalue = 2\nunit = "GHz"\nsource = "a guess"\n')
    shutil.copy(os.path.join(ROOT, "models/llm/opt-1.3b.toml"), tmp_path / "m.toml")
    shipped, own = package.evaluate("dplena", vlen=64), package.evaluate("dplena", vlen=64, constants="c.toml")
    assert own["latency"] < shipped["latency"]
    many = package.evaluate("dplena", [{"vlen": 64}, {"vlen": 128}], constants="c.toml")
    assert many.latency[0] == own["latency"]
    named = package.evaluate("gpu", [{"llm": "m.toml"}, {"llm": "opt-1.3b"}])
    assert named.latency[0] == named.latency[1] == package.evaluate("gpu", llm="m.toml")["latency"]
    with pytest.raises(package.Refused, match="c.toml:1: .*frequency"):
        (tmp_path / "c.toml").write_text('[frequncy]\nvalue = 2\nunit = "GHz"\nsource = "a guess"\n')
        package.evaluate("dplena", [{"vlen": 64}], constants="c.toml")


SERVED = {"scenario": {"llm": "llama-3.2-1b", "slo": {"ttft": "1 s"}},
          "traffic": {"rate": "8 1/s", "requests": 30, "input": {"lognormal": [200, 400]}, "output": 20},
          "assumptions": {"view": "deployed", "economy": {"electricity": "0.2 USD/kWh"}}}


def test_traffic_and_assumptions_are_those_of_the_command_line(pimdse):
    answer = package.evaluate("gpu", **SERVED, copies=2)
    scenario = ("asked=llm=llama-3.2-1b,slo.ttft=1 s,traffic.rate=8 1/s,traffic.requests=30,"
                "traffic.input={ lognormal = [200, 400] },traffic.output=20")
    said = pimdse.json("evaluate", "gpu", "--scenario", scenario, "--assume", "view=deployed", "--assume",
                       "economy.electricity=0.2 USD/kWh", "--set", "copies=2")
    for name in ("ttft_p99", "cost_per_million_tokens", "energy_per_good_token", "cost"):
        assert answer[name] == said["metrics"][name]["value"]
    one = package.evaluate("gpu", **SERVED)
    assert answer["cost"] == 2 * one["cost"]
    table = package.evaluate("gpu", [{"copies": 2}, {"scheduler.max_sequences": 8}, {"device": "h100"}], **SERVED)
    assert table["ttft_p99"][0] == answer["ttft_p99"] and table["cost"][0] == 2 * table["cost"][1]
    assert table["copies"].tolist() == [2, 1, 1] and table["scheduler.max_sequences"].tolist() == [0, 8, 0]
    with pytest.raises(package.Refused, match="traffic is .* dict"):
        package.evaluate("gpu", traffic="3 1/s")
    with pytest.raises(package.Refused, match="rat.*rate"):
        package.evaluate("gpu", scenario={"llm": "llama-3.2-1b"}, traffic={"rat": "3 1/s"})


def test_prices_and_bills_are_one_footing_if_asked():
    costs = {basis: [package.evaluate(name, llm="llama-3.2-1b", assumptions={"economy": {"basis": basis}})["cost"]
                     for name in ("gpu", "lpddr5x_pim")] for basis in ("own", "bill", "price")}
    (board, design), (board_bill, design_bill), (board_price, design_price) = costs.values()
    assert board == board_price != board_bill and design == design_bill
    assert design_price == pytest.approx(2 * design_bill)
    dearer = package.evaluate("lpddr5x_pim", llm="llama-3.2-1b",
                              assumptions={"economy": {"basis": "price", "margin": 3}})
    assert dearer["cost"] == pytest.approx(3 * design_bill)
    with pytest.raises(package.Refused, match="bil.*bill"):
        package.evaluate("gpu", assumptions={"economy.basis": "bil"})


def test_many_designs_are_a_table_in_the_order_asked():
    points = [{"vlen": 1024}, {"vlen": 512, "channels": 3}, {"channels": 8}, {"vlen": 1024}]
    table = package.evaluate("dplena", points, batch=4)
    assert table.vlen.tolist() == [1024, 512, 2048, 1024] and table.channels.tolist() == [16, 3, 8, 16]
    assert table.status.tolist() == ["ok", "infeasible", "ok", "ok"]
    assert table.rule[1] == "channels_power_of_two" and (table.batch == 4).all()
    alone = package.evaluate("dplena", channels=8, batch=4)
    assert table.latency[2] == alone["latency"]
    assert table.latency_low[2] == alone.metrics.loc["latency", "low"] < alone["latency"] < table.latency_high[2]


def test_a_space_is_explored_as_the_program_does(pimdse):
    (pimdse.folder / "s.toml").write_text(UPMEM_CLOCKS)
    pimdse.ok("explore", "s.toml", "-o", "swept.h5", "--progress", "none")
    results = package.explore(UPMEM_CLOCKS, threads=1)
    assert results.digest == package.load(pimdse.folder / "swept.h5").digest and results.state == "complete"
    assert set(results.table.status) == {"ok", "infeasible"} and len(results.table) == 18
    assert results.failures.reason.notna().all() and results.bounds.shape[0] == 18
    some = package.explore(UPMEM_CLOCKS, pimdse.folder / "some.h5", strategy="random", budget=5, set={"tasklets": 8})
    assert len(some.table) == 5 and (some.table.tasklets == 8).all() and (pimdse.folder / "some.h5").exists()


CONDITIONS = ["channels <= 16 and loop_hardware == on", "area <= 75 mm2 or latency < 600 us", "not energy > 20 mJ",
              "energy / latency <= 10 W and vlen * 2 >= 512", "(vlen == 4096 or vlen == 64) and prefetch != 8"]


def test_conditions_mean_what_they_mean_to_the_program(pimdse):
    pimdse.ok("explore", ROOT / "spaces/quick.toml", "-o", "quick.h5", "--progress", "none")
    results = package.load(pimdse.folder / "quick.h5")
    for condition in CONDITIONS:
        said = json.loads(pimdse.ok("front", "quick.h5", "--where", condition, "--format", "json"))
        rows = results.feasible(where=condition)
        best = rows[package.is_on_front(rows[list(results.objectives)], list(results.objectives.values()))]
        assert sorted(best.point_id) == sorted(member["point"] for member in said["front"]), condition


@pytest.mark.parametrize(
    "ask, sentence",
    [
        (lambda: package.evaluate("dplena", vlem=8), "'vlen'"),
        (lambda: package.evaluate("dplna"), "'dplena'"),
        (lambda: package.evaluate("dplena", [{"vlem": 8}]), "vlem"),
        (lambda: package.evaluate("dplena", []), "points"),
        (lambda: package.explore("none.toml"), "none.toml"),
        (lambda: package.explore(UPMEM_CLOCKS, strategie="random"), "strategie"),
        (lambda: package.Explorer("none.toml", "x.h5").describe(), "none.toml"),
    ],
)
def test_a_mistake_is_what_the_program_reports(ask, sentence, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(package.Refused, match=sentence):
        ask()


def test_the_program_is_found_by_name_then_path_then_beside(monkeypatch, tmp_path):
    assert package.find_program() == PIMDSE
    monkeypatch.setenv("PIMDSE", str(tmp_path / "none"))
    with pytest.raises(package.NotFound, match=str(tmp_path / "none")):
        package.find_program()
    monkeypatch.delenv("PIMDSE")
    monkeypatch.setenv("PATH", os.path.dirname(PIMDSE) + ":/usr/bin:/bin")
    assert package.find_program() == PIMDSE
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    shutil.copytree(ROOT / "analysis/pimdse", tmp_path / "analysis/pimdse")
    ask = [sys.executable, "-c", "import pimdse; print(pimdse.find_program())"]
    told = {"capture_output": True, "text": True, "cwd": tmp_path / "analysis"}
    assert "PATH" in subprocess.run(ask, **told).stderr.splitlines()[-1]
    (tmp_path / "build/run").mkdir(parents=True)
    (tmp_path / "build/run/pimdse").symlink_to(PIMDSE)
    assert subprocess.run(ask, **told).stdout.strip() == str(tmp_path / "build/run/pimdse")


def test_nothing_but_the_standard_library_is_needed_to_serve(tmp_path):
    """As in an environment of its own that has an optimiser and no h5py."""
    program = "import sys; sys.modules['h5py'] = sys.modules['pandas'] = sys.modules['numpy'] = None\n" \
              "from pimdse import Explorer\n" \
              f"with Explorer('{ROOT}/spaces/quick.toml', 'q.h5') as e: print(e.evaluate(ids=[0])[0]['status'])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path,
                          env={**os.environ, "PYTHONPATH": str(ROOT / "analysis")})
    assert done.stdout == "ok\n", done.stderr


def test_a_breakdown_adds_up(pimdse):
    import matplotlib.pyplot as plt
    from pimdse.drawing import breakdown

    results = package.explore(ROOT / "spaces/quick.toml", set={"prefetch": 8, "channels": 16})
    rows = breakdown.choose_rows(results, [], (), None)
    answers = breakdown.asked_again(results, rows)
    for of, metric in (("time", "latency"), ("energy", "energy"), ("area", "area")):
        parts = breakdown.shares_of(answers, of)
        assert parts.columns.tolist() == rows.point_id.tolist()
        assert parts.sum().tolist() == pytest.approx(rows[metric].tolist(), rel=1e-9), of
    figure, said = breakdown.draw(results, ["energy"], [int(rows.point_id.iloc[0])])
    (axes,) = figure.axes
    ends = [bar.get_x() + bar.get_width() for container in axes.containers for bar in container]
    assert max(ends) == pytest.approx(rows.energy.iloc[0] * 1e3) and axes.get_xlabel() == "energy [mJ]"
    assert said.startswith("1 ") and len(axes.get_legend().get_texts()) == len(axes.containers)
    with pytest.raises(package.NothingToDraw, match=r"\b99\b"):
        breakdown.draw(results, ["energy"], [99])
    plt.close("all")


def test_the_best_in_each_scenario_is_who_the_program_names(pimdse):
    from pimdse.drawing import compare

    pimdse.ok("explore", ROOT / "spaces/where_it_flips.toml", "-o", "f.h5", "--progress", "none")
    said = pimdse.ok("front", "f.h5", "--best-by-scenario", "latency", "--format", "csv").splitlines()
    best = compare.best_by_scenario(package.load(pimdse.folder / "f.h5"), "latency")
    names = said[0].split(",")
    for line in said[1:]:
        told = dict(zip(names, line.split(",")))
        assert best.loc[told["scenario"]].idxmin() == told["machine"]


SHARES = """schema = 1
architecture = "gpu"
objectives = ["latency", "energy"]
[parameters]
llm = "llama-3-8b"
attained_share = [0.1, 0.3, 0.7]
"""


def test_numbers_of_any_type_are_the_decimals_that_they_are_written_as(tmp_path):
    numpy = pytest.importorskip("numpy")
    tenths = (numpy.float16(0.1), numpy.float32(0.1), numpy.float64(0.1), numpy.array(0.1, "f4"), numpy.array([0.1]),
              Decimal("0.1"), Fraction(1, 10))
    assert {package.evaluate("gpu", llm="llama-3-8b", attained_share=tenth).point["attained_share"]
            for tenth in tenths} == {0.1}
    (tmp_path / "s.toml").write_text(SHARES)
    with package.Explorer(tmp_path / "s.toml", tmp_path / "s.h5") as explorer:
        ids = [explorer.evaluate([{"attained_share": value}])[0]["id"]
               for value in (*tenths, 0.1 + 0.2, numpy.float32(0.7), 0.7000000000000001)]
        assert [int(number) for number in ids] == [0] * 7 + [1, 2, 2]
        with pytest.raises(package.Refused, match=r"0\.31 .*0\.3\b"):
            explorer.evaluate([{"attained_share": 0.31}])
