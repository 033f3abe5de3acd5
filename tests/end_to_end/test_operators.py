"""pimdse evaluate --operator and --rows as a user and a script meet them."""
import json

import pytest

from conftest import ROOT

ROWS = ROOT / "tests" / "data" / "kernels"


def alone(pimdse, machine, text, *flags):
    return json.loads(pimdse.ok("evaluate", machine, "--operator", text, *flags, "--format", "json"))


def test_one_operator(pimdse):
    product = alone(pimdse, "h100", "product m=1 k=4096 n=6144")
    assert product["bytes"] == 2 * 4096 * 6144
    assert product["lower"] == pytest.approx(product["bytes"] / 3.35e12)
    assert product["from"] <= product["seconds"] <= product["to"] and product["limit"] == "hbm"
    narrow = alone(pimdse, "h100", "product m=1 k=4096 n=6144", "--set", "weights=fp8")
    assert narrow["bytes"] == product["bytes"] / 2
    assert "lower bound" in pimdse.ok("evaluate", "h100", "--operator", "product m=1 k=4096 n=6144")


def test_a_sum_runs_over_the_link_of_the_board(pimdse):
    text = "sum devices=8 bytes=268435456 by=library"
    own, host = alone(pimdse, "h100", text), alone(pimdse, "h100", text, "--set", "link=pcie5_host")
    assert own["limit"] == "in the switch" and own["seconds"] < 0.05 * host["seconds"]
    refused = pimdse("evaluate", "rtx_pro_6000", "--operator", text)
    assert refused.returncode == 6 and "link = pcie5" in refused.stdout


def test_a_unit_that_takes_whole_passes_has_no_time_of_an_operator(pimdse):
    refused = pimdse("evaluate", "umdam", "--operator", "product m=1 k=1 n=1")
    assert refused.returncode == 6 and "npu takes whole passes" in refused.stdout


def test_rows_that_physics_forbids_are_named(pimdse, tmp_path):
    file = tmp_path / "rows.csv"
    file.write_text("operator,microseconds,group,weights\n"
                    "product m=1 k=8192 n=8192,45,a,\n"
                    "product m=1 k=8192 n=8192,25,a,fp8\n"
                    "product m=1 k=8192 n=8192,30,b,fp16\n")  # 134 MB take 40 us at least
    done = pimdse("evaluate", "h100", "--rows", file, "--format", "json")
    said = json.loads(done.stdout)
    assert done.returncode == 8 and said["forbidden"] == [4]
    assert [row["forbidden"] for row in said["rows"]] == [False, False, True]
    assert said["groups"]["a"]["rows"] == 2 and said["groups"]["b"]["rows"] == 0 and said["all"]["forbidden"] == 1
    assert "1 row is impossible on h100: line 4" in pimdse("evaluate", "h100", "--rows", file).stdout


def test_a_row_from_the_cache_bounds_nothing(pimdse, tmp_path):
    file = tmp_path / "rows.csv"
    shape = "attention batch=8 heads=32 kv_heads=8 width=128 keys={}{},20\n"
    rows = "operator,microseconds\n" + shape.format("{0}", "") + shape.format("{0}", " repeated=1")
    file.write_text(rows.format(2048))  # 67 MB take 42 us from the memory
    said = json.loads(pimdse.ok("evaluate", "rtx_pro_6000", "--rows", file, "--format", "json"))
    assert [row["below_bound"] for row in said["rows"]] == [True, False] and not said["forbidden"]
    assert all(row["cached"] and row["seconds"] >= row["lower"] for row in said["rows"])
    file.write_text(rows.format(65536))  # 2.1 GB fit in no cache
    assert pimdse("evaluate", "rtx_pro_6000", "--rows", file).returncode == 8


def test_a_cache_does_not_hide_arithmetic(pimdse, tmp_path):
    rows = tmp_path / "rows.csv"
    rows.write_text("operator,microseconds\nproduct m=4096 k=4096 n=4096,138\nproduct m=4096 k=4096 n=4096,140\n")
    done = pimdse("evaluate", "h100", "--rows", rows, "--format", "json")
    said = json.loads(done.stdout)
    assert done.returncode == 8 and said["forbidden"] == [2]  # 2 x 4,096^3 operations at 989.4 TFLOP/s take 138.9 us
    assert all(row["cached"] for row in said["rows"])


@pytest.mark.parametrize("content, words", [
    ("operator,microseconds\n", "no rows"),
    ("operator,microseconds,wieghts\nproduct m=1 k=1 n=1,1,\n", "Did you mean 'weights'?"),
    ("operator,microseconds\nproduct m=1 k=1,1\n", "rows.csv:2: operator 'product m=1 k=1': product needs n=NUMBER"),
    ("operator,microseconds\nproduct m=1 k=1 n=1,0\n", "microseconds must be above 0"),
    ("operator,microseconds,weights\nproduct m=1 k=1 n=1,1,fp4\n", "h100 does not compute in fp4"),
])
def test_mistakes_in_rows(pimdse, tmp_path, content, words):
    file = tmp_path / "rows.csv"
    file.write_text(content)
    done = pimdse("evaluate", "h100", "--rows", file)
    assert done.returncode == 3 and words in done.stderr


@pytest.mark.parametrize("flags, words", [
    (["upmem", "--operator", "product m=1 k=1 n=1"], "upmem is not"),
    (["h100", "--operator", "product m=1 k=1 n=1", "--batch"], "Leave out --batch?"),
    (["h100", "--operator", "product m=1 k=1 n=1", "--rows", "x.csv"], "Leave out one?"),
    (["h100", "--operator", "product m=1 k=1 n=1", "--format", "csv"], "text or json"),
])
def test_mistakes_of_flags(pimdse, flags, words):
    done = pimdse("evaluate", *flags)
    assert done.returncode == 2 and words in done.stderr


@pytest.mark.parametrize("machine", sorted(file.stem for file in ROWS.glob("*.csv")))
def test_every_shipped_row_has_a_prediction(pimdse, machine):
    said = json.loads(pimdse("evaluate", machine, "--rows", ROWS / f"{machine}.csv", "--format", "json").stdout)
    assert len(said["rows"]) == len((ROWS / f"{machine}.csv").read_text().splitlines()) - 1
    assert all(0 < row["lower"] <= row["seconds"] or row["cached"] for row in said["rows"])


def measured_on(pimdse, machine, file, times=1.0):
    """Products and what a machine says of them, as a table of rows."""
    lines = ["operator,microseconds,group"]
    for m in (1, 4, 16, 64, 256, 1024):
        for n in (1024, 4096):
            text = f"product m={m} k=4096 n={n}"
            lines.append(f"{text},{1e6 * times * alone(pimdse, machine, text)['seconds']},products")
    file.write_text("\n".join(lines) + "\n")


def test_a_calibration_finds_the_constant_that_rows_were_made_with(pimdse, tmp_path):
    slow = tmp_path / "slow.toml"
    slow.write_text('schema = 1\nbase = "h100"\nname = "slow"\n[constant.product_kernel]\nvalue = 8\nunit = "us"\n'
                    'source = "made up"\n')
    rows, made = tmp_path / "rows.csv", tmp_path / "fitted.toml"
    measured_on(pimdse, slow, rows)
    printed = pimdse.ok("calibrate", "h100", "--rows", rows, "--fit", "product_kernel,fp16_share", "-o", made)
    assert "held out" in printed and "fitted.toml is written" in printed
    text = made.read_text()
    assert 'base = "h100"' in text and "4.5 before" in text and "\n# all: 6 rows held out" in text
    found = json.loads(pimdse.ok("evaluate", made, "--rows", rows, "--format", "json"))["all"]
    before = json.loads(pimdse.ok("evaluate", "h100", "--rows", rows, "--format", "json"))["all"]
    assert found["median_absolute_error"] < 0.05 < before["median_absolute_error"]
    assert pimdse("calibrate", "h100", "--rows", rows, "-o", made).returncode == 2, "a file that exists is kept"


def test_a_calibration_over_two_programs_warns_of_the_one_that_became_worse(pimdse, tmp_path):
    """A few rows are as the machine says, and most take half as long again: the constant that explains these spoils
    those."""
    rows, others = tmp_path / "rows.csv", tmp_path / "others.csv"
    measured_on(pimdse, "h100", rows, 1.5)
    measured_on(pimdse, "h100", others)
    rows.write_text(rows.read_text() + "".join(others.read_text().replace("products", "others").splitlines(True)[1:7]))
    printed = pimdse.ok("calibrate", "h100", "--rows", rows, "--fit", "product_kernel,bandwidth_share", "-o",
                        tmp_path / "fitted.toml")
    (warning,) = [line for line in printed.splitlines() if line.startswith("warning: ")]
    assert warning.startswith("warning: others became worse, 0.0 % off before") and "calibrated alone?" in warning
    assert f"# {warning}" in (tmp_path / "fitted.toml").read_text()


def test_a_calibration_refuses_times_in_another_unit(pimdse, tmp_path):
    rows = tmp_path / "rows.csv"
    measured_on(pimdse, "h100", rows, 1e3)
    done = pimdse("calibrate", "h100", "--rows", rows, "-o", tmp_path / "fitted.toml")
    assert done.returncode == 3 and "rows take 1000 times as long as on h100" in done.stderr, done.stderr


def test_a_calibration_refuses_what_physics_forbids(pimdse, tmp_path):
    rows = tmp_path / "rows.csv"
    measured_on(pimdse, "h100", rows)
    rows.write_text(rows.read_text() + "product m=1 k=8192 n=8192,10,products\n")
    done = pimdse("calibrate", "h100", "--rows", rows, "-o", tmp_path / "fitted.toml")
    assert done.returncode == 3 and "line 14" in done.stderr and not (tmp_path / "fitted.toml").exists()


@pytest.mark.parametrize("flags, words", [
    (["-o", "fitted.toml", "--fit", "product_kernl"], "Did you mean 'product_kernel'?"),
    (["-o", "fitted.toml", "--fit", "a,b,c,d,e,f"], "--fit must list 1 to 5 constants"),
    (["-o", "fitted.toml", "--fit", "product_kernel,,fp16_share"], "--fit: a word is missing"),
    (["-o", "fitted.toml", "--fit", ""], "--fit: nothing is named"),
    (["-o", "fitted.toml", "--fit", "fp16_share,product_kernel,fp16_share"], "--fit lists fp16_share twice"),
    (["-o", "2.toml"], "-o must be NAME.toml"),
    (["-o", "fitted.toml", "--set", "weights=fp8"], "Leave out --set?"),
])
def test_mistakes_of_a_calibration(pimdse, tmp_path, flags, words):
    rows = tmp_path / "rows.csv"
    rows.write_text("operator,microseconds\n" + "product m=1 k=4096 n=4096,20\n" * 4)
    done = pimdse("calibrate", "h100", "--rows", rows, *flags)
    assert done.returncode == 2 and words in done.stderr
