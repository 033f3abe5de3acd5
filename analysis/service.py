#!/usr/bin/python3
"""Draw how designs serve requests that arrive over time: the times that users see, the queue, and goodput against the
rate. Calls `pimdse evaluate`."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from pimdse.script import Script, names_of  # noqa: E402

EXAMPLE = "service.py service.h5 --point 12,40 -o service.png"


def picture(chosen):
    import pimdse
    from pimdse.drawing import service

    ids = names_of(chosen.point)
    if ids and not all(text.isdecimal() for text in ids):
        raise pimdse.PimdseError(f"--point: '{chosen.point}' must be ids of points, separated by commas")
    return service.draw(pimdse.load(chosen.file), [int(text) for text in ids or ()], chosen.scenario)


if __name__ == "__main__":
    script = Script(__file__, __doc__, EXAMPLE)
    script.add("--point", metavar="IDS", help="ids of points, separated by commas (default: some of the front)")
    script.add("--scenario", metavar="NAME", help="the scenario, if several have traffic")
    sys.exit(script.run(picture, "-service"))
