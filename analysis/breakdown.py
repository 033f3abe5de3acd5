#!/usr/bin/python3
"""Draw how time, energy and area of designs on the front (or of named points) divide into parts. Calls
`pimdse evaluate`."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from pimdse.script import Script, conditions_of, names_of  # noqa: E402

EXAMPLE = "breakdown.py quick.h5 --of time,energy -o breakdown.png"


def picture(chosen):
    import pimdse
    from pimdse.drawing import breakdown

    of = names_of(chosen.of)
    for one in of:
        if one not in breakdown.UNITS:
            raise pimdse.PimdseError(f"--of: '{one}' must be one of {', '.join(breakdown.UNITS)}")
    ids = names_of(chosen.points)
    if ids and not all(text.isdecimal() for text in ids):
        raise pimdse.PimdseError(f"--points: '{chosen.points}' must be ids of points, separated by commas")
    results = pimdse.load(chosen.file)
    return breakdown.draw(results, of, [int(text) for text in ids or ()], conditions_of(chosen), chosen.fidelity)


if __name__ == "__main__":
    script = Script(__file__, __doc__, EXAMPLE).conditions()
    script.add("--of", default="time,energy,area", metavar="WHAT", help="time, energy, area, by comma (default: all)")
    script.add("--points", metavar="IDS", help="ids of points, separated by commas (default: some of the front)")
    sys.exit(script.run(picture, "-breakdown"))
