#!/usr/bin/python3
"""Draw every design of a result file as a line across parameters and objectives, with the front in colour."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from pimdse.script import Script, conditions_of, names_of  # noqa: E402

EXAMPLE = "parallel.py quick.h5 --axes channels,vlen,latency,energy -o parallel.png"


def picture(chosen):
    import pimdse
    from pimdse.drawing import parallel

    results = pimdse.load(chosen.file)
    return parallel.draw(results, names_of(chosen.axes), conditions_of(chosen), chosen.fidelity)


if __name__ == "__main__":
    script = Script(__file__, __doc__, EXAMPLE).conditions()
    script.add("--axes", metavar="NAMES",
               help="parameters and metrics, separated by commas (default: parameters that vary, and objectives)")
    sys.exit(script.run(picture, "-parallel"))
