#!/usr/bin/python3
"""Draw the fronts of several files, or of the machines or scenarios of one file, in one plot; or the best machine in
each scenario."""
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
        raise pimdse.PimdseError(f"{what} compares parts of one file, but {len(runs)} files are given")
    if chosen.best:
        for flag in ("by", "x", "y"):
            if getattr(chosen, flag):
                raise pimdse.PimdseError(f"--best cannot be combined with --{flag}")
        return compare.draw_best(runs[0], chosen.best, where, chosen.fidelity)
    return compare.draw(runs, chosen.by, chosen.x, chosen.y, where, chosen.fidelity)


if __name__ == "__main__":
    script = Script(__file__, __doc__, EXAMPLE, files="some").conditions()
    script.add("--by", choices=["file", "machine", "scenario"],
               help="what to compare (default: files if there are several, else machines, else scenarios)")
    script.add("--x", metavar="METRIC", help="horizontal axis (default: the first objective)")
    script.add("--y", metavar="METRIC", help="vertical axis (default: the second objective)")
    script.add("--best", metavar="METRIC", help="draw the best value of this metric in each scenario instead")
    sys.exit(script.run(picture, "-compare"))
