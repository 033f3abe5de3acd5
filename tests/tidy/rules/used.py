"""Production code outside a header and its own .cpp uses every declaration of the header.

The rule compares names: a name that occurs in any other production file counts as used, so that false reports are rare.
A declaration that both its own .cpp and tests use is accepted."""
from tree import Violation, stem
from words import Words

NAME = "used"
KINDS = ("function", "type", "enum", "alias", "value")
BY_LANGUAGE = {"begin", "end", "main"}  # called without being named


def check(tree, catalogue):
    words = Words(tree)
    tests = tree.named(".cpp", ".hpp", under=("tests",))
    for path in (p for p in tree.production if p.endswith(".hpp")):
        seen = set()
        for d in tree.declarations(path):
            if d.owner and is_shared(tree, path) and named_in_source(words, path, d):
                continue
            if is_checked(d) and d.name not in seen and not used_elsewhere(tree, words, path, d):
                seen.add(d.name)
                if text := advice(words, path, d, tests):
                    yield Violation(path, d.line, NAME, text, d.name)


def is_checked(d):
    if d.kind not in KINDS or not d.public or d.name in BY_LANGUAGE or d.name.startswith(("operator", "~")):
        return False
    return not d.owner or d.kind == "function" and d.name != d.owner[-1]


def named_in_source(words, path, d):
    source = stem(path) + ".cpp"
    return source in words.tree.production and words.count(source)[d.name] > 0


def is_shared(tree, path):
    """Whether the file declares several types and functions, which may call each other."""
    return sum(d.kind in ("type", "function") and not d.owner for d in tree.declarations(path)) > 1


def used_elsewhere(tree, words, path, d):
    own = {path, stem(path) + ".cpp"}
    if any(words.count(other)[d.name] > 0 for other in tree.production if other not in own):
        return True
    return words.outside(path, d) > 0 if d.kind in ("type", "enum", "alias") else words.count(path)[d.name] > 0


def advice(words, path, d, tests):
    """The message, or None if both its own .cpp and tests use the declaration."""
    name, source = "::".join((*d.owner, d.name)), stem(path) + ".cpp"
    inside = source in words.tree.production and words.count(source)[d.name] > 0
    tested = any(words.count(test)[d.name] > 0 for test in tests)
    if inside:
        remedy = "make it private" if d.owner else "declare it there"
        return None if tested else f"only its own .cpp uses {name}: {remedy}"
    return f"only tests use {name}: move it to the tests" if tested else f"no file uses {name}: remove it"
