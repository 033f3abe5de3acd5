#!/usr/bin/python3
"""Writes docs/generated/accuracy.md: measured kernels, requests and services beside what the machines predict.
docs/make_accuracy.py PIMDSE [--check]; with --check, exits with 1 if a group of rows became worse, or lost rows."""
import csv
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/generated/accuracy.md"
ROWS = ROOT / "tests/data/kernels"
RUNS = ROOT / "tests/data/runs"
UNITS = {"ms": 1e-3, "s": 1.0, "1/s": 1.0}
POINTS, SHARE = 2.0, 0.1  # a group is worse if its error rose by both: points, and a share of itself
HEAD = """# Against silicon

Made by `docs/make_accuracy.py` from the rows of `tests/data/kernels` and `tests/data/runs`, whose READMEs say where
they come from. A row of the first is one kernel that somebody measured, beside what the machine predicts for it:

    pimdse evaluate h100 --operator "product m=64 k=4096 n=6144"
    pimdse evaluate h100 --rows tests/data/kernels/h100.csv

The second prints every row of a machine with its measured and predicted time, the proved lower bound, and whether it
lies inside the stated interval (a factor of 1.41 to either side, and never below the bound). A row that is faster than
its bytes and operations allow at the figures of the data sheet is named *impossible* and counts nowhere, unless its
operands are at most twice the last-level cache, which may still have them from the run before.

**Seen.** Kernel times, attained shares and starts of links were chosen as round numbers for all rows of these tables
together, one law for all boards; the constants of the machine files say which. So these rows are not blind; MLPerf,
TensorRT-LLM, gpt-fast and the recorded services of [validation](validation.md) are.

"""
RUN_HEAD = """
## Requests and services

Rows of `tests/data/runs`, which are summed up as `runs` above. MLPerf gives mean lengths of requests and no settings of
the scheduler; here every request has the mean lengths, but for answers of DeepSeek-R1, whose spread the percentiles of
the logs say, and the row of a run on several boards that share nothing is that of one of them. Services of boards state
an interval, the factor of their kernels; single requests state a proved lower bound and no expected interval.

"""
LEGEND = """
Errors are predicted over measured, less one: median, from the tenth to the ninetieth percentile, and the median without
sign. *inside*: share of rows in the stated interval, among those that have one.

## Where it misses, and why

* **Formats of 8 and 4 bits.** Kernels that quantise their inputs first take 5 to 21 us beyond their bytes, by program
  and version. One time for all formats is too short there.
* **Few rows of experts, a prompt of experts.** A grouped product is one of several programs, whose tiles and shares
  differ by a factor of two on the same board (Triton, CUTLASS, TensorRT-LLM).
* **Sums without peer access.** Eight boards lie on both sockets of a host; 64 KiB to 1 MiB take two to four times what
  the memory of the host would allow.
* **Exchanges of eight boards on PCIe.** The law lets a board attain the 25 GB/s that a ring has between the sockets of
  a host. Of an exchange 4/7 cross there, of all boards at once, and eight RTX PRO 6000 attain 15 to 18 GB/s: 23 to
  39 % too fast. Their sums and gathers of 256 and 512 KiB stay in packets longer than is good for them: 30 to 50 %.
* **Called by a host.** A call takes 45 us on the A100's host under vLLM 0.14, 37 on the Arc B60's under 0.20, 20 on the
  H100's under 0.24; the law has 16 to 20 for all that have no row of their own. Products of vLLM in blocks of 8 bits
  take 60 to 350 us whatever their size, because the host calls one after the other: 1 row in 20 of products.
* **Llama-3.1-8B under TensorRT-LLM, B200.** Two causes, of which neither is in the row. TensorRT-LLM's products in
  NVFP4 attain 3,600 to 4,300 TFLOP/s on this chip (B200, 8,192 columns; GB200, 4,096), those of SGLang and vLLM 4,800
  to 5,500, and the law has 4,860 for all programs: with 3,700 the row is 16 % too fast. The run is of the open division
  and does not say what its scheduler was set to: 2,048 tokens of a step in place of 8,192 leave 18 % alone, and 4 %
  with both.
* **DeepSeek-R1.** Eight H200 under SGLang, which no constant rests on: tokens/s and time of a token with 8 and 32 users
  are 3 to 8 % off, the first token 90 and 210 ms too early. MLPerf: answers of 2,640 tokens in the median and 20,000 at
  most, in runs that last (Offline 66,000 samples). With 2,048 requests of one length, which end before the longest of
  these would, Server was 41 % too fast: a sequence that is being answered has 4,300 keys, and not 2,670. With a cache
  of 8 bits, latent attention multiplies in FP8. Server is left 13 % too fast (Dell; Google attains 53.6 ms at the same
  rate, Nebius 71.9 at 14.0 requests/s): all matrices are in FP4 here, and the checkpoint keeps those of attention but
  the last in 16 bits, products of two formats on one board that no machine file states; experts are balanced over the
  boards; and submitters of B300 with equal rates are 21 % apart (43.5 and 52.6 ms), by settings that the logs do not
  say. B300, Offline: four submitters attain 69,300 to 70,300 tokens/s. A B300 also computes exponentials twice as fast
  as a B200 (NVIDIA), for which the law has no term.
* **Boards by AMD.** None of their constants rests on a measured row, and no board here was measured. In MLPerf v6.0 an
  MI350X under vLLM yields 9,867 tokens/s of Llama-2-70B Offline (Cisco); an MI355X, which has 9 % more arithmetic, is
  predicted at 9,270: its share of the peak in FP4 is assumed at 0.35, within 0.2 to 0.5.
* **MLPerf Server.** These runs are near saturation, where TPOT multiplies every error of the capacity. RTX PRO 4500:
  Offline is 16 % too fast, and at the rate of the run, 17.7 requests/s, TPOT is 28 ms; at 20.5, which is as near to the
  predicted capacity as the run was to the measured one, it is 69 ms, and 74.5 were measured. B300: the run lasts 40
  minutes (127,000 requests a board); with 16,384, which end before its queue is full, TPOT was 137 ms, with 65,536 it
  is 157.
* **Offline, RTX PRO 4500.** It was 28 % too fast with 8,192 tokens of a step, and 39 % with the 2,048 that the
  submission states. The board of servers has 165 W and 800 GB/s, not the 200 W and 896 GB/s of workstations, and an
  operation takes as much energy as on an RTX PRO 6000 of the same process, so that the clock falls. Nothing was fitted.
* **A row in ten outside.** Of half of the source's rows (8,656 of these four kinds), 90.3 % lie in the interval: decode
  attention 89, products 88, experts 88, collectives 95 %. Most of the others are a program's own: of decode attention
  no windows of a factor of two, placed best for each board and format, have more than 90 %, and 95 % if for each
  program (TensorRT-LLM, SGLang, vLLM), too. With few positions programs differ by up to 2.5 on one board (H100, keys of
  8 bits, one sequence: 5.8, 12.5 and 13.1 us). The law has one time for a kernel, whoever wrote it. Of each program
  (L40S, RTX PRO 6000) these times are a kernel and whole rounds of tasks over the processors, within 5 %: 5.8, 7.6,
  11.6, 19.7, 33.5 us for 1, 2, 4, 8, 15 rounds; but a round takes 2.0 us in one and 4.3 in another. The law counts
  parts of rounds, beside which whole ones gain nothing (with them 89.3 % lay inside).
* **Attention of 8-bit keys on Hopper.** FlashAttention-3 reads them at 2.0 to 2.4 (SGLang) and 2.6 to 2.9 TB/s (vLLM)
  on H100 and H200 alike: its tiles have 128 rows, the law's 64, and the arithmetic of what fills them is the limit.
  TensorRT-LLM reads 2.9 and 4.0 TB/s, as all three do of 16 bits.
"""


def summaries(program):
    """{(machine, group): summary}, and the impossible lines by machine."""
    found, impossible = {}, {}
    for file in sorted(ROWS.glob("*.csv")):
        words = [program, "evaluate", file.stem, "--rows", file, "--format", "json"]
        done = subprocess.run(list(map(str, words)), capture_output=True, text=True)
        if done.returncode not in (0, 8):
            sys.exit(f"{file.name}: {done.stderr.strip()}")
        said = json.loads(done.stdout)
        impossible[file.stem] = said["forbidden"]
        found |= {(file.stem, group): of for group, of in said["groups"].items()}
        found[file.stem, "all"] = said["all"]
    return found, impossible


def shapes():
    """Configurations of the models of runs that models/llm does not have, by name."""
    published = json.loads((ROOT / "tests/data/published_models.json").read_text())
    return {model["model"]: model["config"] for model in published} | json.loads((RUNS / "models.json").read_text())


def evaluated(program, run, llm):
    """Metrics of a request, or of a service, by name."""
    words = [program, "evaluate", run["machine"], "--format", "json"]
    for setting in filter(None, run["set"].split(";")):
        words += ["--set", setting]
    if run["traffic"]:
        traffic = re.sub(r"(?<=traffic\.output=)[^;]+\.csv", lambda file: str(RUNS / file[0]), run["traffic"])
        words += ["--scenario", f"run=llm={llm}," + traffic.replace(";", ",")]
    else:
        words += ["--set", f"llm={llm}"]
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{run['machine']}, {run['llm']}: {done.stdout}{done.stderr}")
    return {name.split(".")[-1]: of for name, of in json.loads(done.stdout)["metrics"].items()}


def question_of(run):
    return tuple(run[name] for name in ("machine", "llm", "set", "traffic"))


def runs(program):
    """Rows of tests/data/runs with what the machines predict: `error`, and `inside` if they state an interval."""
    known, metrics, found = shapes(), {}, []
    rows = list(csv.DictReader((RUNS / "runs.csv").open()))
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        for run in rows:
            if question_of(run) in metrics:
                continue
            llm = run["llm"]
            if llm in known:
                llm = Path(folder) / (llm.replace("/", "_") + ".json")
                llm.write_text(json.dumps(known[run["llm"]]))
            metrics[question_of(run)] = pool.submit(evaluated, program, run, llm)
        for run in rows:
            scale = UNITS[run["unit"]]
            of = metrics[question_of(run)].result()[run["metric"]]
            run |= {"measured": float(run["measured"]), "predicted": of["value"] / scale, "interval": None}
            if "none" not in (of["low_kind"], of["high_kind"]) and of["low"] < of["high"]:
                run["interval"] = of["low"] / scale, of["high"] / scale
            run["error"] = run["predicted"] / run["measured"] - 1
            run["inside"] = run["interval"] is not None and run["interval"][0] <= run["measured"] <= run["interval"][1]
            found.append(run)
    return found


def summary(rows):
    """What evaluate --rows says of a group of kernels, for these runs."""
    errors = sorted(run["error"] for run in rows)
    tenths = statistics.quantiles(errors, n=10, method="inclusive") if len(errors) > 1 else 9 * errors
    stated = [run["inside"] for run in rows if run["interval"]]
    return {"rows": len(errors), "median_error": statistics.median(errors), "error_10": tenths[0],
            "error_90": tenths[-1], "median_absolute_error": statistics.median(map(abs, errors)),
            "inside": sum(stated) / len(stated) if stated else None}


def grouped(rows):
    groups = {}
    for run in rows:
        groups.setdefault(run["group"], []).append(run)
    return {("runs", group): summary(of) for group, of in groups.items()}


def table_of_runs(rows):
    lines = ["| machine | model | metric | measured | predicted | error, % | interval | inside | rows are | source |",
             "|---|---|---|---|---|---|---|---|---|---|"]
    for run in rows:
        unit = run["unit"]
        interval = "none" if run["interval"] is None else "{:.4g} to {:.4g}".format(*run["interval"])
        inside = "" if run["interval"] is None else "yes" if run["inside"] else "no"
        lines.append(f"| `{run['machine']}` | {run['llm']} | {run['metric']} | {run['measured']:.4g} {unit} "
                     f"| {run['predicted']:.4g} {unit} | {percent(run['error'])} | {interval} | {inside} "
                     f"| {run['standing']} | {run['source']} |")
    return "\n".join(lines)


def percent(value):
    return f"{100 * value:+.1f}"


def page(found, impossible, rows):
    lines = ["| machine | kernels | rows | median | 10 to 90 % | without sign | inside |",
             "|---|---|---|---|---|---|---|"]
    for (machine, group), of in found.items():
        inside = "none" if of["inside"] is None else f"{100 * of['inside']:.0f} %"
        lines.append(f"| `{machine}` | {group} | {of['rows']} | {percent(of['median_error'])} "
                     f"| {percent(of['error_10'])} to {percent(of['error_90'])} "
                     f"| {100 * of['median_absolute_error']:.1f} | {inside} |")
    said = [f"`{machine}`: {len(numbers)} (lines {', '.join(map(str, numbers))})"
            for machine, numbers in impossible.items() if numbers]
    return (HEAD + "\n".join(lines) + "\n" + RUN_HEAD + table_of_runs(rows) + "\n" + LEGEND
            + "\n**Impossible rows.** " + ("; ".join(said) or "none") + ".\n")


def recorded():
    """{(machine, group): (rows, error in per cent)} of the page."""
    row = re.compile(r"^\| `(\w+)` \| ([^|]+) \| (\d+) \| [^|]+ \| [^|]+ \| ([\d.]+) \| (?:\d+ %|none) \|$", re.M)
    return {(machine, group): (int(rows), float(error))
            for machine, group, rows, error in row.findall(PAGE.read_text())}


def worse(found):
    """Sentences about groups that became worse, or lost rows."""
    for key, (rows, error) in recorded().items():
        now = found.get(key)
        if now is None or now["rows"] < rows:
            yield f"{' '.join(key)}: {rows} rows were predicted, and {0 if now is None else now['rows']} are now"
        elif 100 * now["median_absolute_error"] > error + max(POINTS, SHARE * error):
            yield f"{' '.join(key)}: {100 * now['median_absolute_error']:.1f} % off, and it was {error:.1f} %"


def main(program, *flags):
    found, impossible = summaries(program)
    rows = runs(program)
    found |= grouped(rows)
    if flags != ("--check",):
        PAGE.write_text(page(found, impossible, rows), encoding="utf-8")
        return 0
    problems = list(worse(found)) + ([] if recorded() else ["docs/generated/accuracy.md has no rows"])
    print("\n".join(problems) or f"{len(found)} groups are as good as docs/generated/accuracy.md says")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
