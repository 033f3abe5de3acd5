"""`pimdse dram replay` and `pimdse dram check` as a script meets them."""
import csv
import io
import json

import pytest

from conftest import ROOT

ROWS = ROOT / "tests" / "data" / "dram_cycles.csv"
REPLAY_KEYS = [
    "requests",
    "cycles",
    "gbps",
    "hits",
    "misses",
    "conflicts",
    "refreshes",
    "average_read_latency_cycles",
    "simulate_seconds",
]
SUMMARY_KEYS = {"rows", "identical", "median_error", "worst_error", "counts_identical", "requests_per_second"}


def replay(pimdse, *words):
    return pimdse.json("dram", "replay", *words)


@pytest.fixture
def trace(pimdse):
    def write(*lines):
        (pimdse.folder / "t.txt").write_text("".join(line + "\n" for line in lines))
        return "t.txt"
    return write


# The hand-checkable traces of the specification: total cycles.
HAND_CHECKED = [
    ("L5B", "of5 ch2 co6 bg2 ba2 ro15", "seq:32", 39),
    ("L5B", "of5 co6 ro15 ba2 bg2 ch2", "stride:2048:3", 137),
    ("L5J", "of5 ch2 bg2 ba2 co6 ro15", "stride:128:6", 56),
    ("D4_2400", "of6 ra1 bg2 ba2 co7 ro16", "seq:256", 51),
    ("HBM2_2000", "of5 co5 ro15 ba2 bg2 pc1 ch3", "stride:1024:2", 80),
]


@pytest.mark.parametrize("dram,mapping,stream,cycles", HAND_CHECKED)
def test_replay_counts_what_can_be_counted_by_hand(pimdse, dram, mapping, stream, cycles):
    assert replay(pimdse, "--dram", dram, "--mapping", mapping, "--stream", stream)["cycles"] == cycles


def test_replay_keeps_its_json_contract(pimdse):
    answer = replay(pimdse, "--dram", "L5J", "--mapping", "of5 co3 ch2 bg2 ba2 co3 ro15", "--stream", "seq:16777216")
    assert list(answer)[: len(REPLAY_KEYS)] == REPLAY_KEYS
    assert answer["requests"] == 16777216 // 32
    assert answer["hits"] + answer["misses"] + answer["conflicts"] == answer["requests"]
    assert answer["gbps"] == pytest.approx(16777216 / (answer["cycles"] * 1.25e-9) / 1e9, rel=1e-12)
    assert answer["refreshes"] == 4 * (answer["cycles"] // 3125)
    assert answer["simulate_seconds"] > 0


def test_replay_prints_the_same_for_people(pimdse):
    words = ("--dram", "L5B", "--mapping", "RoBaRaCoCh", "--stream", "seq:1048576")
    answer = replay(pimdse, *words)
    lines = dict(
        line.split(None, 1)
        for line in pimdse.ok("dram", "replay", *words).splitlines()
        if len(line.split(None, 1)) == 2
    )
    for key in ("requests", "cycles", "hits", "conflicts", "refreshes"):
        assert int(lines[key]) == answer[key]


# Reference rows that differ from their neighbours in one option only.
OPTIONS = [
    ("r21.L5B_pb.RoBaRaCoCh.seq_1048576", ["--refresh", "per-bank"]),
    ("r21.L5B_nr.RoBaRaCoCh", ["--refresh", "none"]),
    ("r21.L5B_rh.", ["--scheduler", "frfcfs-rowhit"]),
    ("r21k32.", ["--tries", "32"]),
    ("r21w", ["--window", None]),
]


@pytest.mark.parametrize("case,flags", OPTIONS)
def test_replay_takes_every_option_of_the_reference(pimdse, case, flags):
    with open(ROWS, newline="") as file:
        row = min(
            (row for row in csv.DictReader(file) if row["case_id"].startswith(case)),
            key=lambda row: int(row["n_requests"]),
        )
    simulator, dram = row["case_id"].split(".")[:2]
    flags = [simulator[len("r21w") :] if flag is None else flag for flag in flags]
    words = [
        "--dram",
        dram.removesuffix("_pb").removesuffix("_nr").removesuffix("_rh"),
        "--mapping",
        row["mapping_lsb_to_msb"],
        "--stream",
        row["stream"],
    ]
    answer = replay(pimdse, *words, *flags)
    assert answer["cycles"] == int(row["total_cycles"])
    assert [answer["hits"], answer["misses"], answer["conflicts"]] == [
        int(row[key]) for key in ("row_hits", "row_misses", "row_conflicts")
    ]
    assert answer["refreshes"] == int(row["refresh_cmds_all_channels"])
    assert answer["average_read_latency_cycles"] == pytest.approx(float(row["avg_read_latency_cyc"]), abs=1e-3)


def test_fast_forward_changes_nothing_but_the_work(pimdse):
    words = ("--dram", "D4_2400", "--mapping", "umdam", "--stream", "seq:134217728", "--observe")
    fast, slow = replay(pimdse, *words), replay(pimdse, *words, "--fast-forward", "off")
    assert fast["requests_simulated"] < slow["requests_simulated"] == slow["requests"]
    for answer in (fast, slow):
        del answer["simulate_seconds"], answer["requests_simulated"]
    assert fast == slow


def test_replay_simulates_every_cycle(pimdse):
    words = ("--dram", "L5B", "--mapping", "umdam", "--stream", "seq:4096")
    answer = replay(pimdse, *words, "--fidelity", "cycle")
    assert answer["exact"] and answer["cycles_low"] == answer["cycles"] == answer["cycles_high"]


def test_observe_accounts_for_every_bus_cycle(pimdse):
    answer = replay(pimdse, "--dram", "L5J", "--mapping", "umdam", "--stream", "rand:50000:268435456", "--observe")
    assert sum(answer["bus_cycles"].values()) == 4 * answer["cycles"]
    assert answer["bus_cycles"]["transfer"] == 2 * answer["requests"]
    latency = answer["read_latency_cycles"]
    assert latency["p50"] <= latency["p90"] <= latency["p99"] <= latency["p999"] <= latency["max"]
    assert sum(answer["energy_joules"][part] for part in ("activate", "array", "transfer", "refresh")) == pytest.approx(
        answer["energy_joules"]["total"]
    )


def test_other_machines_by_flag(pimdse):
    words = ("--dram", "L5J", "--stream", "seq:4194304")
    small, large = replay(pimdse, *words, "--density", "8"), replay(pimdse, *words, "--density", "32")
    assert small["cycles"] < large["cycles"]  # more rows take longer to refresh
    together = replay(pimdse, "--dram", "L5B", "--mapping", "RoBaRaChCo", "--stream", "seq:4194304")
    apart = replay(
        pimdse, "--dram", "L5B", "--mapping", "RoBaRaChCo", "--stream", "seq:4194304", "--front-end", "independent"
    )
    assert apart["cycles"] < 0.5 * together["cycles"]  # one full channel no longer stops the others
    shallow = replay(pimdse, *words, "--coll-bits", "4", "--queue-depth", "4")
    assert shallow["cycles"] > replay(pimdse, *words, "--coll-bits", "4")["cycles"]


def test_trace_file_says_the_same_as_the_formula(pimdse, trace):
    name = trace(
        "# read, then write",
        *(line for i in range(500) for line in (f"LD {32 * i}", f"ST 0x{268435456 + 32 * i:x}")),
        "",
    )
    words = ("--dram", "L5J", "--mapping", "umdam")
    by_trace, by_formula = replay(pimdse, *words, "--trace", name), replay(
        pimdse, *words, "--stream", "copy:16000:268435456:0"
    )
    for answer in (by_trace, by_formula):
        del answer["simulate_seconds"]
    assert by_trace == by_formula


def test_check_keeps_its_json_contract(pimdse):
    answer = pimdse.json("dram", "check", ROWS, "--only", "n_requests<=4096")
    assert SUMMARY_KEYS <= set(answer["overall"])
    assert answer["overall"]["rows"] == answer["overall"]["identical"] == answer["overall"]["counts_identical"] > 50
    assert answer["overall"]["worst_error"] == answer["overall"]["median_error"] == 0 and answer["differing"] == []
    assert sum(group["rows"] for group in answer["groups"]) == answer["overall"]["rows"]
    for group in answer["groups"]:
        assert SUMMARY_KEYS | {"timings", "stream"} <= set(group)


def test_check_compares_only_what_is_asked_for(pimdse):
    answer = pimdse.json("dram", "check", ROWS, "--only", "L5J and n_requests<=16384")
    with open(ROWS, newline="") as file:
        wanted = [row for row in csv.DictReader(file) if "L5J" in row["case_id"] and int(row["n_requests"]) <= 16384]
    assert answer["overall"]["rows"] == len(wanted) > 0


def test_a_doctored_row_gives_exit_8_and_is_listed(pimdse):
    with open(ROWS, newline="") as file:
        reader = csv.DictReader(file)
        rows = [row for row in reader if int(row["n_requests"]) <= 4096][:5]
        fields = [*reader.fieldnames, "remark"]  # a superset of the columns is fine
    expected = int(rows[2]["total_cycles"])
    rows[2]["total_cycles"] = str(expected + 1)
    out = io.StringIO()
    writer = csv.DictWriter(out, fields, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    (pimdse.folder / "rows.csv").write_text(out.getvalue())
    done = pimdse("dram", "check", "rows.csv", "--format", "json")
    answer = json.loads(done.stdout)
    assert done.returncode == 8
    assert answer["overall"]["rows"] == 5 and answer["overall"]["identical"] == 4
    assert [(d["case_id"], d["expected"], d["got"]) for d in answer["differing"]] == [
        (rows[2]["case_id"], expected + 1, expected)
    ]
    assert answer["overall"]["worst_error"] == pytest.approx(1 / (expected + 1))
    assert rows[2]["case_id"] in pimdse("dram", "check", "rows.csv").stdout


@pytest.mark.parametrize("verb", [["dram"], ["dram", "replay"], ["dram", "check"]])
def test_help_shows_a_worked_example(pimdse, verb):
    assert f"  pimdse {' '.join(verb)} " in pimdse.ok(*verb, "--help")


def test_an_idle_memory_ends_at_once_with_all_its_refreshes(pimdse, trace):
    far, near = 1 << 49, 10_000_000
    answers = [replay(pimdse, "--dram", "L5J", "--trace", trace("0x0 READ 0", f"0x10000000 READ {gap}"))
               for gap in (near, far)]
    for gap, answer in zip((near, far), answers, strict=True):
        assert gap < answer["cycles"] < gap + 1000
        assert answer["refreshes"] == pytest.approx(4 * (gap // 3125), abs=4)
    assert answers[1]["simulate_seconds"] < 1


def gemv(pimdse, *words):
    return pimdse.json("dram", "gemv", "--dram", "gddr6_aim", *words)


def test_channels_without_work_use_no_energy(pimdse):
    attention = ("--context", "7000", "--kv-heads", "8")
    all_, eight = (gemv(pimdse, *attention, "--channels", channels)["values"] for channels in ("32", "8"))
    assert all_["joules"] == eight["joules"] == pytest.approx(337.5e-6, rel=1e-3)
    assert all_["channels_at_work"] == eight["channels_at_work"] == 8
    few, enough = (gemv(pimdse, "--outputs", "40", "--channels", channels)["product"] for channels in ("32", "3"))
    assert few == enough and few["channels_at_work"] == 3
