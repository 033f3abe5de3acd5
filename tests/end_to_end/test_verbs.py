"""The verbs as a user and a script meet them."""
import csv
import io
import json
import re
import signal
import subprocess
import time

import h5py
import numpy as np
import pytest

from conftest import ROOT, same_file, wait_for_answers

ARCHITECTURES = sorted([path.parent.name for path in (ROOT / "models").glob("*/published.toml")
                        if path.parent.name != "economy"] +
                       [path.stem for path in (ROOT / "models/machines/published").glob("*.toml")
                        if (ROOT / "models/machines" / path.name).exists()])


def test_quick_prints_front_file_and_next_command(pimdse):
    out = pimdse.ok("quick")
    assert "quick.h5" in out and out.splitlines()[-1].startswith("next: pimdse ")
    assert (pimdse.folder / "quick.h5").exists()


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_evaluate_keeps_its_json_contract(pimdse, architecture):
    answer = pimdse.json("evaluate", architecture)
    assert answer["architecture"] == architecture and answer["status"] == "ok" and answer["fidelity"] == "analytic"
    for name in ("latency", "energy", "power"):
        metric = answer["metrics"][name]
        assert metric["value"] > 0 and set(metric) == {"value", "unit", "low", "high", "bound", "low_kind", "high_kind"}
    assert answer["metrics"]["latency"]["unit"] == "s"
    assert sum(part["seconds"] for part in answer["breakdown"]["time"]) == pytest.approx(
        answer["metrics"]["latency"]["value"], rel=1e-9
    )


def test_evaluate_takes_models_and_aliases(pimdse):
    by_alias = pimdse.json("evaluate", "umdam", "--model", "opt-125m", "--set", "prefill=64")
    by_name = pimdse.json("evaluate", "umdam", "--set", "llm=opt-125m", "--set", "input=64")
    assert by_alias == by_name and by_alias["point"]["input"] == 64


def test_an_impossible_point_is_an_answer_with_exit_6(pimdse):
    done = pimdse("evaluate", "umdam", "--model", "opt-30b", "--format", "json")
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["status"], answer["rule"]) == (6, "infeasible", "capacity")
    assert "55.83 GiB" in answer["reason"] and "16.00 GiB" in answer["reason"]


def test_result_file_is_readable_as_it_is(pimdse, small_space):
    summary = pimdse.json("explore", small_space, "-o", "r.h5")
    with h5py.File(pimdse.folder / "r.h5") as file:
        ids = file["point_id"][:]
        assert len(ids) == summary["points"] and list(ids) == sorted(ids)
        assert file["metrics/latency"].attrs["unit"] == "s"
        assert len(file["parameters/mesh_rows"]) == len(ids) == len(file["status"])
        assert file.attrs["digest"] == summary["digest"]
        status = file["status"][:]
        latency = file["metrics/latency"][:]
        assert np.isfinite(latency[status == 0]).all()
        front = set(file["front/ids"][:])
        assert len(front) == summary["front"] and front <= set(ids)


def test_front_is_the_same_as_a_plain_search(pimdse, small_space):
    pimdse.ok("explore", small_space, "-o", "r.h5")
    answer = pimdse.json("front", "r.h5", "--objectives", "latency,energy,area")
    with h5py.File(pimdse.folder / "r.h5") as file:
        ok = file["status"][:] == 0
        ids = file["point_id"][:][ok]
        values = np.stack([file["metrics/" + name][:][ok] for name in ("latency", "energy", "area")], axis=1)
    plain, seen = [], set()
    for i, row in enumerate(values):
        dominated = ((values <= row).all(axis=1) & (values < row).any(axis=1)).any()
        if not dominated and tuple(row) not in seen:
            plain.append(int(ids[i]))
            seen.add(tuple(row))
    assert sorted(entry["point"] for entry in answer["front"]) == plain


def test_front_takes_a_condition(pimdse, small_space):
    pimdse.ok("explore", small_space, "-o", "r.h5")
    rows = list(
        csv.DictReader(
            io.StringIO(
                pimdse.ok("front", "r.h5", "--format", "csv", "--where", "mesh_rows <= 32 and llm == 'llama-2-13b'")
            )
        )
    )
    assert rows and all(int(row["mesh_rows"]) <= 32 and row["llm"] == "llama-2-13b" for row in rows)
    assert pimdse("front", "r.h5", "--where", "mesh_rows > 1000").returncode == 6
    assert pimdse("front", "r.h5", "--where", "mesh_rws > 1000").returncode == 3


def test_time_limit_ends_resumable_and_resume_ends_equal(pimdse, small_space):
    whole = pimdse.json("explore", small_space, "-o", "whole.h5")
    done = pimdse("explore", small_space, "-o", "part.h5", "--time-limit", "1 us", "--format", "json")
    part = json.loads(done.stdout)
    assert done.returncode in (75, 0)   # the limit may only be noticed after the last point
    if done.returncode == 75:
        assert not part["complete"] and part["points"] < whole["points"]
    rest = pimdse.json("explore", small_space, "-o", "part.h5", "--resume")
    assert rest["digest"] == whole["digest"] and rest["evaluated"] == whole["points"] - part["points"]


def test_a_killed_run_loses_nothing_acknowledged(pimdse, small_space):
    """Kill -9 at several instants; the journal is finished by --resume with the digest of an undisturbed run."""
    small_space.write_text(small_space.read_text().replace("step = 16", "step = 4"))
    whole = pimdse.json("explore", small_space, "-o", "whole.h5")
    for delay in (0.05, 0.1, 0.2):
        run = pimdse.start("explore", small_space, "-o", "killed.h5", "--force", "--threads", 1, "--progress", "none")
        time.sleep(delay)
        run.send_signal(signal.SIGKILL)
        run.wait()
        rest = pimdse("explore", small_space, "-o", "killed.h5", "--resume", "--format", "json")
        assert rest.returncode == 0, rest.stderr
        assert json.loads(rest.stdout)["digest"] == whole["digest"]
        assert same_file(pimdse.folder, "whole.h5", "killed.h5")


def test_an_interrupt_stops_cleanly(pimdse):
    (pimdse.folder / "big.toml").write_text(
        'schema = 1\narchitecture = "upmem"\nobjectives = ["latency"]\n[parameters]\n'
        'elements = { from = 1024, to = 900000 }\ntasklets = { from = 1, to = 24 }\n'
    )
    run = pimdse.start("explore", "big.toml", "-o", "big.h5", "--progress", "none")
    wait_for_answers(run, pimdse.folder / "big.h5.journal")
    run.send_signal(signal.SIGTERM)
    run.communicate(timeout=120)
    assert run.returncode == 75
    with h5py.File(pimdse.folder / "big.h5") as file:
        assert len(file["point_id"]) > 0
    assert not (pimdse.folder / "big.h5.journal").exists()


def test_list_and_describe_speak_json(pimdse):
    for what in ("machines", "models", "dram", "spaces", "strategies"):
        assert len(pimdse.json("list", what)) >= 5
    assert pimdse.json("list", "machines") == pimdse.json("list", "architectures")
    for architecture in ARCHITECTURES:
        text = pimdse.json("describe", architecture)
        assert "llm" in [p["name"] for p in text["parameters"]]
        assert {"latency", "energy", "power"} <= {m["name"] for m in text["metrics"]}


def test_describe_has_the_reason_why_a_parameter_may_make_a_request_faster_for_nothing(pimdse):
    def reason(architecture, parameter):
        return pimdse.json("describe", architecture, parameter).get("free_because")

    assert reason("umdam", "scheduler") in " ".join(pimdse.ok("describe", "umdam", "scheduler").split())
    assert reason("umdam", "channels") is None


def test_validate_holds_every_gated_figure(pimdse):
    answer = pimdse.json("validate")
    figures = answer["figures"]
    assert {f["architecture"] for f in figures} == {*ARCHITECTURES, "economy"}
    assert all(f["as_stated"] for f in figures if f["gate"] or f["status"] == "contradicted")
    assert all(f["within"] for f in figures if f["gate"])
    assert not any(f["within"] for f in figures if f["status"] == "contradicted")
    assert {f["status"] for f in figures} == {"gated", "fitted", "shown", "contradicted", "consistency", "reference"}
    assert {f["evidence"] for f in figures} == {"measured", "simulated", "claimed", "arithmetic"}
    assert all(f["evidence"] == "arithmetic" for f in figures if f["status"] == "consistency")
    claims = [p["claims"] for p in answer["papers"]]
    assert all(p["title"] and p["authors"] and p["identifier"] for p in answer["papers"]) and sum(claims) > 400


def test_every_verb_has_help_with_an_example(pimdse):
    verbs = [line.split()[0] for line in pimdse.ok("--help").splitlines() if line.startswith("  ")]
    assert len(verbs) == len(set(verbs)) and {"quick", "explore", "evaluate", "front", "verify"} < set(verbs)
    for verb in verbs:
        assert pimdse.ok(verb, "--help").count(f"pimdse {verb} ") > 1, f"{verb}: its usage and an example"
    assert pimdse.ok("help", "front") == pimdse.ok("front", "--help")


def test_version_names_libraries(pimdse):
    out = pimdse.ok("--version")
    assert all(re.search(rf"{name} v?\d+\.\d+", out) for name in ("pimdse", "HDF5", "Open MPI")), out


def test_dry_run_writes_nothing(pimdse, small_space):
    out = pimdse.ok("explore", small_space, "--dry-run")
    assert re.search(r"\b336\b", out.splitlines()[0]) and re.search(r"\b336 .*\b336\b", out.splitlines()[-1]), out
    assert [p.name for p in pimdse.folder.iterdir()] == ["small.toml"]


def test_front_picture_is_drawn(pimdse, small_space):
    pimdse.ok("explore", small_space, "-o", "r.h5")
    done = subprocess.run(
        ["/usr/bin/python3", str(ROOT / "analysis" / "front.py"), "r.h5", "-o", "front.png"],
        cwd=pimdse.folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert (pimdse.folder / "front.png").read_bytes()[:4] == b"\x89PNG"
