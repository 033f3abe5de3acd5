"""What share of the prompts of a trace a cache of prefixes finds, over its size: by the scheduler of `pimdse evaluate`,
and by replays of the same requests one after the other, by LRU and by Belady's rule."""
import heapq
import json
from collections import OrderedDict

import numpy as np

from ..errors import NothingToDraw, PimdseError
from ..program import call
from . import style

UNIT = 16     # tokens of a block of the cache (scheduler.block_tokens)
SIZES = 25    # of the curves
SERVED = 6    # of these, served by the scheduler


def requests_of(path):
    """Requests of a trace with names of blocks as Mooncake or Qwen-Bailian have them (docs/traffic.md): tokens of
    prompt and output, and the units of the prompt. Equal names are the same tokens behind equal blocks."""
    nodes, requests = {}, []
    try:
        with open(path, encoding="utf-8") as file:
            rows = [json.loads(line) for line in file if line.strip()]
        for row in rows:
            size, node, parts = row["input_length"], None, []
            block_tokens = 16 if "chat_id" in row else 512
            for begin, name in zip(range(0, size, block_tokens), row["hash_ids"]):
                end = min(begin + block_tokens, size)
                node = nodes.setdefault((node, name, end - begin), len(nodes))
                parts.append(node)
            named = min(size, block_tokens * len(parts)) // UNIT
            units = [(parts[(UNIT * unit + UNIT - 1) // block_tokens], unit) for unit in range(named)]
            requests.append((size, row["output_length"], units))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise PimdseError(f"{path}: {error} (lines of JSON with input_length, output_length and hash_ids are needed)")
    if not any(units for *_, units in requests):
        raise NothingToDraw(f"{path} names no whole block of a prompt")
    return requests


def blocks_of(request):
    """Blocks of the cache that a request takes while it runs; its last token is never in it."""
    return -(-(request[0] + request[1] - 1) // UNIT)


def taken(kept, request):
    """Tokens of a prompt that a cache has; its units leave the cache until the request has ended."""
    size, _, units = request
    known = next((i for i, unit in enumerate(units) if unit not in kept), len(units))
    for unit in units:
        kept.pop(unit, None)
    return min(known, (size - 1) // UNIT) * UNIT


def lru(requests, blocks):
    """Tokens found by requests one after the other, in a cache of so many blocks: the unit that was used longest ago
    goes first, of those of one request the last one."""
    kept, found = OrderedDict(), 0
    for request in requests:
        found += taken(kept, request)
        while kept and len(kept) > blocks - blocks_of(request):
            kept.popitem(last=False)
        kept.update((unit, None) for unit in reversed(request[2]))
    return found


def belady(requests, blocks):
    """The same if the unit goes first that is used again last."""
    uses = {}
    for at, (*_, units) in enumerate(requests):
        for unit in units:
            uses.setdefault(unit, []).append(at)
    kept, queue, found, order, seen = {}, [], 0, 0, dict.fromkeys(uses, 0)
    for request in requests:
        found += taken(kept, request)
        while kept and len(kept) > blocks - blocks_of(request):
            *_, number, unit = heapq.heappop(queue)
            if kept.get(unit) == number:
                del kept[unit]
        for unit in reversed(request[2]):
            seen[unit] += 1
            later = uses[unit][seen[unit]:seen[unit] + 1]
            order += 1
            kept[unit] = order
            heapq.heappush(queue, (-later[0] if later else -len(requests), order, unit))
    return found


def served(path, sizes, words, model, program=None):
    """Shares that the scheduler of a machine finds with caches of so many blocks."""
    shares = []
    for size in sizes:
        told = json.loads(call(["evaluate", *words, "--set", "scheduler.prefix_cache=on", "--set",
                                f"scheduler.cache_tokens={UNIT * size}", "--scenario",
                                f"hits=llm={model},traffic.trace={path}", "--format", "json"], program))
        shares.append(told["services"][0]["reused_share"])
    return shares


def draw(path, words=(), model="llama-3.1-8b", program=None):
    """The figure and a sentence. `words`: machine and flags of `pimdse evaluate`; without them, replays only."""
    requests = requests_of(path)
    tokens = sum(size for size, *_ in requests)
    smallest = max(map(blocks_of, requests))
    largest = smallest + len({unit for *_, units in requests for unit in units})  # from there on nothing is evicted
    endless = lru(requests, largest) / tokens
    sizes = np.unique(np.geomspace(smallest, largest, SIZES).astype(int))
    figure, axes = style.figure()
    found = {}
    for rule, label in ((belady, "Belady's rule"), (lru, "LRU")):
        found[label] = [rule(requests, int(size)) / tokens for size in sizes]
        axes.plot(UNIT * sizes, found[label], label=f"{label}, one after the other",
                  color=style.SERIES_COLOURS[rule is lru])
    if words:
        some = sizes[np.unique(np.linspace(0, len(sizes) - 1, SERVED).astype(int))]
        found["the scheduler"] = served(path, some, words, model, program)
        axes.plot(UNIT * some, found["the scheduler"], "o", color=style.SERIES_COLOURS[2],
                  label=f"scheduler of {' '.join(word for word in words if word != '--set')}, as they arrive")
    axes.axhline(endless, color=style.POINT_COLOUR, linestyle="--", label="a cache without end")
    style.scale_axis(axes.xaxis, axes.set_xscale, UNIT * sizes)
    axes.set(xlabel="tokens that the cache holds", ylabel="share of the tokens of prompts that are found", ylim=(0, 1))
    axes.legend(loc="lower right")
    at_smallest = ", ".join(f"{100 * shares[0]:.1f} % by {label}" for label, shares in found.items())
    return figure, (f"{len(requests)} requests: of their prompts a cache of {UNIT * smallest} tokens finds"
                    f" {at_smallest}, one without end {100 * endless:.1f} %")
