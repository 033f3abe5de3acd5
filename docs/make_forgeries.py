#!/usr/bin/python3
"""Writes docs/forgeries.md: which checker of certificates notices which forged file.
Usage: docs/make_forgeries.py PROGRAM."""
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CHECKER = ROOT / "analysis" / "check_certificate.py"
MISMATCH = 8
HEAD = """# Forged certificates

`docs/make_forgeries.py` writes this page. Each row is a valid result file of a search by `ladder`, changed as the first
column describes (`tests/end_to_end/forgeries.py`) and sealed again, with a digest, a front and counts that match the
change. `check_certificate.py` checks the proof by an independent program and calls `pimdse verify`, which recomputes
the results of the models. With `--alone` it uses only the file ([searching.md](searching.md) describes what each
checker proves). "noticed" means that the checker refuses the file.

"""
COLUMNS = ("forgery", "`check_certificate.py --alone`", "`pimdse verify`", "`check_certificate.py`")


class Runner:
    def __init__(self, folder, program):
        self.folder, self.program = Path(folder), str(Path(program).resolve())

    def __call__(self, *words, program=None):
        command = [*(program or [self.program]), *map(str, words)]
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True)

    def ok(self, *words):
        done = self(*words)
        if done.returncode:
            sys.exit(f"{' '.join(map(str, words))}: {done.stderr.strip()}")
        return done.stdout

    def verdicts(self, name):
        """Whether each checker notices that something is wrong with the file."""
        checker = ["/usr/bin/python3", "-B", str(CHECKER)]
        done = (
            self(name, "--alone", program=checker),
            self("verify", name),
            self(name, "--program", self.program, program=checker),
        )
        codes = [one.returncode for one in done]
        if not set(codes) <= {0, MISMATCH}:
            sys.exit(f"{name}: {codes} {done}")
        return tuple(code == MISMATCH for code in codes)


def table(noticed):
    lines = ["| " + " | ".join(COLUMNS) + " |", "|" + "---|" * len(COLUMNS)]
    for what, verdicts in noticed.items():
        lines.append(f"| {what} | " + " | ".join("noticed" if seen else "-" for seen in verdicts) + " |")
    return "\n".join(lines) + "\n"


def main(program):
    sys.path.insert(0, str(ROOT / "tests" / "end_to_end"))
    from forgeries import FORGERIES, SPACES, explored, forge

    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(folder, program)
        for name in SPACES:
            if any(runner.verdicts(explored(runner, name))):
                sys.exit(f"{name}: an honest file is refused")
        noticed = {}
        for forgery in FORGERIES:
            noticed[forgery.what] = runner.verdicts(forge(runner, forgery))
            print(noticed[forgery.what], forgery.what, file=sys.stderr)
    (ROOT / "docs" / "forgeries.md").write_text(HEAD + table(noticed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) if len(sys.argv) == 2 else __doc__)
