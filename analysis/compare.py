#!/usr/bin/python3
"""Draw fronts over one another: of files, or of the machines or scenarios of one; or who is best in each scenario."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from pimdse.script import Script, conditions_of  # noqa: E402

EXAMPLE = "compare.py which.h5 --by machine --x latency --y energy -o compare.png"


def picture(chosen):
    import pimdse
    from pimdse.drawing import compare

    runs = [pimdse.load(file) for file in chosen.file]
    where = conditions_of(chosen)
    if len(runs) > 1 and (chosen.best or chosen.by in ("machine", "scenario")):
        what = "--best" if chosen.best else f"--by {chosen.by}"
        raise pimdse.PimdseError(f"{what} compares what is in one file, and {len(runs)} are given")
    if chosen.best:
        for flag in ("by", "x", "y"):
            if getattr(chosen, flag):
                raise pimdse.PimdseError(f"--best draws another picture (it has no --{flag})")
        return compare.draw_best(runs[0], chosen.best, where, chosen.fidelity)
    return compare.draw(runs, chosen.by, chosen.x, chosen.y, where, chosen.fidelity)


if __name__ == "__main__":
    script = Script(__file__, __doc__, EXAMPLE, files="some").conditions()
    script.add("--by", choices=["file", "machine", "scenario"],
               help="what is compared (by default files, where there are several, else machines, else scenarios)")
    script.add("--x", metavar="METRIC", help="horizontal axis (the first objective by default)")
    script.add("--y", metavar="METRIC", help="vertical axis (the second objective by default)")
    script.add("--best", metavar="METRIC", help="instead: the best design in this metric, in each scenario")
    sys.exit(script.run(picture, "-compare"))
