"""Bad input gets one clear sentence with file and line, a documented exit code, and leaves nothing behind."""
import csv
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from conftest import ROOT

HEAD = 'schema = 1\narchitecture = "cim_mesh"\nobjectives = ["latency"]\n'

BROKEN = {
    "unknown key": (HEAD + "objectivs = 1\n", ["s.toml:4", "objectivs", "'objectives'"]),
    "unknown parameter": (HEAD + "[parameters]\nlora_rnk = 8\n", ["s.toml:5", "lora_rank"]),
    "unit of the wrong dimension": (HEAD + '[parameters]\nfrequency = "4 GB"\n', ["s.toml:5", "frequency", "data"]),
    "no unit": (HEAD + "[parameters]\nfrequency = 4\n", ["s.toml:5", "no unit"]),
    "empty list": (HEAD + "[parameters]\nlink_bits = []\n", ["s.toml:5", "empty"]),
    "duplicate value": (HEAD + "[parameters]\nlink_bits = [64, 64]\n", ["s.toml:5", "twice"]),
    "no permutation": (
        'schema = 1\narchitecture = "umdam"\nobjectives = ["ttft"]\n[parameters]\nmapping = { permute = ["row", "row"] }\n',
        ["s.toml:5", "permutation"],
    ),
    "model that is not there": (HEAD + '[parameters]\nllm = "llama-9"\n', ["s.toml:5", "llama-9"]),
    "constraint naming nothing": (
        HEAD + '[[constraint]]\nname = "x"\nexpr = "latncy < 1 s"\n',
        ["s.toml:6", "latncy", "latency"],
    ),
    "not toml": ("schema = = 1\n", ["s.toml:1", "TOML"]),
    "unknown architecture": (
        'schema = 1\narchitecture = "cim"\nobjectives = ["latency"]\n',
        ["s.toml:2", "unknown architecture"],
    ),
    "unknown strategy": (HEAD + '[search]\nstrategy = "magic"\n', ["s.toml:5", "unknown strategy"]),
    "unknown way to keep": (HEAD + '[search]\nkeep = "frnt"\n', ["s.toml:5", "frnt", "'front'"]),
    "fronts of a strategy that jumps": (
        HEAD + '[search]\nkeep = "front"\nstrategy = "random"\n',
        ["'random'", "'sweep'"],
    ),
    "range that goes nowhere": (HEAD + "[parameters]\nmesh_rows = { from = 8, to = 4 }\n", ["s.toml:5", "mesh_rows"]),
}


@pytest.mark.parametrize("what", BROKEN)
def test_broken_space_is_refused(pimdse, what):
    text, expected = BROKEN[what]
    (pimdse.folder / "s.toml").write_text(text)
    done = pimdse("explore", "s.toml", "-o", "out.h5")
    assert done.returncode == 3, done.stderr
    assert done.stdout == ""
    for piece in expected:
        assert piece in done.stderr
    assert [p.name for p in pimdse.folder.iterdir()] == ["s.toml"]


def test_every_mistake_is_reported_at_once(pimdse):
    (pimdse.folder / "s.toml").write_text(HEAD + '[parameters]\nlora_rnk = 8\nlink_bits = []\nfrequency = "4 GB"\n')
    done = pimdse("explore", "s.toml", "-o", "out.h5")
    assert len(done.stderr.strip().splitlines()) == 3


def test_existing_output_is_kept(pimdse, small_space):
    pimdse.ok("explore", small_space, "-o", "out.h5", "--budget", 5)
    before = (pimdse.folder / "out.h5").read_bytes()
    done = pimdse("explore", small_space, "-o", "out.h5")
    assert done.returncode == 2 and "--resume" in done.stderr and "--force" in done.stderr
    assert (pimdse.folder / "out.h5").read_bytes() == before
    pimdse.ok("explore", small_space, "-o", "out.h5", "--force", "--budget", 5)


def test_resume_refuses_the_file_of_another_space(pimdse, small_space):
    pimdse.ok("explore", small_space, "-o", "out.h5", "--budget", 5)
    done = pimdse("explore", small_space, "-o", "out.h5", "--resume", "--set", "lora_rank=8")
    assert done.returncode == 3 and "another space" in done.stderr


def test_unwritable_output_is_said_before_any_work(pimdse, small_space):
    done = pimdse("explore", small_space, "-o", "no/such/folder/out.h5")
    assert done.returncode == 7 and "no/such/folder" in done.stderr


def test_zero_feasible_points_is_exit_6(pimdse, small_space):
    small_space.write_text(small_space.read_text().replace("latency <= 10 s", "latency <= 1 ns"))
    done = pimdse("explore", small_space, "-o", "out.h5")
    assert done.returncode == 6
    assert (pimdse.folder / "out.h5").exists()   # the rows and their reasons are an answer


def test_missing_files_are_exit_4(pimdse):
    for words in [
        ("explore", "nowhere.toml", "-o", "x.h5"),
        ("front", "nowhere.h5"),
        ("verify", "nowhere.h5"),
        ("quick", "nowhere.toml"),
    ]:
        done = pimdse(*words)
        assert done.returncode == 4, words
        assert "nowhere" in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("explor",),
        ("explore", "--bugdet", "3"),
        ("explore", "x.toml"),
        ("list", "spacs"),
        ("evaluate",),
        ("front", "a", "b"),
        ("evaluate", "umdam", "--set", "channels"),
        ("evaluate", "umdam", "--format", "xml"),
        ("explore", "x.toml", "-o", "a.h5", "--bud", "3"),
    ],
)
def test_wrong_command_lines_are_exit_2(pimdse, words):
    done = pimdse(*words)
    assert done.returncode == 2, done.stderr
    assert done.stderr.strip()


def test_mistakes_of_evaluate_are_exit_3(pimdse):
    for words in [
        ("umdm",),
        ("umdam", "--set", "chanels=4"),
        ("umdam", "--model", "opt-7b"),
        ("umdam", "--set", "pim_mac_interval=4"),
        ("umdam", "--set", "baseline=nothing"),
    ]:
        done = pimdse("evaluate", *words)
        assert done.returncode == 3, words
        assert len(done.stderr.strip().splitlines()) == 1, done.stderr


def data_with(folder, file, old, new):
    """The data folder, in which the text `old` of one file is `new`; as the environment of a run."""
    def only_data(_, names):
        return [name for name in names if Path(name).suffix in (".cpp", ".hpp", ".md")]

    shutil.copytree(ROOT / "models", folder / "data" / "models", ignore=only_data)
    path = folder / "data" / "models" / file
    text, count = re.subn(old, new, path.read_text(), count=1, flags=re.MULTILINE)
    assert count == 1, old
    path.write_text(text)
    return {"PIMDSE_DATA": str(folder / "data")}


def one_sentence(done, code, *pieces):
    assert done.returncode == code, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1 and len(lines[0]) < 1000, done.stderr[:2000]
    assert "bug of pimdse" not in lines[0]
    for piece in pieces:
        assert piece in lines[0]


VA = ("evaluate", "upmem", "--fidelity", "hybrid")
NUMBERS = {
    "a model with a billion billion experts": (
        "llm/llada-moe-7b-a1b.toml",
        r"^experts\s*=.*",
        "experts = 1e18",
        ("evaluate", "cim_mesh", "--set", "llm=llada-moe-7b-a1b"),
        "'experts'",
    ),
    "a model of a width beyond 64 bits": (
        "llm/opt-6.7b.toml",
        r"^hidden\s*=.*",
        "hidden = 1e308",
        ("evaluate", "umdam", "--set", "llm=opt-6.7b"),
        "'hidden'",
    ),
    "a model with endless layers": (
        "llm/opt-6.7b.toml",
        r"^layers\s*=.*",
        "layers = inf",
        ("evaluate", "umdam", "--set", "llm=opt-6.7b"),
        "'layers'",
    ),
    "a model whose product is beyond 64 bits": (
        "llm/opt-6.7b.toml",
        r"^ffn\s*=.*",
        "ffn = 16777216",
        ("evaluate", "umdam", "--set", "llm=opt-6.7b"),
        None,
    ),
    "a kernel that reads without end": (
        "upmem/kernels/va.toml",
        r"^reads\s*=\s*\{ value = \d+",
        "reads = { value = 1e18",
        VA,
        "'reads'",
    ),
    "a kernel of negative bytes": (
        "upmem/kernels/va.toml",
        r"^input_bytes\s*=\s*\{ value = \d+",
        "input_bytes = { value = -8",
        VA,
        "'input_bytes'",
    ),
    "a kernel of endless bytes": (
        "upmem/kernels/va.toml",
        r"^mram_bytes\s*=\s*\{ value = \d+",
        "mram_bytes = { value = inf",
        VA,
        "inf",
    ),
    "a constant that is no number": (
        "upmem/constants.toml",
        r"^(tail_read_slots *= \{ value = )\d+",
        r"\1nan",
        VA,
        "nan",
    ),
    "a constant that counts beyond 64 bits": (
        "upmem/constants.toml",
        r"^(t_rcd *= \{ value = )\d+",
        r"\g<1>1e308",
        VA,
        "t_rcd",
    ),
    "a timing beyond 64 bits": (
        "dram/L5J.toml",
        r"^nRC\s.*",
        "nRC = 1e308",
        ("dram", "replay", "--dram", "L5J", "--stream", "seq:4096"),
        "'nRC'",
    ),
}


@pytest.mark.parametrize("what", NUMBERS)
def test_numbers_that_nothing_has_are_refused_in_one_sentence(pimdse, what):
    file, old, new, words, named = NUMBERS[what]
    done = pimdse(*words, env=data_with(pimdse.folder, file, old, new), timeout=60)
    if named is None:
        assert done.returncode in (0, 3, 6), done.stderr
    else:
        one_sentence(done, 3, named)


def test_a_listing_that_boots_a_tasklet_too_many_is_bad_input(pimdse):
    env = data_with(pimdse.folder, "upmem/kernels/va.s", r"^\tmove r21, r23\n", "\tmove r21, r23\n\tboot zero, 30\n")
    one_sentence(
        pimdse(
            "evaluate",
            "upmem",
            "--fidelity",
            "cycle",
            "--set",
            "preset=upimulator-cpp",
            "--set",
            "elements=4096",
            env=env,
        ),
        3,
        "boots tasklet 30",
    )


TOO_LARGE = {
    "elements beyond all DPUs": (("evaluate", "upmem", "--set", "elements=9223372036854775807"), 3, "elements"),
    "elements that overflowed a postcondition": (
        (
            "evaluate",
            "upmem",
            "--fidelity",
            "cycle",
            "--set",
            "kernel=micro-add-float",
            "--set",
            "transfer=serial",
            "--set",
            "elements=9007199254740992",
        ),
        3,
        "elements",
    ),
    "cycles that nobody waits for": (
        (
            "evaluate",
            "upmem",
            "--fidelity",
            "cycle",
            "--set",
            "kernel=micro-add-float",
            "--set",
            "elements=1000000000000",
        ),
        3,
        "cycles of a DPU",
    ),
    "exponents that wrapped": (("evaluate", "umdam", "--set", "npu_flops=0 TFLOP/s*TB22222222"), 3, "unknown unit"),
    "a unit of 80,000 digits": (("evaluate", "umdam", "--set", "npu_flops=1 m" + "2" * 80_000), 3, "unknown unit"),
    "a density below none": (
        ("dram", "replay", "--dram", "L5J", "--stream", "seq:4096", "--density", "-8"),
        2,
        "--density '-8'",
    ),
    "column bits below none": (
        ("dram", "replay", "--dram", "L5J", "--stream", "seq:4096", "--coll-bits", "-2"),
        2,
        "--coll-bits '-2'",
    ),
    "a stream that wrapped": (
        ("dram", "replay", "--dram", "L5J", "--stream", "stride:1125899906842624:16385"),
        3,
        "reaches address",
    ),
    "cycles beyond 64 bits": (("noc", "replay", "--cycles", "9223372036854775807"), 2, "--cycles"),
    "a mesh beyond memory": (("noc", "replay", "--mesh", "1024x1024", "--fifo", "2048", "--cycles", "10"), 2, "places"),
    "a packet beyond all": (("noc", "replay", "--packet", "2147483647"), 2, "packet"),
}


@pytest.mark.parametrize("what", TOO_LARGE)
def test_what_no_machine_could_have_is_refused_in_one_sentence(pimdse, what):
    words, code, piece = TOO_LARGE[what]
    one_sentence(pimdse(*words, timeout=60), code, piece)


def test_a_large_mesh_is_simulated_without_a_closed_form(pimdse):
    answer = json.loads(
        pimdse.ok(
            "noc", "replay", "--mesh", "256x256", "--cycles", "10", "--warmup", "0", "--load", "0.001", timeout=120
        )
    )
    assert answer["closed_form_latency"] is None and answer["drained"]


def test_a_long_simulation_says_so_before_it_begins(pimdse):
    started = pimdse.start("noc", "replay", "--mesh", "512x512", "--cycles", "1000000", "--load", "0.5")
    try:
        assert "min" in started.stderr.readline()
    finally:
        started.kill()
        started.communicate()


def test_loads_of_almost_nothing_create_no_packet(pimdse):
    answer = json.loads(pimdse.ok("noc", "replay", "--load", "1e-300", "--cycles", "100"))
    assert answer["packets"] == 0


DEEP = {
    "lists": "a = " + "[" * 50_000,
    "keys": "a" + ".a" * 200_000 + " = 1",
    "signs": HEAD + '[[constraint]]\nname = "x"\nexpr = "' + "-" * 40_000 + '1 < 2"\n',
    "nots": HEAD + '[[constraint]]\nname = "x"\nexpr = "' + "not " * 2_000_000 + 'true"\n',
}


@pytest.mark.parametrize("what", DEEP)
def test_what_is_nested_too_deeply_is_refused_before_it_takes_the_stack(pimdse, what):
    (pimdse.folder / "s.toml").write_text(DEEP[what])
    one_sentence(pimdse("explore", "s.toml", "-o", "out.h5"), 3)


def test_a_point_that_nobody_waits_for_is_a_timeout_and_the_run_goes_on(pimdse):
    (pimdse.folder / "s.toml").write_text(
        'schema = 1\narchitecture = "upmem"\nobjectives = ["latency"]\n[parameters]\nkernel = "micro-add-float"\n'
        "elements = [4096, 1000000000000]\n[search]\nfidelity = \"cycle\"\n"
    )
    done = pimdse("explore", "s.toml", "-o", "out.h5", timeout=60)
    assert done.returncode == 5, done.stderr
    assert "timeout" in done.stdout + done.stderr and "cycles of a DPU" in done.stdout + done.stderr


def test_ranges_end_where_they_say(pimdse):
    (pimdse.folder / "s.toml").write_text(
        'schema = 1\narchitecture = "umdam"\nobjectives = ["ttft"]\n[parameters]\nnpu_buffer = { from = 4294967295, to = 4294967296 }\n'
    )
    assert "2 points" in pimdse.ok("explore", "s.toml", "-o", "out.h5", "--dry-run")


DRAM_ROWS = ROOT / "tests" / "data" / "dram_cycles.csv"


def dram_rows(folder, **cells):
    with DRAM_ROWS.open(newline="") as file:
        rows = [
            row
            for row in csv.DictReader(file)
            if row["case_id"].startswith("r21") and int(row["n_requests"] or 10**9) <= 5000
        ][:1]
    rows[0].update(cells)
    with (folder / "rows.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return "rows.csv"


@pytest.mark.parametrize(
    "cells, piece",
    [
        ({"txn_bytes": "0"}, "transaction of 0 B"),
        ({"txn_bytes": "-64"}, "transaction"),
        ({"txn_bytes": "1e300"}, "txn_bytes"),
        ({"total_cycles": "inf"}, "not a number"),
        ({"total_cycles": "0"}, "total_cycles"),
    ],
)
def test_rows_of_dram_that_nothing_measured_are_refused(pimdse, cells, piece):
    one_sentence(pimdse("dram", "check", dram_rows(pimdse.folder, **cells), "--format", "json"), 3, piece)


@pytest.mark.parametrize("cell", [".5", "007", "1e3"])
def test_differences_are_json_however_a_table_writes_its_numbers(pimdse, cell):
    done = pimdse("dram", "check", dram_rows(pimdse.folder, row_hits=cell), "--format", "json")
    assert done.returncode == 8, done.stderr
    assert [d["expected"] for d in json.loads(done.stdout)["differing"] if d["column"] == "row_hits"] == [float(cell)]


@pytest.mark.parametrize(
    "cells",
    [
        {"k": "0"},
        {"k": "100000"},
        {"vc_buf_flits": "0"},
        {"packet_flits": "0"},
        {"accepted": "0"},
        {"offered_flits_node_cycle": "-1"},
    ],
)
def test_rows_of_networks_that_cannot_be_are_refused_with_their_line(pimdse, cells):
    with (ROOT / "tests" / "data" / "noc_latency.csv").open(newline="") as file:
        row = next(row for row in csv.DictReader(file) if row["config"] == "A")
    row.update(cells)
    with (pimdse.folder / "rows.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(row))
        writer.writeheader()
        writer.writerow(row)
    one_sentence(pimdse("noc", "check", "rows.csv", "--packets", "1000", timeout=60), 3, "rows.csv:2")


def test_limits_are_part_of_what_describe_says(pimdse):
    text = json.loads(pimdse.ok("describe", "umdam", "--format", "json"))
    limits = {p["name"]: p.get("limits") for p in text["parameters"]}
    assert (
        limits["npu_buffer"] == [65536, 4294967296]
        and limits["pim_mac_interval"] == pytest.approx([1, 8])
        and limits["llm"] is None
    )


EXPLORE = ("explore", "small.toml", "-o", "a.h5")
WRONG_VALUES = [
    (*EXPLORE, "--budget", "-1"),
    (*EXPLORE, "--threads", "-5"),
    (*EXPLORE, "--threads", "1000000"),
    (*EXPLORE, "--seed", "1.5"),
    (*EXPLORE, "--time-limit", "abc"),
    (*EXPLORE, "--time-limit", "1e300 s"),
    (*EXPLORE, "--fidelity", "nope"),
    (*EXPLORE, "--objectives", "nope"),
    (*EXPLORE, "--strategy", "nope"),
    (*EXPLORE, "--keep", "nope"),
    (*EXPLORE, "--shard", "0/-1"),
    (*EXPLORE, "--supervise", "--restarts", "-3"),
    (*EXPLORE, "--supervise", "--spare-nodes", "x"),
    (*EXPLORE, "--launch", "mpirun -n 2"),
    (*EXPLORE, "--restarts", "3"),
    (*EXPLORE, "--spare-nodes", "1"),
    ("quick", "small.toml", "--threads", "-1"),
    ("diff", "a.h5", "b.h5", "--relative", "nan"),
    ("diff", "a.h5", "b.h5", "--relative", "-1"),
    ("verify", "a.h5", "--sample", "-1"),
    ("verify", "a.h5", "--seed", "x"),
    ("watch", "a.h5", "--interval", "nan"),
    ("watch", "a.h5", "--interval", "-1"),
    ("evaluate", "umdam", "--fidelity", "exact"),
    ("dram", "replay", "--dram", "L5J", "--stream", "seq:4096", "--window", "-1"),
    ("dram", "replay", "--dram", "L5J", "--stream", "seq:4096", "--density", "-1"),
    ("dram", "replay", "--dram", "L5J", "--stream", "seq:4096", "--coll-bits", "-2"),
    ("dram", "replay", "--dram", "L5J", "--stream", "seq:4096", "--tries", "0"),
    ("noc", "replay", "--load", "nan"),
    ("noc", "replay", "--cycles", "9223372036854775807"),
    ("noc", "replay", "--warmup", "-1"),
    ("noc", "replay", "--seed", "-1"),
    ("noc", "check", "x.csv", "--packets", "-5"),
]


@pytest.mark.parametrize("words", WRONG_VALUES, ids=lambda words: " ".join(words[-2:]))
def test_what_a_flag_cannot_say_is_exit_2_and_one_sentence(pimdse, small_space, words):
    done = pimdse(*words, timeout=30)
    assert done.returncode == 2 and done.stdout == "", done.stderr
    assert len(done.stderr.strip().splitlines()) == 1 and done.stderr.startswith("pimdse: ")
    assert [path.name for path in pimdse.folder.iterdir()] == ["small.toml"]


def test_numbers_of_threads_in_the_environment_are_checked(pimdse, small_space):
    for variable, text in [
        ("PIMDSE_THREADS", "abc"),
        ("PIMDSE_THREADS", "-1"),
        ("SLURM_CPUS_PER_TASK", "0"),
        ("SLURM_CPUS_PER_TASK", "99999999"),
    ]:
        done = pimdse(*EXPLORE, env={variable: text})
        assert done.returncode == 2 and variable in done.stderr and len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("rank", [0, 1])
def test_the_launcher_of_another_mpi_is_said_once_and_nothing_is_written(pimdse, small_space, rank):
    done = pimdse(*EXPLORE, env={"PMI_RANK": str(rank), "PMI_SIZE": "4"}, timeout=60)
    assert done.returncode == 2
    assert ("started 4 processes" in done.stderr and "knows of 1" in done.stderr) == (rank == 0)
    assert [path.name for path in pimdse.folder.iterdir()] == ["small.toml"]


LONG = "n" * 5000
NO_INPUTS = ["", "folder", "pipe", "/dev/zero", "n" * 256, LONG, "a/" * 2500 + "b", "loop", "small.toml/below"]


@pytest.mark.parametrize("name", NO_INPUTS, ids=lambda name: name[:12] + str(len(name)))
def test_what_cannot_be_read_is_exit_4_and_one_sentence(pimdse, small_space, name):
    (pimdse.folder / "folder").mkdir()
    (pimdse.folder / "loop").symlink_to("loop")
    os.mkfifo(pimdse.folder / "pipe")
    for words in [
        ("explore", name, "-o", "a.h5"),
        ("quick", name, "-o", "a.h5"),
        ("front", name),
        ("verify", name),
        ("diff", name, name),
        ("merge", name, "-o", "m.h5"),
        ("dram", "check", name),
        ("noc", "check", name),
        ("dram", "replay", "--dram", "L5J", "--trace", name),
        ("watch", name, "--once"),
    ]:
        done = pimdse(*words, timeout=30)
        assert done.returncode == 4, (words[0], done.returncode, done.stderr)
        assert len(done.stderr.strip().splitlines()) == 1 and len(done.stderr) < 400


@pytest.mark.parametrize(
    "name", ["", "folder/", "pipe", "/dev/null", "small.toml", "./folder/../small.toml", "n" * 250, LONG]
)
def test_what_cannot_be_a_result_file_is_exit_2_and_stays_as_it_is(pimdse, small_space, name):
    (pimdse.folder / "folder").mkdir()
    os.mkfifo(pimdse.folder / "pipe")
    text = small_space.read_text()
    for words in [("explore", "small.toml", "-o", name, "--force", "--budget", 5), ("quick", "small.toml", "-o", name)]:
        done = pimdse(*words, timeout=30)
        assert done.returncode == 2, done.stderr
        assert len(done.stderr.strip().splitlines()) == 1 and len(done.stderr) < 400
    assert small_space.read_text() == text and Path("/dev/null").is_char_device()
    assert sorted(path.name for path in pimdse.folder.iterdir()) == ["folder", "pipe", "small.toml"]


def test_a_name_that_is_no_text_is_written_and_told_as_well_as_json_can(pimdse, small_space):
    name = b"a\xff\xfe.h5"
    command = [
        pimdse.program.encode(),
        b"explore",
        b"small.toml",
        b"-o",
        name,
        b"--budget",
        b"5",
        b"--format",
        b"json",
        b"--progress",
        b"none",
    ]
    done = subprocess.run(command, cwd=pimdse.folder, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["points"] == 5
    assert (Path(os.fsdecode(os.fsencode(pimdse.folder) + b"/" + name))).exists()


def test_what_only_a_run_calls_says_so_to_a_person(pimdse):
    for words, given in [((), b""), (("x",), b"garbage" * 100)]:
        done = subprocess.run([pimdse.program, "answer-apart", *words], input=given, capture_output=True, timeout=30)
        assert done.returncode == 2 and done.stderr.count(b"\n") == 1 and b"bug" not in done.stderr


def test_odd_words_stay_on_one_line_and_do_not_fill_the_screen(pimdse):
    for words in [
        ("list", "a\nb"),
        ("evaluate", LONG),
        ("evaluate", "umdam", "--set", f"llm={LONG}"),
        (LONG,),
        ("list", LONG),
    ]:
        done = pimdse(*words)
        assert done.returncode in (2, 3) and len(done.stderr.splitlines()) == 1 and len(done.stderr) < 1100
