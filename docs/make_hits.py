#!/usr/bin/python3
"""Writes docs/pictures/service_agents_hits.png: docs/make_hits.py PIMDSE.

Sessions as spaces/service_agents.toml describes them, drawn here with names of blocks, and what caches of any size find
of their prompts: replays, and the scheduler of an H100."""
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BLOCK = 16


def lognormal(draws, mean, p90):
    """A length of a distribution with this mean and 90th percentile."""
    above, ratio = 1.2815515655446004, math.log(p90 / mean)  # the 90th percentile of a normal distribution
    sigma = above - math.sqrt(above * above - 2.0 * ratio)
    return max(1, round(draws.lognormvariate(math.log(mean) - sigma * sigma / 2.0, sigma)))


def sessions(traffic, draws):
    """Turns of sessions, in the order of their arrival. Shared tokens have negative names, others a name each."""
    rules, requests, names, begin, turns = traffic["session"], [], iter(range(10**9)), 0.0, 0
    while turns < traffic["requests"]:
        begin += draws.expovariate(1.0)
        shared = draws.random() < rules["share"]
        text = [-1 - i if shared else next(names) for i in range(rules["shared_prefix"] // BLOCK)]
        end, now, parent = rules["shared_prefix"], begin, -1
        more = True
        while more and turns < traffic["requests"]:
            first = parent < 0
            end += lognormal(draws, *traffic["input"]["lognormal"]) if first else rules["grows"]["input"]
            output = lognormal(draws, *traffic["output"]["lognormal"]) if first else rules["grows"]["output"]
            whole, part = divmod(end, BLOCK)
            text += [next(names) for _ in range(whole - len(text))]
            requests.append({"chat_id": turns, "parent_chat_id": parent, "timestamp": now, "input_length": end,
                             "output_length": output, "hash_ids": text[:whole] + [next(names)] * (part > 0)})
            parent, turns, end = turns, turns + 1, end + output
            now += draws.expovariate(1.0 / 5.0)
            more = draws.random() < 1.0 - 1.0 / rules["turns"]["geometric"]
    return sorted(requests, key=lambda one: one["timestamp"])


def main():
    (work,) = tomllib.loads((ROOT / "spaces/service_agents.toml").read_text())["scenario"]
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "agents.jsonl"
        trace.write_text("\n".join(map(json.dumps, sessions(work["traffic"], random.Random(1)))))
        subprocess.run(["/usr/bin/python3", "-B", ROOT / "analysis/hits.py", trace, "--model", work["llm"], "--machine",
                        "gpu --set device=h100", "-o", ROOT / "docs/pictures/service_agents_hits.png"], check=True,
                       env={**os.environ, "PIMDSE": str(Path(sys.argv[1]).resolve())})


if __name__ == "__main__":
    main()
