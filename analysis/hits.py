#!/usr/bin/python3
"""Draw what share of the prompts of a trace a cache of prefixes finds, over its size: replays by LRU and by Belady's
rule, and the scheduler of a machine. Calls `pimdse evaluate`."""
import shlex
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from pimdse.script import Script  # noqa: E402

EXAMPLE = "hits.py conversation.jsonl --machine 'gpu --set device=h100' -o hits.png"


def picture(chosen):
    from pimdse.drawing import hits

    return hits.draw(chosen.file, shlex.split(chosen.machine or ""), chosen.model)


if __name__ == "__main__":
    script = Script(__file__, __doc__, EXAMPLE, files="")
    script.add("file", metavar="TRACE.jsonl", help="a trace of Mooncake or Qwen-Bailian")
    script.add("--machine", metavar="WORDS", help="machine and flags of pimdse evaluate (default: replays only)")
    script.add("--model", metavar="NAME", default="llama-3.1-8b", help="the model that it serves")
    sys.exit(script.run(picture, "-hits"))
