#!/usr/bin/python3
"""Draw which machine wins which question in which share of the draws of uncertain constants, from the JSON text of
`pimdse flips SPACE --uncertain N --format json`."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from pimdse.script import Script  # noqa: E402

EXAMPLE = "flips.py flips.json -o flips.png"


def picture(chosen):
    from pimdse.drawing import flips

    return flips.draw(chosen.file)


if __name__ == "__main__":
    script = Script(__file__, __doc__, EXAMPLE, files="none")
    script.add("file", metavar="FLIPS.json", help="what `pimdse flips --uncertain N --format json` printed")
    sys.exit(script.run(picture))
