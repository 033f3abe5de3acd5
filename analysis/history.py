#!/usr/bin/python3
"""Draw how the hypervolume of the front grows with the number of evaluations, in the order of the points and in random
order. Several files share one box."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from pimdse.script import Script, conditions_of, names_of  # noqa: E402

EXAMPLE = "history.py quick.h5 --objectives latency,area -o history.png"


def picture(chosen):
    import pimdse
    from pimdse.drawing import history

    runs = [pimdse.load(file) for file in chosen.file]
    return history.draw(runs, names_of(chosen.objectives), conditions_of(chosen), chosen.fidelity)


if __name__ == "__main__":
    script = Script(__file__, __doc__, EXAMPLE, files="some").conditions()
    script.add("--objectives", metavar="NAMES", help="metrics, separated by commas (default: those of the first file)")
    sys.exit(script.run(picture, "-history"))
