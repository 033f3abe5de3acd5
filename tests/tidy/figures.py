#!/usr/bin/python3
"""Prints what the layout of the sources is judged by: width of lines, length of functions, circles, tests over sources.

    tests/tidy/figures.py
"""
import ast
from pathlib import Path

import rules
from catalogue import Catalogue
from tidy import violations
from tree import Tree

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
NARROW = 110


def functions(tree):
    """Lines of every function with a body."""
    for path in tree.sources:
        for d in tree.declarations(path):
            if d.kind == "function" and d.defined:
                yield d.last_line - d.line + 1
    for path in tree.named(".py"):
        for node in ast.walk(ast.parse(tree.text(path))):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield node.end_lineno - node.lineno + 1


def main():
    tree, catalogue = Tree(ROOT), Catalogue(HERE / "rooms.toml")
    code = [*tree.sources, *tree.named(".py")]
    lines = {path: tree.text(path).splitlines() for path in code}
    widths = [len(line) for text in lines.values() for line in text]
    lengths = sorted(functions(tree))
    tests = sum(len(text) for path, text in lines.items() if str(path).startswith("tests/"))
    narrow = sum(width <= NARROW for width in widths) / len(widths)
    print(f"lines of at most {NARROW} columns: {narrow:.1%}, widest {max(widths)}")
    print(f"functions: {len(lengths)}, median {lengths[len(lengths) // 2]}, 95 of 100 have at most "
          f"{lengths[int(0.95 * len(lengths))]} lines, longest {lengths[-1]}")
    print(f"circles of includes: {len(violations(tree, catalogue, ['cycles']))}")
    print(f"lines of tests over lines of sources: {tests / (len(widths) - tests):.2f}")
    for rule in rules.ALL:
        print(f"{rule}: {len(violations(tree, catalogue, [rule]))} violations")


if __name__ == "__main__":
    main()
