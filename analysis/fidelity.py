#!/usr/bin/python3
"""Draw results at a coarse fidelity against results at a finer one for the same designs, with the interval of each
coarse result: from one file that has both, or from two files of one space."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from pimdse.script import Script, names_of  # noqa: E402

EXAMPLE = "fidelity.py quick.h5 cycle.h5 --metrics latency,energy -o fidelity.png"


def picture(chosen):
    import pimdse
    from pimdse.drawing import fidelity

    return fidelity.draw([pimdse.load(file) for file in chosen.file], names_of(chosen.metrics))


if __name__ == "__main__":
    script = Script(__file__, __doc__, EXAMPLE, files="some")
    script.add("--metrics", metavar="NAMES", help="metrics, separated by commas (default: the objectives)")
    sys.exit(script.run(picture, "-fidelity"))
