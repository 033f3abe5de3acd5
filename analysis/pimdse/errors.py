"""What can go wrong, each in one sentence."""


class PimdseError(Exception):
    """All that this package raises by itself."""


class NotFound(PimdseError):
    """The program pimdse is nowhere."""


class Refused(PimdseError):
    """What pimdse says of a mistake."""


class NotAResultFile(PimdseError):
    """The file is missing, no HDF5, or not written by pimdse."""


class ConditionError(PimdseError):
    """A condition that cannot be read."""


class NothingToDraw(PimdseError):
    """No point is left, or no axis can be chosen."""
