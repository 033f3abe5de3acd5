#!/usr/bin/python3
"""Draw how sure a front is when constants are known within ranges only: designs with the spread of their objectives,
how often each machine is best, and what each constant changes in a design. Calls `pimdse explain`."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from pimdse.script import Script  # noqa: E402

EXAMPLE = "robust.py quick.h5 --point 167 -o robust.png"


def picture(chosen):
    import pimdse
    from pimdse.drawing import robust

    if chosen.point is not None and not chosen.point.isdecimal():
        raise pimdse.PimdseError(f"--point: '{chosen.point}' must be the id of a point")
    return robust.draw(pimdse.load(chosen.file), None if chosen.point is None else int(chosen.point))


if __name__ == "__main__":
    script = Script(__file__, __doc__, EXAMPLE)
    script.add("--point", metavar="ID", help="the design whose constants are compared (default: the one with the"
               " largest share of the draws, and of these the smallest first objective)")
    sys.exit(script.run(picture, "-robust"))
