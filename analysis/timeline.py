#!/usr/bin/python3
"""Draw the timeline of one design, as written by `pimdse evaluate --trace`: a row for each unit, a bar for each
operation."""
import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from pimdse.script import Script  # noqa: E402

EXAMPLE = "timeline.py trace.json --until 0.02 -o timeline.png"


def seconds(text):
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of seconds above zero")
    return value


def picture(chosen):
    from pimdse.drawing import timeline

    return timeline.draw(timeline.load(chosen.file), chosen.until)


if __name__ == "__main__":
    script = Script(__file__, __doc__, EXAMPLE, files="none")
    script.add("file", metavar="TRACE.json", help="a file that pimdse evaluate --trace wrote")
    script.add("--until", metavar="SECONDS", type=seconds, help="draw only what happens before this time")
    sys.exit(script.run(picture))
