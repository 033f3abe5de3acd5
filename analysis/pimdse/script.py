"""What the scripts of analysis/ share: flags, pictures written, mistakes as one sentence and an exit code."""
import argparse
import os
import sys
from pathlib import Path

NEEDS = ("needs h5py, pandas and matplotlib (Debian: apt install python3-h5py python3-pandas python3-matplotlib, "
         "and run it with /usr/bin/python3)")
WRONG_USE, MISSING_INPUT, CANNOT_WRITE = 2, 4, 7  # docs/exit_codes.md


class Script:
    """One script: `picture(chosen)` gives a figure (or None) and a sentence or more."""

    def __init__(self, path, says, example, files="one"):
        self.name = Path(path).name
        self.flags = argparse.ArgumentParser(prog=self.name, description=says, epilog=f"example: {example}")
        if files == "one":
            self.flags.add_argument("file", metavar="FILE.h5", help="a result file")
        elif files == "some":
            self.flags.add_argument("file", metavar="FILE.h5", nargs="+", help="result files")
        self.flags.add_argument("-o", "--output", metavar="PNG",
                                help="picture to write (by default beside the file; .svg and .pdf work, too)")

    def conditions(self):
        self.flags.add_argument("--where", metavar="CONDITION", action="append", default=[],
                                help="leave out points that do not meet it, in the language of `pimdse front --where`;"
                                " may be repeated")
        self.flags.add_argument("--fidelity", choices=["analytic", "hybrid", "cycle"],
                                help="answers to draw (those of the file's front by default)")
        return self

    def add(self, *names, **options):
        self.flags.add_argument(*names, **options)
        return self

    def run(self, picture, suffix="", argv=None):
        """Exit code; `suffix` stands in the name of the picture where none is given."""
        chosen = self.flags.parse_args(argv)
        os.environ.setdefault("MPLBACKEND", "Agg")
        try:
            import h5py  # noqa: F401
            import matplotlib.pyplot  # noqa: F401
            import pandas  # noqa: F401
        except ImportError as error:
            return self._fail(WRONG_USE, f"{NEEDS}: {error}")
        from . import errors

        try:
            figure, says = picture(chosen)
        except errors.NotAResultFile as error:
            return self._fail(MISSING_INPUT, error)
        except errors.PimdseError as error:
            return self._fail(WRONG_USE, error)
        return self._write(figure, says, self._output(chosen, suffix))

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
            return self._fail(CANNOT_WRITE, f"cannot write the picture ({error})")
        print(f"{output}: {says}")
        return 0

    def _fail(self, code, sentence):
        print(f"{self.name}: {sentence}", file=sys.stderr)
        return code


def conditions_of(chosen):
    from .condition import Condition

    return [Condition(text) for text in chosen.where]


def names_of(text):
    """'latency,energy' -> a list; None -> None."""
    return [name.strip() for name in text.split(",") if name.strip()] if text else None
