"""No function has more than 60 lines."""
import ast

from tree import Violation

NAME = "function_length"
LIMIT = 60


def check(tree, catalogue):
    for path in tree.sources:
        for d in tree.declarations(path):
            if d.kind == "function" and d.defined:
                yield from too_long(path, d.line, d.last_line, "::".join((*d.owner, d.name)))
    for path in tree.named(".py"):
        for node in ast.walk(ast.parse(tree.text(path))):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield from too_long(path, node.lineno, node.end_lineno, node.name)


def too_long(path, first, last, name):
    if last - first + 1 > LIMIT:
        text = f"{name} has {last - first + 1} lines; the limit is {LIMIT}: split it"
        yield Violation(path, first, NAME, text, name)
