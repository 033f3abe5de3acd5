#!/usr/bin/python3
"""Draw a metric along parameters, a panel for each, all other parameters the same; a second metric as dashed lines."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from pimdse.script import Script, conditions_of, names_of  # noqa: E402

EXAMPLE = "curves.py run.h5 --along prefetch,channels --y latency --second area --lines vlen"


def picture(chosen):
    import pimdse
    from pimdse.drawing import curves

    return curves.draw(pimdse.load(chosen.file), names_of(chosen.along), chosen.y, chosen.second, chosen.lines,
                       conditions_of(chosen), chosen.fidelity)


if __name__ == "__main__":
    script = Script(__file__, __doc__, EXAMPLE).conditions()
    script.add("--along", metavar="NAMES", help="parameters, separated by commas (default: those that vary, but lines)")
    script.add("--y", metavar="NAME", help="the metric to draw (default: the first objective)")
    script.add("--second", metavar="NAME", help="another metric, as dashed lines with an axis on the right")
    script.add("--lines", metavar="NAME", help="the parameter whose values are lines of their own")
    sys.exit(script.run(picture, "-curves"))
