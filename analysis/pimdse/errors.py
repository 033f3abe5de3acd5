"""What can go wrong, each in one sentence, and the exit code of a script then (docs/exit_codes.md)."""

WRONG_USE, MISTAKE, MISSING_INPUT, CANNOT_WRITE, INTERRUPTED = 2, 3, 4, 7, 130


class PimdseError(Exception):
    """All that this package raises by itself."""

    code = WRONG_USE


class NotFound(PimdseError):
    """The program pimdse is nowhere."""

    code = MISSING_INPUT


class Refused(PimdseError):
    """What pimdse says of a mistake; `code` is the program's own, where it has ended."""

    def __init__(self, sentence, code=WRONG_USE):
        super().__init__(sentence)
        self.code = code


class NotAResultFile(PimdseError):
    """The file is missing, no HDF5, or not written by pimdse."""

    code = MISSING_INPUT


class ConditionError(PimdseError):
    """A condition that cannot be read."""

    code = MISTAKE


class UnknownName(ConditionError):
    """A name that is neither a metric nor a parameter, of an axis or an argument."""

    code = WRONG_USE


class NothingToDraw(PimdseError):
    """No point is left, or no axis can be chosen."""


class DifferentRuns(UserWarning):
    """Files that are drawn over one another differ in more than their designs."""
