"""`front --within` and `--thin`, against what the rows of the file say."""
import h5py
import pytest

from conftest import refused

SPACE = """schema = 1
architecture = "umdam"
objectives = ["latency", "energy", "area"]

[parameters]
llm = "opt-1.3b"
input = 64
output = 8
channels = [2, 4, 8]
ranks = [1, 2]
weight_bits = [4, 8]
npu_flops = ["2 TFLOP/s", "4 TFLOP/s", "4.02 TFLOP/s"]
"""
SIGNS = {"latency": 1, "energy": 1, "area": 1}


@pytest.fixture(scope="module")
def explored(tmp_path_factory):
    from conftest import Runner

    runner = Runner(tmp_path_factory.mktemp("near"))
    (runner.folder / "space.toml").write_text(SPACE)
    runner.ok("explore", "space.toml", "-o", "a.h5", "--fidelity", "analytic", "--progress", "none")
    with h5py.File(runner.folder / "a.h5") as file:
        fine = file["status"][()] == 0
        points = [int(point) for point in file["point_id"][()][fine]]
        values = list(zip(*(file[f"metrics/{name}"][()][fine] for name in SIGNS)))
    return runner, dict(zip(points, values))


def loss(design, instead_of):
    return max(max(0.0, (a - b) / b) for a, b in zip(design, instead_of))


def on_front(rows):
    def dominated(one):
        return any(all(a <= b for a, b in zip(other, one)) and other != one for other in rows.values())
    first = {}
    for point, values in sorted(rows.items()):
        if not dominated(values):
            first.setdefault(values, point)
    return set(first.values())


@pytest.mark.parametrize("share", [0.0, 0.01, 0.2])
def test_designs_within_a_share_are_those_of_the_rows(explored, share):
    pimdse, rows = explored
    told = pimdse.json("front", "a.h5", "--within", f"{100 * share} %")
    front = {entry["point"] for entry in told["front"]}
    assert front == on_front(rows)
    wanted = {point for point, values in rows.items() if point not in front
              and min(loss(values, rows[member]) for member in front) <= share}
    found = [point for group in told["near"] for point in group["points"]]
    assert len(found) == len(set(found)) and set(found) == wanted
    for group in told["near"]:
        losses = [loss(rows[point], rows[group["on_front"]]) for point in group["points"]]
        assert losses == sorted(losses) and (losses[0], losses[-1]) == (group["smallest_loss"], group["largest_loss"])
        assert group["differ"] and group["largest_loss"] <= share


def test_groups_name_what_differs_and_equal_designs(explored):
    pimdse, _ = explored
    text = pimdse.ok("front", "a.h5", "--within", "5 %")
    assert "within 5 % of the front" in text and "npu_flops" in text
    assert "within" not in pimdse.ok("front", "a.h5")


@pytest.mark.parametrize("share", [0.0, 0.05, 0.5])
def test_a_thinned_front_stands_for_all_of_it(explored, share):
    pimdse, rows = explored
    told = pimdse.json("front", "a.h5", "--thin", f"{100 * share} %")
    shown, front = {entry["point"] for entry in told["front"]}, on_front(rows)
    assert shown <= front and told["front_size"] == len(front)
    for place in range(3):
        assert min(rows[point][place] for point in shown) == min(rows[point][place] for point in front)
    for point in front - shown:
        assert any(max(loss(rows[point], rows[other]), loss(rows[other], rows[point])) <= share for other in shown)
    assert len(shown) == len(front) or share > 0


@pytest.mark.parametrize("words, facts", [
    (("--within", "-1 %"), ["--within"]),
    (("--thin", "much"), ["--thin", "much"]),
    (("--within", "2 %", "--format", "csv"), ["--within", "csv"]),
    (("--within", "2 %", "--per", "channels"), ["--within", "--per"]),
])
def test_what_makes_no_sense_is_refused(explored, words, facts):
    refused(explored[0]("front", "a.h5", *words), 2, *facts)
