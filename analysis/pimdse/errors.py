"""Exceptions with a message of one sentence and the exit code of a script (docs/commands.md)."""

WRONG_USE, MISTAKE, MISSING_INPUT, CANNOT_WRITE, INTERRUPTED = 2, 3, 4, 7, 130


class PimdseError(Exception):
    """Base class of the exceptions of this package."""

    code = WRONG_USE


class NotFound(PimdseError):
    """The program pimdse was not found."""

    code = MISSING_INPUT


class Refused(PimdseError):
    """The message of pimdse about a mistake, or a wrong argument; `code` is the exit code of the program."""

    def __init__(self, sentence, code=WRONG_USE):
        super().__init__(sentence)
        self.code = code


class NotAResultFile(PimdseError):
    """The file is missing, is not an HDF5 file, or was not written by pimdse."""

    code = MISSING_INPUT


class NotATrace(PimdseError):
    """The file is missing, or is not a timeline that pimdse wrote."""

    code = MISSING_INPUT


class NotFlips(PimdseError):
    """The file is missing, or is not what `pimdse flips --format json` prints."""

    code = MISSING_INPUT


class ConditionError(PimdseError):
    """A mistake in a condition or a formula."""

    code = MISTAKE


class UnknownName(ConditionError):
    """The name of an axis or an argument is neither a metric nor a parameter."""

    code = WRONG_USE


class NothingToDraw(PimdseError):
    """No point remains, or no axis can be chosen."""


class DifferentRuns(UserWarning):
    """Files in one picture differ in more than their designs."""
