#!/usr/bin/python3
"""Checks the project rules in the whole tree. Prints file, line, rule and remedy of every violation, and exits with 1
if there are any.

tests/tidy/tidy.py [RULE ...]                           all rules, or the named ones
tests/tidy/tidy.py --summary [--verbose] [--build DIR]  the figures that the layout is judged by"""
import argparse
import sys
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import figures  # noqa: E402
import rules  # noqa: E402
from catalogue import Catalogue  # noqa: E402
from tree import Tree  # noqa: E402


def violations(tree, catalogue, names):
    found = [v for name in names for v in rules.ALL[name].check(tree, catalogue)]
    return [v for v in found if not catalogue.allows(v)] + list(catalogue.unused(found, names))


def main():
    flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    flags.add_argument("rule", nargs="*", choices=[*rules.ALL, []], metavar="RULE", help=", ".join(rules.ALL))
    flags.add_argument("--root", default=HERE.parents[1])
    flags.add_argument("--catalogue", default=HERE / "modules.toml")
    flags.add_argument("--summary", action="store_true", help="print figures instead of violations")
    flags.add_argument("--verbose", action="store_true", help="with --summary: list the headers with a single user")
    flags.add_argument("--build", metavar="DIR", help="with --summary: a build folder, whose Ninja log is evaluated")
    given = flags.parse_args()
    if not given.summary and (given.verbose or given.build):
        flags.error("--verbose and --build need --summary")
    tree, catalogue = Tree(given.root), Catalogue(given.catalogue)
    found = violations(tree, catalogue, given.rule or list(rules.ALL))
    if given.summary:
        for line in figures.summary(tree, catalogue, found, given.verbose, given.build):
            print(line)
        return 1 if found else 0
    for violation in found:
        print(violation)
    for rule, count in sorted(Counter(v.rule for v in found).items()):
        print(f"{rule}: {count}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
