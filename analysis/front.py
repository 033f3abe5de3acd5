#!/usr/bin/python3
"""Draw the front of a result file: all feasible points, the front as a line, intervals as whiskers."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from pimdse.script import Script, conditions_of  # noqa: E402

EXAMPLE = "front.py quick.h5 --x area --y latency --colour energy --where 'energy <= 40 mJ' -o front.png"


def picture(chosen):
    import pimdse
    from pimdse.drawing import front

    results = pimdse.load(chosen.file)
    return front.draw(results, chosen.x, chosen.y, chosen.colour, conditions_of(chosen), chosen.fidelity)


if __name__ == "__main__":
    script = Script(__file__, __doc__, EXAMPLE).conditions()
    script.add("--x", metavar="NAME", help="horizontal axis, a metric or parameter (default: the first objective)")
    script.add("--y", metavar="NAME", help="vertical axis (default: the second objective)")
    script.add("--colour", "--color", metavar="NAME", help="a third metric or parameter, shown as colour")
    sys.exit(script.run(picture))
