"""Which results moved between two programs: random points of every machine, metric by metric.

    python3 fence.py OLD NEW [--points 2000] [--cycle-points 200] [--machines umdam,gpu] [--seed 1]

For each machine and fidelity both programs evaluate the same points, each with one to eight parameters drawn anew, a
quarter of them of groups of devices, until the old program has metrics of so many. A row is printed for each metric
that differs in any bit: at how many points, and the largest ratio minus one. Points that only one program refuses are
counted under the rule. Exit code 1 if anything moved."""
import argparse
import collections
import json
import math
import random
import subprocess
import sys

# Choices of llm that every machine evaluates in milliseconds; at cycle level, the smallest one.
MODELS = ["opt-125m", "llama-3.2-1b", "llama-3-8b", "llada-8b", "gemma-3-27b", "mixtral-8x7b", "qwen3-next-80b-a3b",
          "gpt-oss-20b", "deepseek-v3"]
GROUP = {"devices": [2, 4, 8], "tensor_parallel": [0], "pipeline_parallel": [1, 2], "data_parallel": [1, 2],
         "expert_parallel": [1, 2], "micro_batches": [1, 2]}  # drawn together, in a quarter of the points
FACTORS = [0.25, 0.5, 2, 3, 4]
SHORT = {"input": 40, "output": 6, "batch": 3, "steps": 4, "block_length": 8, "draft": 4}  # cycle level
LONG = {"input": 9000, "output": 600, "batch": 64, "steps": 64, "block_length": 64, "draft": 8}


def drawn_value(draw, parameter, most, models):
    name = parameter["name"]
    if name in ("llm", "draft_llm"):
        return draw.choice([m for m in models if m in parameter["choices"]] or parameter["choices"])
    if parameter["kind"] == "choice":
        return draw.choice(parameter["choices"])
    if name in GROUP:
        return draw.choice(GROUP[name])
    low, high = parameter["limits"]
    if high == 1:
        return draw.uniform(low, high)
    if name in most:
        return max(int(low), min(int(high), round(math.exp(draw.uniform(0, math.log(most[name] + 1))))))
    number, _, unit = parameter["default"].partition(" ")
    if parameter["kind"] == "integer":
        value = max(low, min(high, round(float(number or 0) * draw.choice(FACTORS)) or draw.randint(1, 4)))
        return int(value)
    value = float(number.replace(",", "")) * draw.choice(FACTORS) or draw.choice(FACTORS)
    return f"{value:g} {unit}".strip()


def drawn_point(draw, parameters, cycle):
    most, models = (SHORT, MODELS[:1]) if cycle else (LONG, MODELS)
    others = [p for p in parameters if p["name"] not in GROUP]
    changed = draw.sample(others, min(len(others), draw.randint(1, 3 if cycle else 8)))
    if draw.random() < 0.5 or not any(p["name"] == "kernel" for p in parameters):  # kernels have no model
        request = ("scope", "llm", "input", "output")
        changed += [p for p in others if p["name"] in request and (cycle or draw.random() < 0.7)]
    if draw.random() < 0.25:
        changed += [p for p in parameters if p["name"] in GROUP and (p["name"] == "devices" or draw.random() < 0.3)]
    return {p["name"]: drawn_value(draw, p, most, models) for p in changed}


def evaluated(program, machine, points, fidelity):
    """The answers, in the order of the points; a point that the reader refuses has the status `refused`."""
    lines = "".join(json.dumps({"points": [point], "fidelity": fidelity}) + "\n" for point in points)
    done = subprocess.run([program, "evaluate", machine, "--batch"], input=lines, capture_output=True, text=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(points), done.stderr
    return [a["answers"][0] if "answers" in a else {"status": "refused", "reason": a["error"]} for a in answers]


def evaluated_points(program, machine, parameters, fidelity, count, draw):
    """Points and answers: drawn until `count` have metrics or twenty times as many are drawn. Infeasible ones stay."""
    points, answers, served = [], [], 0
    while served < count and len(points) < 20 * count:
        more = [drawn_point(draw, parameters, fidelity == "cycle") for _ in range(count)]
        answers += evaluated(program, machine, more, fidelity)
        points += more
        served = sum(a["status"] == "ok" for a in answers)
    return points, answers, served


def outcome(answer):
    return "ok" if answer["status"] == "ok" else answer.get("rule", answer["status"])


def compare(before, after):
    """Moved metrics: {name: [points, largest relative change]}, and changed outcomes: {"old -> new": points}."""
    moved, outcomes = {}, collections.Counter()
    for old, new in zip(before, after):
        if outcome(old) != outcome(new):
            outcomes[f"{outcome(old)} -> {outcome(new)}"] += 1
        elif old["status"] == "ok":
            for name in old["metrics"].keys() | new["metrics"].keys():
                a, b = old["metrics"].get(name), new["metrics"].get(name)
                if a != b:
                    row = moved.setdefault(name, [0, 0.0])
                    row[0] += 1
                    row[1] = max(row[1], abs(b / a - 1) if a and b is not None else math.inf)
    return moved, outcomes


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("old")
    arguments.add_argument("new")
    arguments.add_argument("--points", type=int, default=2000)
    arguments.add_argument("--cycle-points", type=int, default=200)
    arguments.add_argument("--machines", default="")
    arguments.add_argument("--seed", type=int, default=1)
    chosen = arguments.parse_args()

    def told(*words):
        words = [chosen.old, *words, "--format", "json"]
        return json.loads(subprocess.run(words, check=True, capture_output=True).stdout)

    machines = chosen.machines.split(",") if chosen.machines else []
    machines = machines or [row["architecture"] for row in told("list", "architectures")]
    any_moved = False
    for machine in machines:
        described = told("describe", machine)
        parameters = [p for p in described["parameters"] if "choices" in p or "limits" in p]
        for fidelity in described["fidelities"]:
            count = chosen.cycle_points if fidelity == "cycle" else chosen.points
            draw = random.Random(f"{chosen.seed} {machine} {fidelity}")
            points, before, served = evaluated_points(chosen.old, machine, parameters, fidelity, count, draw)
            after = evaluated(chosen.new, machine, points, fidelity)
            moved, outcomes = compare(before, after)
            print(f"{machine} {fidelity}: {len(points)} points, {served} evaluated, "
                  f"{'as before' if not moved and not outcomes else 'moved'}", flush=True)
            for name, (count, most) in sorted(moved.items()):
                print(f"    {name:<28} {count:>6} points, at most {most:.3g} of the value")
            for change, count in outcomes.most_common():
                print(f"    {change:<28} {count:>6} points")
            any_moved |= bool(moved or outcomes)
    sys.exit(any_moved)


if __name__ == "__main__":
    main()
