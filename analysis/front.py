#!/usr/bin/python3
"""Draw the front of a result file: every feasible point, the front as a line, units in readable multiples."""
import argparse
import os
import sys
from pathlib import Path

os.environ.setdefault("MPLBACKEND", "Agg")
sys.path.insert(0, str(Path(__file__).resolve().parent))

NEEDS = (
    "needs h5py, pandas and matplotlib (Debian: apt install python3-h5py python3-pandas python3-matplotlib, "
    "and run it with /usr/bin/python3)"
)


def arguments(argv):
    parser = argparse.ArgumentParser(
        prog="front.py",
        description=__doc__,
        epilog="example: front.py quick.h5 --x area --y latency --where 'energy <= 2 mJ' -o front.png",
    )
    parser.add_argument("file", metavar="FILE.h5", help="a result file")
    parser.add_argument(
        "-o", "--output", metavar="PNG", help="picture to write (FILE.png by default; .svg and .pdf work, too)"
    )
    parser.add_argument("--x", metavar="METRIC", help="horizontal axis (the first objective by default)")
    parser.add_argument("--y", metavar="METRIC", help="vertical axis (the second objective by default)")
    parser.add_argument(
        "--where",
        metavar="CONDITION",
        action="append",
        default=[],
        help="leave out points that do not meet it; may be repeated",
    )
    parser.add_argument(
        "--fidelity",
        choices=["analytic", "hybrid", "cycle"],
        help="answers to draw (those of the file's front by default)",
    )
    return parser.parse_args(argv)


def main(argv=None):
    chosen = arguments(argv)
    try:
        import pimdse_results
        from pimdse_results import drawing
    except ImportError as error:
        print(f"front.py: {NEEDS}: {error}", file=sys.stderr)
        return 2
    try:
        results = pimdse_results.load(chosen.file)
        where = [pimdse_results.Selection(text) for text in chosen.where]
        output = Path(chosen.output) if chosen.output else Path(chosen.file).with_suffix(".png")
        summary = drawing.draw_front(results, output, chosen.x, chosen.y, where, chosen.fidelity)
    except pimdse_results.NotAResultFile as error:
        print(f"front.py: {error}", file=sys.stderr)
        return 4
    except (pimdse_results.SelectionError, drawing.NothingToDraw) as error:
        print(f"front.py: {error}", file=sys.stderr)
        return 2
    except (OSError, ValueError) as error:
        print(f"front.py: cannot write the picture ({error})", file=sys.stderr)
        return 7
    print(f"{output}: {summary}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
