#!/usr/bin/python3
"""The table of models/cim_mesh/README.md: response of both phases to each part of the machine, with both schedules.

response.py PIMDSE          prints the table
response.py PIMDSE --write  writes it into the README"""
import json
import subprocess
import sys
from pathlib import Path

README = Path(__file__).resolve().parents[3] / "models" / "cim_mesh" / "README.md"
BEGIN, END = "<!-- response: written by tests/bench/cim_mesh/response.py --write -->\n", "<!-- end of response -->\n"
REQUEST = {"llm": "llama-2-13b", "input": 1024, "output": 1024, "lora_targets": "q"}
METRICS = ["ttft", "itl"]

ROWS = [
    ("mesh 8 x 8", {"mesh_rows": 8, "mesh_cols": 8},
     "76 tiles in a strip 8 rows high: all routes are long, chains cross borders, small tiles waste little space"),
    ("mesh 32 x 16", {"mesh_cols": 16}, "the same strip with twice the borders"),
    ("mesh 32 x 64", {"mesh_cols": 64}, "half the borders; the last tile of a layer is two thirds empty"),
    ("mesh 64 x 32", {"mesh_rows": 64},
     "the layer is closer to a square, keys are closer to their queries; "
     "hubs are placed so that trees share more links"),
    ("mesh 128 x 128", {"mesh_rows": 128, "mesh_cols": 128},
     "one tile per layer, two thirds of it empty, no borders; higher than wide, and the route back is long"),
    ("4 DMACs", {"dmacs": 4}, "additions and products are no longer hidden by the transfer of a vector"),
    ("8 DMACs", {"dmacs": 8}, "the products of a key take longer than its transfer, additions do not"),
    ("32 DMACs", {"dmacs": 32},
     "the link is the bottleneck; only products of a fuller router in the tree schedule get faster"),
    ("link 32 bit", {"link_bits": 32}, "a vector is 64 flits: transfers take nearly twice as long, softmax does not"),
    ("link 128 bit", {"link_bits": 128},
     "a vector is 16 flits, but the products of a key then take 32 cycles and become the bottleneck"),
    ("FIFO 32 B", {"fifo_bytes": 32},
     "four flits are fewer than the credit round trip of seven: transfers take longer"),
    ("FIFO 256 B", {"fifo_bytes": 256}, "credits return in time in both cases: only area and power grow"),
    ("scratchpad 7 KiB", {"scratchpad": 7168},
     "nearly full of keys: fewer queries are held while keys stream past in prefill; decode has only one"),
    ("scratchpad 64 KiB", {"scratchpad": 65536}, "the keys stay where they are: only area and power grow"),
    ("KV in k and v", {"kv_pool": "colocated", "scratchpad": 65536},
     "closer to the queries, but the vectors of a prompt contend there "
     "(with 64 KiB, because otherwise the cache does not fit)"),
    ("clock 500 MHz", {"frequency": "500 MHz"},
     "twice the time at 0.665 of the voltage: clocked units need 0.44 of the energy"),
    ("clock 2 GHz", {"frequency": "2 GHz"},
     "half the time at 1.67 times the voltage: clocked units need 2.8 times the energy"),
    ("placed o-v-k-q", {"placement": "genes", "attention_order": "o-v-k-q"},
     "queries start closer to the middle of the cache; the input has a longer route"),
    ("placed by search", {"placement": "searched"},
     "less distance in bytes times hops, over more columns; few placements are faster than packing"),
]


def fidelity_of(settings):
    """Placements are searched at cycle level only."""
    return "cycle" if settings.get("placement") == "searched" else "analytic"


def evaluate(binary, settings, fidelity):
    words = [word for name, value in {**REQUEST, **settings}.items() for word in ("--set", f"{name}={value}")]
    done = subprocess.run([binary, "evaluate", "cim_mesh", *words, "--fidelity", fidelity, "--format", "json"],
                          capture_output=True, text=True)
    answer = json.loads(done.stdout)
    if answer["status"] != "ok":
        sys.exit(f"response.py: {settings}: {answer['reason']}")
    metrics = answer["metrics"]
    rows = metrics.items() if isinstance(metrics, dict) else ((m["name"], m) for m in metrics)
    return {name: entry["value"] for name, entry in rows}


def change(now, base):
    by = 100 * (now / base - 1)
    return "=" if abs(by) < 1e-5 else f"{by:+.2f} %" if abs(by) >= 0.005 else f"{by:+.0e} %"


def table(binary):
    bases = {fidelity: {schedule: evaluate(binary, {"schedule": schedule}, fidelity) for schedule in ("serial", "tree")}
             for fidelity in ("analytic", "cycle")}
    base = bases["analytic"]
    area, power = base["serial"]["area"], base["serial"]["power"]
    lines = ["| part | TTFT serial | ITL serial | TTFT tree | ITL tree | area | power | why |",
             "|---|---|---|---|---|---|---|---|",
             "| the published machine | " + " | ".join(
                 f"{1e3 * base[s][m]:.4g} ms" for s in ("serial", "tree") for m in METRICS)
             + f" | {1e6 * area:.0f} mm2 | {power:.2f} W | Llama-2-13B, 1024/1024 |"]
    for name, settings, why in ROWS:
        fidelity = fidelity_of(settings)
        base = bases[fidelity]
        now = {schedule: evaluate(binary, {**settings, "schedule": schedule}, fidelity) for schedule in base}
        cells = [change(now[s][m], base[s][m]) for s in ("serial", "tree") for m in METRICS]
        cells += [change(now["serial"][m], base["serial"][m]) for m in ("area", "power")]
        lines.append(f"| {name} | " + " | ".join(cells) + f" | {why} |")
    return "\n".join(lines) + "\n"


def main(binary, write):
    text = table(binary)
    if not write:
        print(text, end="")
        return
    readme = README.read_text()
    start, end = readme.index(BEGIN) + len(BEGIN), readme.index(END)
    README.write_text(readme[:start] + text + readme[end:])


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1], "--write" in sys.argv[2:])
