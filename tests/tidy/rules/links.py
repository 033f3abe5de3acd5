"""Files and headings that a page links to exist, and so do files that it names."""
import posixpath
import re
from functools import lru_cache

from tree import TOP, Violation, folder

NAME = "links"
LINK = re.compile(r"\[[^\]\n]*\]\(\s*<?([^)\s>]+)>?[^)]*\)")
NAMED = re.compile(rf"`((?:{'|'.join(TOP)})/[\w./-]*\w)`")
SOURCE = re.compile(r"`([\w./-]*\w\.[ch]pp)`")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.M | re.S)


def check(tree, catalogue):
    for path in tree.named(".md"):
        text = FENCE.sub(lambda m: re.sub(r"[^\n]", " ", m.group(0)), tree.text(path))
        for match in LINK.finditer(re.sub(r"`[^`\n]*`", lambda m: " " * len(m.group(0)), text)):
            yield from broken_link(tree, path, line_of(text, match), match.group(1))
        for pattern, is_there in ((NAMED, known), (SOURCE, is_source)):
            for match in pattern.finditer(text):
                name = match.group(1)
                if not is_there(tree, name):
                    line = line_of(text, match)
                    yield Violation(path, line, NAME, f"{name} does not exist: correct the name", name)


def line_of(text, match):
    return text.count("\n", 0, match.start()) + 1


def broken_link(tree, path, line, target):
    if re.match(r"[a-z]+:", target):
        return
    name, _, anchor = target.partition("#")
    full = posixpath.normpath(posixpath.join(folder(path), name)) if name else path
    if not exists(tree, full):
        yield Violation(path, line, NAME, f"{full} does not exist: correct the link", target)
    elif anchor and full.endswith(".md") and anchor not in anchors(tree, full):
        yield Violation(path, line, NAME, f"{full} has no heading #{anchor}: correct the link", target)


def known(tree, name):
    """Whether a name is a file, a folder, or a file without its ending (`sim/pipeline`)."""
    return exists(tree, name) or any(f.startswith((name + ".", name + "_")) for f in tree.files)


def is_source(tree, name):
    """Whether a source has this name, which may leave out folders; `known` judges names with all of them."""
    return name.startswith(tuple(f"{top}/" for top in TOP)) or any(f"/{f}".endswith(f"/{name}") for f in tree.files)


def exists(tree, name):
    """Whether a clone has the file or folder: an empty folder is not part of one."""
    found = tree.root / name
    return found.is_file() or found.is_dir() and any(f.is_file() for f in found.rglob("*"))


@lru_cache(maxsize=None)
def anchors(tree, path):
    """The anchors that GitHub derives from the headings of a page."""
    found, seen = set(), {}
    for title in re.findall(r"^#+\s+(.+?)\s*#*$", FENCE.sub("", tree.text(path)), re.M):
        slug = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).lower()).replace(" ", "-")
        found.add(f"{slug}-{seen[slug]}" if slug in seen else slug)
        seen[slug] = seen.get(slug, 0) + 1
    return found
