"""Every member of a Design has a row in parameters.cpp."""
import re

from tree import Violation, folder

NAME = "designs"
DESIGN = re.compile(r"^struct Design \{\n(.*?)^\};", re.M | re.S)
MEMBER = re.compile(r"(\w+)\s*(?=[;,])")
SET = re.compile(r"&(?:\w+::)*(\w+)>|\.(\w+)\s*=(?!=)")   # the member of a row, or an assignment in its function


def check(tree, catalogue):
    for path in tree.named("/design.hpp", under=("models",)):
        code = tree.code(path)
        if body := DESIGN.search(code):
            table = tree.code(table_of(path)) if table_of(path) in tree.files else ""
            named = {name for match in SET.findall(table) for name in match}
            first = code.count("\n", 0, body.start(1)) + 1
            for line, name in members(body.group(1)):
                if name not in named:
                    text = f"no row of {table_of(path)} sets {name}: add a row, or remove the member"
                    yield Violation(path, first + line, NAME, text, name)


def table_of(path):
    return f"{folder(path)}/parameters.cpp"


def members(body):
    """(line, name) of the data members, without initialisers, template arguments and functions."""
    for skipped in (r"\{[^{}]*\}", r"=[^,;]*", r"<[^<>;]*>"):
        body = re.sub(skipped, lambda m: re.sub(r"[^\n]", " ", m.group(0)), body)
    body = re.sub(r"[^;\n]*\([^;\n]*\)[^;\n]*", "", body)
    return [(body.count("\n", 0, m.start()), m.group(1)) for m in MEMBER.finditer(body)]
