#!/usr/bin/python3
"""A script in the style of a notebook: how wide should a vector unit for diffusion sampling be? Run it as a whole, or
cell by cell (# %%) in Jupyter or VS Code. It needs the program (docs/python.md describes how it is found).

example: analysis/examples/notebook.py"""
# %% One design, and the parts of its energy
import sys
from pathlib import Path

ANALYSIS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ANALYSIS))
import pimdse
from pimdse.script import sentences_for_mistakes

sentences_for_mistakes("notebook.py")
answer = pimdse.evaluate("dplena", vlen=2048, channels=16, hbm_bus="corrected")
latency = answer.metrics.loc["latency"]
print(f"latency {answer['latency'] * 1e3:.3f} ms; at cycle level it is"
      f" {latency.low * 1e3:.3f} to {latency.high * 1e3:.3f} ms")
print(answer.breakdown["energy"].sort_values("joules", ascending=False).head(4).to_string(index=False))

# %% The reason why a design is infeasible
broken = pimdse.evaluate("dplena", channels=12)
print(broken.status, broken.rule, broken.reason, sep=": ")

# %% Several designs, with bounds
table = pimdse.evaluate("dplena", [{"vlen": vlen} for vlen in (256, 512, 1024, 2048, 4096)], hbm_bus="corrected")
print(table[["vlen", "latency_low", "latency", "latency_high", "area", "energy"]].to_string(index=False))

# %% A whole space
results = pimdse.explore(ANALYSIS.parent / "spaces/quick.toml")
front = results.with_bounds("latency", rows=results.front())
print(front[["vlen", "channels", "hbm_bus", "latency", "latency_high", "area", "energy"]].to_string(index=False))

# %% Designs on a small chip
small = results.feasible(where="area <= 75 mm2 and channels == 8")
print(len(small), "designs of at most 75 mm2; the fastest takes",
      pimdse.print_quantity(small.latency.min(), results.units["latency"]))

# %% The parameters with the greatest effect
from pimdse.sensitivity import sensitivity

shares = sensitivity(results, results.feasible(), ["latency", "area"], logarithm=True)
print(shares.table.pivot(index="parameter", columns="metric", values="first").round(3))
