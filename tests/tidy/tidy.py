#!/usr/bin/python3
"""Holds the rules of the house over the whole tree: prints file, line, rule and what to do; exits with 1 then.

tests/tidy/tidy.py [RULE ...]     all rules, or those named"""
import argparse
import sys
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import rules  # noqa: E402
from catalogue import Catalogue  # noqa: E402
from tree import Tree  # noqa: E402


def violations(tree, catalogue, names):
    found = [v for name in names for v in rules.ALL[name].check(tree, catalogue)]
    return [v for v in found if not catalogue.allows(v)] + list(catalogue.forgotten(found, names))


def main():
    flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    flags.add_argument("rule", nargs="*", choices=[*rules.ALL, []], metavar="RULE", help=", ".join(rules.ALL))
    flags.add_argument("--root", default=HERE.parents[1])
    flags.add_argument("--catalogue", default=HERE / "rooms.toml")
    flags.add_argument("--summary", action="store_true", help="how many per rule, nothing else")
    given = flags.parse_args()
    found = violations(Tree(given.root), Catalogue(given.catalogue), given.rule or list(rules.ALL))
    for violation in () if given.summary else found:
        print(violation)
    for rule, count in sorted(Counter(v.rule for v in found).items()):
        print(f"{rule}: {count}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
