"""Random spaces of services: the ladder's front is that of the sweep at cycle level, and `verify` agrees."""
import random

import pytest

from conftest import CAMPAIGN, ROOT
from ladder_bench import LADDER, front_of

SEEDS = range(500) if CAMPAIGN else (0, 1, 2, 3, 5, 6)  # the fourth takes half a minute
KEYS = ROOT / "tests/data/keys"
OBJECTIVES = ["goodput", "good_share", "request_rate", "output_rate", "ttft_mean", "ttft_p50", "ttft_p99", "tpot_mean",
              "tpot_p99", "e2e_mean", "e2e_p99", "queue_p99", "makespan", "energy_per_good_token", "mean_power",
              "max_rate", "kv_peak", "silicon"]

# Axes of which a space has some; the first value stands where an axis is not drawn.
AXES = {
    "umdam": {"channels": [8, 1, 2, 4], "ranks": [1, 2], "npu_flops": ['"8 TFLOP/s"', '"0.2 TFLOP/s"', '"64 TFLOP/s"'],
              "decode_unit": ['"auto"', '"npu"', '"pim"'], "prefill_unit": ['"auto"', '"npu"'],
              "concurrency": ['"scheduled"', '"exclusive"'], "engines": [1, 2, 3]},
    "dplena": {"vlen": [256, 64, 1024], "channels": [8, 1, 32], "prefetch": [1, 4],
               "matrix_depth": [512, 2048]},
    "cim_mesh": {"mesh_rows": [8], "mesh_cols": [8], "crossbar": [128], "schedule": ['"tree"', '"serial"'],
                 "dmacs": [16, 4, 64], "fifo_bytes": [128, 32]},
    "upmem": {"ranks": [40], "dpus": [2560, 640], "tasklets": [11, 4, 16], "dma_block": [1024, 64]},
    "aim_card": {"channels": [32, 2, 8], "cards": [1, 2, 4]},
    "hbm_pim": {"stacks": [4, 1, 2]},
    "lpddr5x_pim": {"channels": [16, 4, 8]},
}
SCHEDULER = {"scheduler.max_sequences": [256, 1, 2, 4], "scheduler.max_batched_tokens": [2048, 0, 8, 32],
             "scheduler.block_tokens": [16, 1], "scheduler.policy": ['"fcfs"', '"shortest_prompt"'],
             "scheduler.cache_tokens": [0, 96, 200]}


def listed(values):
    return f"[{', '.join(map(str, values))}]"


def drawn_axes(draw, axes, prefix=""):
    several = set(draw.sample(sorted(axes), min(len(axes), draw.randint(1, 2))))
    return "".join(f"{prefix}{name} = {listed(values if name in several else values[:1])}\n"
                   for name, values in axes.items() if name in several or len(values) == 1)


def drawn_traffic(draw, machine, blocks, closed):
    requests, longest, most = (4, 12, 4) if machine == "upmem" else (10, 90, 16)  # every step is simulated

    def tokens(most):
        return draw.choice([str(draw.randint(1, most)), f"{{ lognormal = [{most / 3:g}, {most / 2:g}] }}"])

    output = 4 * draw.randint(1, 4) if blocks else tokens(most)
    text = (f"requests = {draw.randint(2, requests)}\ninput = {tokens(longest)}\noutput = {output}\n"
            f"seed = {draw.randint(0, 99)}\n")
    if closed:
        return text + f'arrivals = "closed"\nconcurrency = {draw.randint(1, 4)}\n'
    return text + f'rate = "{10 ** draw.uniform(-1, 6):.6g} 1/s"\n'


def drawn_space(seed):
    """The text of a space of one machine or a pair."""
    draw = random.Random(seed)
    machine = draw.choice([*AXES, "pair"])
    llm = draw.choice(["tiny.toml", "tiny_kinds.toml", "tiny_chunks.toml", "tiny_latent.toml"])
    generation = ""
    if machine in ("dplena", "aim_card", "lpddr5x_pim") and draw.random() < 0.4:
        llm, generation = "tiny_diffusion.toml", 'generation = "diffusion"\nblock_length = 4\nsteps = 2\n'
    elif machine in ("dplena", "cim_mesh"):
        generation = 'generation = "autoregressive"\n'
    group = {"devices": draw.choice([[1], [1, 2], [2]])} if machine != "pair" and not generation else {}
    closed = machine != "pair" and draw.random() < 0.4
    objectives = draw.sample([name for name in OBJECTIVES if not (closed and name == "max_rate")], draw.randint(1, 3))
    if machine == "pair":
        one, other = draw.choice([("umdam", "umdam"), ("umdam", "aim_card"), ("aim_card", "umdam")])
        parameters = (drawn_axes(draw, AXES[one], "prefill.") + drawn_axes(draw, AXES[other], "decode.")
                      + f"prefill_machines = {draw.choice(['1', '[1, 2]'])}\n")
        head = f'kind = "pair"\nprefill = "{one}"\ndecode = "{other}"\n'
    else:
        parameters = drawn_axes(draw, AXES[machine] | group)
        head = f'architecture = "{machine}"\n'
    parameters += drawn_axes(draw, SCHEDULER)
    text = (f"schema = 2\nobjectives = {listed(f'{chr(34)}{name}{chr(34)}' for name in objectives)}\n"
            f"[[machine]]\n{head}[machine.parameters]\n{parameters}")
    if machine == "umdam" and draw.random() < 0.5:
        text += '[[constraint]]\nname = "drawn"\nexpr = "request_rate >= 1 1/s or ttft_p99 <= 1 ms"\n'
    limits = f'[scenario.slo]\nttft = "{10 ** draw.uniform(-4, 1):.4g} s"\ntpot = "{10 ** draw.uniform(-5, 0):.4g} s"\n'
    for name in ("a", "b")[:draw.choice([1, 1, 2])]:
        text += (f'[[scenario]]\nname = "{name}"\nllm = "{KEYS / llm}"\n{generation}[scenario.traffic]\n'
                 f"{drawn_traffic(draw, machine, 'diffusion' in generation, closed)}{limits}")
    return text


@pytest.mark.parametrize("seed", SEEDS)
def test_the_ladder_has_the_front_of_the_sweep(pimdse, seed):
    (pimdse.folder / "space.toml").write_text(drawn_space(seed))
    done = pimdse("explore", "space.toml", "-o", "ladder.h5", *LADDER)
    sweep = pimdse("explore", "space.toml", "-o", "sweep.h5", "--fidelity", "cycle", "--progress", "none")
    assert done.returncode == sweep.returncode, f"{drawn_space(seed)}\n{done.stderr}\n{sweep.stderr}"
    assert sweep.returncode in (0, 6), f"{drawn_space(seed)}\n{sweep.stderr}"
    assert front_of(pimdse.folder / "ladder.h5") == front_of(pimdse.folder / "sweep.h5"), drawn_space(seed)
    pimdse.ok("verify", "ladder.h5")
