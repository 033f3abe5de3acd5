#!/usr/bin/python3
"""How right the time is that a run says is left: from a tenth of the run on, against what it took.

    tests/bench/scale/remaining.py PROGRAM SPACE [FLAG]...      flags of pimdse explore

Runs the space on a terminal of its own and prints, for every tenth of the run, the time that was left, what was said,
and their ratio; below it the share of all lines within 30 %.
"""
import os
import pty
import re
import sys
import tempfile
import time

SECONDS = {"s": 1, "min": 60, "h": 3600, "d": 86400}
LEFT = re.compile(r"((?:\d+(?:\.\d+)? (?:s|min|h|d) ?)+)left")


def said(line):
    """Seconds that a line of progress says are left; None if it does not."""
    match = LEFT.search(line)
    if not match:
        return None
    return sum(float(number) * SECONDS[unit] for number, unit in re.findall(r"(\d+(?:\.\d+)?) (s|min|h|d)\b", match[1]))


def run(words):
    """The lines of progress with the time each came, and the time of the end."""
    lines, rest = [], ""
    child, terminal = pty.fork()
    if child == 0:
        os.execvp(words[0], words)
    while True:
        try:
            block = os.read(terminal, 65536).decode(errors="replace")
        except OSError:  # the other end is closed
            break
        if not block:
            break
        *whole, rest = (rest + block).replace("\x1b[K", "\r").split("\r")
        lines += [(time.monotonic(), line) for line in whole if line.strip()]
    if os.waitpid(child, 0)[1] != 0:
        sys.exit("\n".join(line for _, line in lines[-3:]) + rest)
    return lines, time.monotonic()


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    program, space, *flags = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        begin = time.monotonic()
        lines, end = run([program, "explore", space, "-o", f"{folder}/run.h5", "--progress", "bar", *flags])
    heard = [((at - begin) / (end - begin), end - at, said(line)) for at, line in lines]
    heard = [(done, left, told) for done, left, told in heard if told is not None and 0.1 <= done and left > 0]
    print(f"{space} {' '.join(flags)}: {end - begin:.0f} s, {len(heard)} lines from a tenth of the run on")
    for tenth in range(1, 10):
        done, left, told = min(heard, key=lambda line: abs(line[0] - tenth / 10))
        print(f"{done:4.0%}  left {left:6.1f} s  said {told:6.1f} s  ratio {told / left:.2f}")
    within = sum(abs(told / left - 1) <= 0.3 for _, left, told in heard)
    print(f"within 30 %: {within / len(heard):.0%} of the lines")


if __name__ == "__main__":
    main()
