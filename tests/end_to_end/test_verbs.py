"""The verbs as a user and a script meet them."""
import csv
import io
import json
import signal
import subprocess
import time

import h5py
import numpy as np
import pytest

from conftest import ROOT, same_file

ARCHITECTURES = ["umdam", "upmem", "dplena", "cim_mesh"]


def test_quick_prints_front_file_and_next_command(pimdse):
    out = pimdse.ok("quick")
    assert "on the front" in out and "quick.h5" in out and "next:" in out
    assert (pimdse.folder / "quick.h5").exists()


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_evaluate_keeps_its_json_contract(pimdse, architecture):
    answer = json.loads(pimdse.ok("evaluate", architecture, "--format", "json"))
    assert answer["architecture"] == architecture and answer["status"] == "ok" and answer["fidelity"] == "analytic"
    for name in ("latency", "energy", "power"):
        metric = answer["metrics"][name]
        assert metric["value"] > 0 and set(metric) == {"value", "unit", "low", "high", "bound", "low_kind", "high_kind"}
    assert answer["metrics"]["latency"]["unit"] == "s"
    assert sum(part["seconds"] for part in answer["breakdown"]["time"]) == pytest.approx(answer["metrics"]["latency"]["value"], rel=1e-9)


def test_evaluate_takes_models_and_aliases(pimdse):
    by_alias = json.loads(pimdse.ok("evaluate", "umdam", "--model", "opt-125m", "--set", "prefill=64", "--format", "json"))
    by_name = json.loads(pimdse.ok("evaluate", "umdam", "--set", "llm=opt-125m", "--set", "input=64", "--format", "json"))
    assert by_alias == by_name and by_alias["point"]["input"] == 64


def test_an_impossible_point_is_an_answer_with_exit_6(pimdse):
    done = pimdse("evaluate", "umdam", "--model", "opt-30b", "--format", "json")
    answer = json.loads(done.stdout)
    assert done.returncode == 6 and answer["status"] == "infeasible" and answer["rule"] and "GiB" in answer["reason"]


def test_result_file_is_readable_as_it_is(pimdse, small_space):
    summary = json.loads(pimdse.ok("explore", small_space, "-o", "r.h5", "--format", "json"))
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
    answer = json.loads(pimdse.ok("front", "r.h5", "--format", "json", "--objectives", "latency,energy,area"))
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
    rows = list(csv.DictReader(io.StringIO(pimdse.ok("front", "r.h5", "--format", "csv", "--where", "mesh_rows <= 32 and llm == 'llama-2-13b'"))))
    assert rows and all(int(row["mesh_rows"]) <= 32 and row["llm"] == "llama-2-13b" for row in rows)
    assert pimdse("front", "r.h5", "--where", "mesh_rows > 1000").returncode == 6
    assert pimdse("front", "r.h5", "--where", "mesh_rws > 1000").returncode == 3


def test_merge_diff_and_verify_agree_with_the_whole(pimdse, small_space):
    pimdse.ok("explore", small_space, "-o", "whole.h5")
    pimdse.ok("explore", small_space, "-o", "a.h5", "--budget", 100)
    pimdse.ok("explore", small_space, "-o", "b.h5", "--strategy", "random")
    pimdse.ok("merge", "a.h5", "b.h5", "-o", "all.h5")
    assert same_file(pimdse.folder, "whole.h5", "all.h5")
    assert pimdse.ok("diff", "whole.h5", "all.h5").strip() == "equal"
    assert pimdse("diff", "whole.h5", "a.h5").returncode == 8
    assert "holds together" in pimdse.ok("verify", "whole.h5")
    assert pimdse("merge", "a.h5", "b.h5", "-o", "all.h5").returncode == 2


def test_shards_merge_to_the_whole(pimdse, small_space):
    pimdse.ok("explore", small_space, "-o", "whole.h5")
    for shard in range(3):
        pimdse.ok("explore", small_space, "-o", f"part-{shard}.h5", "--shard", f"{shard}/3")
    pimdse.ok("merge", "part-0.h5", "part-1.h5", "part-2.h5", "-o", "all.h5")
    assert same_file(pimdse.folder, "whole.h5", "all.h5")
    assert pimdse("explore", small_space, "-o", "x.h5", "--shard", "3/3").returncode == 2


SEAL = 512


def without_seal(path):
    """The file as another program may change it."""
    path.write_bytes(path.read_bytes()[SEAL:])
    return h5py.File(path, "r+")


def test_a_changed_byte_is_noticed_by_every_reader(pimdse, small_space):
    pimdse.ok("explore", small_space, "-o", "r.h5")
    with h5py.File(pimdse.folder / "r.h5", "r+") as file:
        file["metrics/latency"][0] *= 2
    for words in (["verify", "r.h5"], ["front", "r.h5"], ["diff", "r.h5", "r.h5"], ["merge", "r.h5", "-o", "m.h5"], ["watch", "--once", "r.h5"],
                  ["explore", small_space, "-o", "r.h5", "--resume"]):
        done = pimdse(*words)
        assert done.returncode == 7 and done.stderr.count("\n") == 1 and "r.h5 is damaged" in done.stderr, (words, done.stderr)


def test_verify_notices_a_changed_number(pimdse, small_space):
    pimdse.ok("explore", small_space, "-o", "r.h5")
    with without_seal(pimdse.folder / "r.h5") as file:
        latency = file["metrics/latency"][:]
        latency[np.flatnonzero(file["status"][:] == 0)[0]] *= 1.0000001
        file["metrics/latency"][:] = latency
    done = pimdse("verify", "r.h5")
    assert done.returncode == 8 and "digest" in done.stdout


def reverse_parameter(file):
    file["parameters/mesh_rows"][:] = file["parameters/mesh_rows"][:][::-1]


def remove_name(file):
    file["parameters"].attrs["names"] = list(file["parameters"].attrs["names"][:-1])


def change_unit(file):
    file["metrics/latency"].attrs["unit"] = "J"


def change_usual_unit(file):
    file["parameters/frequency"].attrs["usual_unit"] = "MHz"


def change_sense(file):
    file["metrics/area"].attrs["better"] = "maximize" if file["metrics/area"].attrs["better"] != "maximize" else "minimize"


def change_meaning(file):
    file["parameters/lora_rank"].attrs["meaning"] = "something else"


def change_choice(file):
    choices = file["choices/llm"][:]
    choices[0] = b"zz"
    file["choices/llm"][:] = choices


def change_rule(file):
    if file["rules/points"].shape[0]:
        file["rules/points"][0] += 1
    else:
        file["front/history/size"][0] += 1


@pytest.mark.parametrize("change", [reverse_parameter, remove_name, change_unit, change_usual_unit, change_sense, change_meaning, change_choice, change_rule])
def test_verify_recomputes_what_the_digest_does_not_cover(pimdse, small_space, change):
    pimdse.ok("explore", small_space, "-o", "whole.h5")
    (pimdse.folder / "r.h5").write_bytes((pimdse.folder / "whole.h5").read_bytes())
    with without_seal(pimdse.folder / "r.h5") as file:
        change(file)
    done = pimdse("verify", "r.h5")
    assert done.returncode == 8, done.stdout + done.stderr
    if change not in (change_choice, change_rule):
        assert pimdse("diff", "whole.h5", "r.h5").returncode == 8


@pytest.mark.parametrize("text", ["{}", "[]", "{", "null", '{"architecture":"cim_mesh","parameters":{},"constraints":[{}]}',
                                  '{"architecture":"cim_mesh","parameters":{"lora_rank":[]},"constraints":[]}',
                                  '{"architecture":"cim_mesh","parameters":{"lora_rank":{"permute":[]}},"constraints":[]}', "[" * 100000],
                         ids=["no members", "a list", "cut off", "null", "an empty constraint", "no values", "no items", "deep"])
def test_verify_refuses_a_space_that_is_none(pimdse, small_space, text):
    pimdse.ok("explore", small_space, "-o", "r.h5", "--budget", 5)
    with without_seal(pimdse.folder / "r.h5") as file:
        file.attrs["canonical_space"] = text
    done = pimdse("verify", "r.h5")
    assert done.returncode == 7 and "text of its space" in done.stderr, done.stderr


def test_every_shipped_space_is_verified(pimdse):
    for space in sorted((ROOT / "spaces").glob("*.toml")):
        pimdse.ok("explore", space, "-o", "r.h5", "--force", "--budget", 40, "--strategy", "random", "--fidelity", "analytic")
        done = pimdse("verify", "r.h5", "--sample", 5)
        assert done.returncode == 0, f"{space.name}: {done.stdout}{done.stderr}"


def test_an_unfinished_shard_is_not_merged_unless_that_is_asked_for(pimdse, small_space):
    pimdse.ok("explore", small_space, "-o", "a.h5", "--shard", "0/2")
    stopped = pimdse("explore", small_space, "-o", "b.h5", "--shard", "1/2", "--time-limit", "1e-6 s")
    assert stopped.returncode == 75
    refused = pimdse("merge", "a.h5", "b.h5", "-o", "all.h5")
    assert refused.returncode == 8 and "b.h5 is unfinished" in refused.stderr and not (pimdse.folder / "all.h5").exists()
    pimdse.ok("merge", "a.h5", "b.h5", "-o", "all.h5", "--partial")
    with h5py.File(pimdse.folder / "all.h5") as file:
        assert file["provenance"].attrs["state"] == "stopped" and file["provenance/earlier"].shape == (2,)
    pimdse.ok("explore", small_space, "-o", "b.h5", "--shard", "1/2", "--resume")
    pimdse.ok("merge", "a.h5", "b.h5", "-o", "all.h5", "--force")
    with h5py.File(pimdse.folder / "all.h5") as file:
        assert file["provenance"].attrs["state"] == "complete" and file["provenance/earlier"].shape == (3,)
        runs = [json.loads(text) for text in file["provenance/earlier"][:]]
    assert [run["state"] for run in runs] == ["complete", "stopped", "complete"]


def change_first_input(file):
    sums = file["inputs/sha256"][:]
    sums[0] = b"0" * 64
    file["inputs/sha256"][:] = sums
    return file["inputs/file"][0].decode()


def test_files_from_other_inputs_are_named(pimdse, small_space):
    pimdse.ok("explore", small_space, "-o", "a.h5")
    pimdse.ok("explore", small_space, "-o", "b.h5")
    with without_seal(pimdse.folder / "b.h5") as file:
        name = change_first_input(file)
    merged = pimdse("merge", "a.h5", "b.h5", "-o", "all.h5")
    assert merged.returncode == 8 and name in merged.stderr
    compared = pimdse("diff", "a.h5", "b.h5")
    assert compared.returncode == 0 and compared.stdout == "equal\n" and name in compared.stderr
    assert json.loads(pimdse.ok("diff", "a.h5", "b.h5", "--format", "json"))["changed_input"] == name
    assert f"{name} has changed since" in pimdse("verify", "b.h5").stderr


def test_verify_knows_what_was_set_on_the_command_line(pimdse, small_space):
    pimdse.ok("explore", small_space, "-o", "r.h5", "--set", "lora_rank=[4, 16]")
    assert "evaluated again and agree" in pimdse.ok("verify", "r.h5")


def test_time_limit_ends_resumable_and_resume_ends_equal(pimdse, small_space):
    whole = json.loads(pimdse.ok("explore", small_space, "-o", "whole.h5", "--format", "json"))
    done = pimdse("explore", small_space, "-o", "part.h5", "--time-limit", "1 us", "--format", "json")
    part = json.loads(done.stdout)
    assert done.returncode in (75, 0)   # the limit may only be noticed after the last point
    if done.returncode == 75:
        assert not part["complete"] and part["points"] < whole["points"]
    rest = json.loads(pimdse.ok("explore", small_space, "-o", "part.h5", "--resume", "--format", "json"))
    assert rest["digest"] == whole["digest"] and rest["evaluated"] == whole["points"] - part["points"]


def test_a_killed_run_loses_nothing_acknowledged(pimdse, small_space):
    """Kill -9 at several instants; the journal is finished by --resume with the digest of an undisturbed run."""
    small_space.write_text(small_space.read_text().replace("step = 16", "step = 4"))
    whole = json.loads(pimdse.ok("explore", small_space, "-o", "whole.h5", "--format", "json"))
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
    (pimdse.folder / "big.toml").write_text('schema = 1\narchitecture = "upmem"\nobjectives = ["latency"]\n[parameters]\n'
                                            'elements = { from = 1024, to = 900000 }\ntasklets = { from = 1, to = 24 }\n')
    run = pimdse.start("explore", "big.toml", "-o", "big.h5", "--progress", "none")
    deadline = time.time() + 30
    while not (pimdse.folder / "big.h5.journal").exists() and time.time() < deadline:
        time.sleep(0.05)
    time.sleep(0.5)
    run.send_signal(signal.SIGTERM)
    run.communicate(timeout=120)
    assert run.returncode == 75
    with h5py.File(pimdse.folder / "big.h5") as file:
        assert len(file["point_id"]) > 0
    assert not (pimdse.folder / "big.h5.journal").exists()


def test_list_and_describe_speak_json(pimdse):
    for what in ("architectures", "models", "dram", "spaces", "strategies"):
        assert json.loads(pimdse.ok("list", what, "--format", "json"))
    for architecture in ARCHITECTURES:
        text = json.loads(pimdse.ok("describe", architecture, "--format", "json"))
        assert "llm" in [p["name"] for p in text["parameters"]]
        assert {"latency", "energy", "power"} <= {m["name"] for m in text["metrics"]}


def test_validate_holds_every_gated_figure(pimdse):
    figures = json.loads(pimdse.ok("validate", "--format", "json"))
    assert {f["architecture"] for f in figures} == set(ARCHITECTURES)
    assert all(f["within"] for f in figures if f["gate"])


def test_every_verb_has_help_with_an_example(pimdse):
    verbs = [line.split()[0] for line in pimdse.ok("--help").splitlines() if line.startswith("  ")]
    assert len(verbs) >= 12
    for verb in verbs:
        assert "example" in pimdse.ok(verb, "--help").lower(), verb


def test_version_names_libraries(pimdse):
    out = pimdse.ok("--version")
    assert "pimdse" in out and "HDF5" in out and "Open MPI" in out


def test_dry_run_writes_nothing(pimdse, small_space):
    out = pimdse.ok("explore", small_space, "--dry-run")
    assert "336 points" in out and "a sample of 64 points" in out and "336 points on" in out
    assert [p.name for p in pimdse.folder.iterdir()] == ["small.toml"]


def test_front_picture_is_drawn(pimdse, small_space):
    pimdse.ok("explore", small_space, "-o", "r.h5")
    done = subprocess.run(["/usr/bin/python3", str(ROOT / "analysis" / "front.py"), "r.h5", "-o", "front.png"], cwd=pimdse.folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (pimdse.folder / "front.png").read_bytes()[:4] == b"\x89PNG"
