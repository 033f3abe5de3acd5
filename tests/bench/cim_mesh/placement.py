#!/usr/bin/python3
"""Whether a searched placement is better than packing at cycle level, for five models on three meshes.

placement.py PIMDSE [judged]   prints a line per design, and how many designs are better or worse in each metric;
with judged, for `placement = judged`"""
import json
import subprocess
import sys

REQUESTS = [("llama-3.2-1b", 1024, 1024), ("llama-3-8b", 1024, 1024), ("llama-2-13b", 1024, 1024),
            ("opt-1.3b", 512, 512), ("qwen2.5-3b", 1024, 256)]
MESHES = [(32, 32), (16, 64), (64, 16)]
METRICS = ["ttft", "itl", "latency", "energy"]
NOTICED = 5e-5  # relative


def metrics(program, **settings):
    words = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
    done = subprocess.run([program, "evaluate", "cim_mesh", "--fidelity", "cycle", "--format", "json", *words],
                          check=True, capture_output=True, text=True)
    return {name: entry["value"] for name, entry in json.loads(done.stdout)["metrics"].items()}


def main(program, placement="searched"):
    ratios = []
    for llm, tokens, output in REQUESTS:
        for schedule in ("serial", "tree"):
            for rows, columns in MESHES:
                design = {"llm": llm, "input": tokens, "output": output, "schedule": schedule, "mesh_rows": rows,
                          "mesh_cols": columns}
                packed, searched = metrics(program, **design), metrics(program, **design, placement=placement)
                ratios.append({name: searched[name] / packed[name] for name in METRICS})
                shown = ", ".join(f"{name} {100 * (ratio - 1):+.2f} %" for name, ratio in ratios[-1].items())
                print(f"{llm} {schedule} {rows} x {columns}: {shown}, cost {-100 * searched['placement_gain']:+.1f} %")
    for name in METRICS:
        better = sum(ratio[name] < 1 - NOTICED for ratio in ratios)
        worse = sum(ratio[name] > 1 + NOTICED for ratio in ratios)
        print(f"{name}: {better} of {len(ratios)} designs better, {worse} worse")


if __name__ == "__main__":
    main(*sys.argv[1:3])
