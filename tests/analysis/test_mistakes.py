"""What a person types wrong is one sentence with what was probably meant, and a code of docs/commands.md."""
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import run_script
from pimdse import ConditionError, Refused, UnknownName, hypervolume, is_on_front
from pimdse.script import guarded, whole_number

ANALYSIS = Path(os.environ["PIMDSE_ROOT"]) / "analysis"


@pytest.mark.parametrize("name, facts", [
    ("latncy", ["'latncy'", "'latency'"]), ("clock", ["'clock'", "latency, energy, speed"]),
    ("xyz", ["'xyz'", "latency, energy, speed"])])
def test_bounds_of_what_is_not_a_metric_are_a_mistake(results, name, facts):
    with pytest.raises(UnknownName) as told:
        results.with_bounds("energy", name)
    assert [fact for fact in facts if fact not in str(told.value)] == []


@pytest.mark.parametrize("better, facts", [
    (["minimise", "maximize"], ["'minimise'", "'minimize'?"]), (["minimize", "mx"], ["'mx'", "'maximize'?"]),
    (["minimize", "less"], ["'less'", "minimize, maximize"]), (["minimize", None], ["'None'", "minimize, maximize"]),
    ("minimize", ["'minimize'", "['minimize']?"]), (["minimize"], ["2", "1"])])
def test_a_misspelt_sense_is_a_mistake(better, facts):
    for ask in (lambda: is_on_front([[1.0, 2.0]], better),
                lambda: hypervolume([[1.0, 2.0]], better, [0, 0], [3, 3])):
        with pytest.raises(Refused) as told:
            ask()
        assert [fact for fact in facts if fact not in str(told.value)] == []


def test_a_box_has_a_value_per_objective():
    with pytest.raises(Refused, match=r"\b2\b"):
        hypervolume([[1.0, 2.0]], ["minimize", "minimize"], [0], [1, 1])


def test_one_column_needs_no_second_dimension():
    assert is_on_front([3.0, 1.0, 2.0], ["minimize"]).tolist() == [False, True, False]


def test_an_unknown_fidelity_is_a_mistake(results):
    with pytest.raises(Refused, match="'cylce'.*'cycle'"):
        results.feasible("cylce")


def test_a_name_in_a_condition_is_a_mistake_of_the_condition(results):
    with pytest.raises(ConditionError, match="\"latncy < 1 s\".*'latncy'.*'latency'") as told:
        results.feasible(where="latncy < 1 s")
    assert told.value.code == 3


def test_mistakes_end_with_their_code(capsys):
    def refused():
        raise Refused("none.toml: cannot be read", 4)

    def not_there():
        raise ModuleNotFoundError("No module named 'optuna'", name="optuna")

    assert [guarded("x.py", one) for one in (lambda: None, refused, not_there)] == [0, 4, 2]
    said = capsys.readouterr().err.splitlines()
    assert said[0] == "x.py: none.toml: cannot be read" and said[1].startswith("x.py: ") and "optuna" in said[1]
    with pytest.raises(ZeroDivisionError):
        guarded("x.py", lambda: 1 / 0)
    assert whole_number("20") == 20


def ended(script, *words, **env):
    if env or script.startswith("examples"):
        done = subprocess.run([sys.executable, "-B", ANALYSIS / script, *map(str, words)], capture_output=True,
                              text=True, env={**os.environ, **env})
    else:
        done = run_script(ANALYSIS / script, *words)
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stderr.strip().splitlines()[-1]


@pytest.mark.parametrize("script", ["breakdown.py", "compare.py", "fidelity.py", "flips.py", "front.py", "history.py",
                                    "parallel.py", "robust.py", "sensitivity.py", "umdam_mapping.py"])
def test_every_script_refuses_what_is_not_a_result_file(script, tmp_path, sample):
    text = tmp_path / "text.h5"
    text.write_text("hello")
    for path in (tmp_path / "none.h5", text, tmp_path):
        code, said = ended(script, path)
        assert code == 4 and said.startswith(f"{script}: ") and path.name in said, said
    assert ended(script)[0] == 2
    if script == "umdam_mapping.py":
        assert ended(script, sample)[0] == 4


@pytest.mark.parametrize(
    "script, words, code, fact",
    [
        ("breakdown.py", ["--of", "tme"], 2, "time, energy, area"),
        ("breakdown.py", ["--points", "1,x"], 2, "--points"),
        ("compare.py", ["--x", "latncy"], 2, "'latency'"),
        ("compare.py", ["--best", "latncy"], 2, "scenario"),
        ("compare.py", ["--best", "latency", "--x", "energy"], 2, "--x"),
        ("compare.py", ["--by", "machine"], 2, "machine"),
        ("fidelity.py", ["--metrics", "enrgy"], 2, "'energy'"),
        ("history.py", ["--objectives", "latency,mode"], 2, "'mode'"),
        ("history.py", ["--objectives", "latency,latency"], 2, "latency"),
        ("parallel.py", ["--axes", "clok,latency"], 2, "'clock'"),
        ("robust.py", ["--point", "1,2"], 2, "--point"),
        ("robust.py", [], 2, "--uncertain"),
        ("sensitivity.py", ["--resamples", "-3"], 2, "'-3'"),
        ("sensitivity.py", ["--metrics", "sped"], 2, "'speed'"),
        ("front.py", ["--where", "latency < "], 3, '"latency <"'),
        ("front.py", ["--where", "latency < 3 kg"], 3, "kg"),
        ("front.py", ["--fidelity", "cycle"], 2, "analytic, hybrid"),
        ("front.py", ["--colour", "colour"], 2, "'colour'"),
        ("front.py", ["-o", "picture.xyz"], 2, "picture.xyz"),
        ("front.py", ["-o", "none/picture.png"], 7, "none/picture.png"),
    ],
)
def test_every_wrong_flag_is_one_sentence(sample, tmp_path, monkeypatch, script, words, code, fact):
    monkeypatch.chdir(tmp_path)
    output = [] if "-o" in words else ["-o", tmp_path / "x.png"]
    told, said = ended(script, sample, *output, *words)
    assert told == code and fact in said, said
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("script", ["with_optuna.py", "with_deap.py"])
def test_examples_name_the_arguments_that_they_need(script):
    code, said = ended("examples/notebook.py", "--nonsense")
    assert code == 2 and said.startswith("notebook.py: ") and "'--nonsense'" in said
    code, said = ended(f"examples/{script}")
    assert code == 2 and said.startswith(f"{script}: ") and "SPACE, FILE.h5" in said
    code, said = ended(f"examples/{script}", "s.toml", "x.h5", "many")
    assert code == 2 and "'many'" in said


@pytest.mark.parametrize("script", ["with_optuna.py", "with_deap.py", "notebook.py"])
def test_examples_name_a_program_that_is_not_there(script, tmp_path):
    package = "optuna" if "optuna" in script else "deap"
    (tmp_path / package).mkdir()
    (tmp_path / package / "__init__.py").write_text("base = creator = tools = None\n")
    words = [] if script == "notebook.py" else ["s.toml", tmp_path / "x.h5"]
    code, said = ended(f"examples/{script}", *words, PIMDSE=str(tmp_path / "none"), PYTHONPATH=str(tmp_path))
    assert code == 4 and said.startswith(f"{script}: $PIMDSE ") and str(tmp_path / "none") in said


@pytest.mark.parametrize("package", ["pandas", "h5py"])
def test_a_package_that_is_not_there_is_named_with_the_command_that_installs_it(sample, package):
    text = f"import sys; sys.modules['{package}'] = None; import pimdse; pimdse.load({str(sample)!r})"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(ANALYSIS)})
    assert done.returncode == 1 and f"python3-{package}" in done.stderr
    assert done.stderr.strip().splitlines()[-1].startswith("ImportError: pimdse.load needs")
