"""The program pimdse: its path, and calls of it."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

from .errors import NotFound, Refused

COMPLETE = (0, 5, 6)  # docs/commands.md: complete; complete, but points failed; complete, but none is feasible
STOPPED = 75
WHEEL = Path(__file__).resolve().parent / "_program/bin/pimdse"  # the program that a wheel brings along


def main():
    """The command `pimdse` of an installed wheel: becomes its program, which gets signals and standard input itself."""
    try:
        os.execv(WHEEL, ["pimdse", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"pimdse: {WHEEL} cannot be started ({error.strerror}). Install the wheel again?")


def find_program():
    """$PIMDSE, else that of this wheel, else pimdse on the PATH, else the one that was built or installed next to this
    package."""
    named = os.environ.get("PIMDSE")
    if named:
        found = shutil.which(named)
        if not found:
            raise NotFound(f"$PIMDSE is {named}, but there is no such program. Set it to the built binary?")
        return found
    if os.access(WHEEL, os.X_OK):
        return str(WHEEL)
    beside = (parent / place for parent in Path(__file__).resolve().parents[1:6]
              for place in ("build/run/pimdse", "bin/pimdse"))
    found = shutil.which("pimdse") or next((str(path) for path in beside if os.access(path, os.X_OK)), None)
    if not found:
        raise NotFound("the program pimdse is not on the PATH. Build it with ./run build, or set $PIMDSE to it?")
    return found


def sentence(stderr, code):
    """The last line of the messages of pimdse, without its name."""
    said = [line for line in stderr.strip().splitlines() if line.strip()]
    return said[-1].removeprefix("pimdse: ") if said else f"pimdse has ended with exit code {code}"


def exit_code(code):
    """The exit code as in a shell: 128 plus the signal that killed a process."""
    return 128 - code if code < 0 else code


def not_started(word, launcher, error):
    remedy = "Is the launcher installed?" if launcher else "Set $PIMDSE to the built binary?"
    return f"{word} cannot be started ({error.strerror}). {remedy}"


def call(words, program=None, launcher=(), accepted=COMPLETE):
    """Standard output of a call of pimdse. Raises Refused with its messages if the exit code is not in `accepted`."""
    words = [*launcher, program or find_program(), *words]
    try:
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    except OSError as error:
        raise NotFound(not_started(words[0], launcher, error)) from error
    if done.returncode not in accepted:
        said = "\n".join(line.removeprefix("pimdse: ") for line in done.stderr.strip().splitlines())
        raise Refused(said or sentence("", done.returncode), exit_code(done.returncode))
    return done.stdout
