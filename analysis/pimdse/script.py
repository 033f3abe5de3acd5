"""Common parts of the scripts in analysis/: flags, output of pictures, mistakes as one sentence and an exit code."""
import argparse
import os
import sys
import warnings
from pathlib import Path

from .errors import CANNOT_WRITE, INTERRUPTED, WRONG_USE, PimdseError

NEEDS = ("needs h5py, pandas and matplotlib (Debian: apt install python3-h5py python3-pandas python3-matplotlib, "
         "and run it with /usr/bin/python3)")
FORMATS = (".png", ".svg", ".pdf", ".eps", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".ps", ".svgz")


def _said(error):
    """Message and exit code of an error that the user can correct; None for a bug of this package."""
    if isinstance(error, PimdseError):
        return str(error), error.code
    if isinstance(error, ImportError) and error.name:
        package = error.name.split(".")[0]
        return f"needs {package}, which this Python ({sys.executable}) does not have", WRONG_USE
    if isinstance(error, KeyboardInterrupt):
        return "stopped", INTERRUPTED
    return None


def guarded(name, work):
    """The exit code of `work()`, which returns a code or None. A mistake prints one sentence and has its own code."""
    try:
        return work() or 0
    except (PimdseError, ImportError, KeyboardInterrupt) as error:
        said = _said(error)
        if not said:
            raise
        return fail(name, *said)


def fail(name, sentence, code):
    print(f"{name}: {sentence}", file=sys.stderr)
    return code


def sentences_for_mistakes(name):
    """Ends the program with one sentence for a mistake from now on; notebooks show errors in their own way. Arguments
    on the command line are a mistake, too (those of a notebook are arguments of its kernel)."""
    if Path(sys.argv[0]).name == name and len(sys.argv) > 1:
        sys.exit(fail(name, f"it takes no arguments (got '{sys.argv[1]}')", WRONG_USE))
    before = sys.excepthook

    def hook(kind, error, trace):
        said = _said(error)
        if not said:
            return before(kind, error, trace)
        sys.exit(fail(name, *said))

    sys.excepthook = hook


def whole_number(text):
    """The value of a flag that is a count, at least 1."""
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number above zero")
    return int(text)


class Script:
    """One script. `picture(chosen)` returns a figure and its description."""

    def __init__(self, path, says, example, files="one"):
        self.name = Path(path).name
        self.flags = argparse.ArgumentParser(prog=self.name, description=says, epilog=f"example: {example}")
        if files == "one":
            self.flags.add_argument("file", metavar="FILE.h5", help="a result file")
        elif files == "some":
            self.flags.add_argument("file", metavar="FILE.h5", nargs="+", help="result files")
        self.flags.add_argument("-o", "--output", metavar="PNG",
                                help="picture to write (default: next to the file; also .svg and .pdf)")

    def conditions(self):
        self.flags.add_argument("--where", metavar="CONDITION", action="append", default=[],
                                help="use only points that meet this condition (as in `pimdse front --where`); may be"
                                " repeated")
        self.flags.add_argument("--fidelity", choices=["analytic", "hybrid", "cycle"],
                                help="results to draw (default: those of the front in the file)")
        return self

    def add(self, *names, **options):
        self.flags.add_argument(*names, **options)
        return self

    def run(self, picture, suffix="", argv=None):
        """Returns the exit code. `suffix` is part of the default name of the picture."""
        chosen = self.flags.parse_args(argv)
        os.environ.setdefault("MPLBACKEND", "Agg")
        return guarded(self.name, lambda: self._drawn(picture, chosen, suffix))

    def _drawn(self, picture, chosen, suffix):
        try:
            import h5py  # noqa: F401
            import matplotlib.pyplot  # noqa: F401
            import pandas  # noqa: F401
        except ImportError as error:
            return fail(self.name, f"{NEEDS}: {error}", WRONG_USE)
        output = self._output(chosen, suffix)
        if output.suffix.lower() not in FORMATS:
            return fail(self.name, f"{output} must end with .png, .svg or .pdf", WRONG_USE)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("always", UserWarning)
            warnings.showwarning = lambda sentence, *_: print(f"{self.name}: {sentence}", file=sys.stderr)
            return self._write(*picture(chosen), output)

    def _output(self, chosen, suffix):
        if chosen.output:
            return Path(chosen.output)
        file = getattr(chosen, "file", self.name)
        file = Path(file[0] if isinstance(file, list) else file)
        return file.with_name(file.stem + suffix + ".png")

    def _write(self, figure, says, output):
        try:
            figure.savefig(output)
        except (OSError, ValueError) as error:
            return fail(self.name, f"cannot write the picture ({error})", CANNOT_WRITE)
        print(f"{output}: {says}")
        return 0


def conditions_of(chosen):
    from .condition import Condition

    return [Condition(text) for text in chosen.where]


def names_of(text):
    """'latency,energy' -> a list; None -> None."""
    if text is None:
        return None
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise PimdseError(f"'{text}' contains no name (write names separated by commas, or omit the flag)")
    for name in names:
        if names.count(name) > 1:
            raise PimdseError(f"{name} is listed twice")
    return names
