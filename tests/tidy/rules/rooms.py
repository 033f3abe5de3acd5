"""Every folder with sources is a room of the catalogue, is its namespace, and includes only what the catalogue says."""
import re

from tree import Violation

NAME = "rooms"


def check(tree, catalogue):
    yield from unknown_and_empty(tree, catalogue)
    for path in tree.production:
        if room := catalogue.rooms.get(catalogue.room(path)):
            yield from arrows(tree, catalogue, room, path)
            yield from namespaces(tree, room, path)
    yield from outside_headers(tree, catalogue)


def unknown_and_empty(tree, catalogue):
    rooms = {catalogue.room(path): path for path in reversed(tree.production)}
    for name in sorted(rooms.keys() - catalogue.rooms.keys()):
        text = f"{name} is no room: move the file, or add the room to {catalogue.name}"
        yield Violation(rooms[name], 1, NAME, text, name)
    for name in sorted(catalogue.rooms.keys() - rooms.keys()):
        yield Violation(catalogue.name, 1, NAME, f"the room {name} holds no source: take it out", name)


def arrows(tree, catalogue, room, path):
    for line, name in tree.includes(path):
        there = catalogue.room(name)
        if not room.may_include(there):
            text = f"{room.folder} may not include {there} ({name}): turn the dependency around"
            yield Violation(path, line, NAME, text, there)


def namespaces(tree, room, path):
    """Types of other rooms may be named ahead, nothing else."""
    for d in tree.declarations(path):
        found = "::".join(part for part in d.inside if part)
        if d.kind != "forward" and found.startswith("pimdse") and not f"{found}::".startswith(f"{room.namespace}::"):
            text = f"namespace {found} in {room.folder}: its namespace is {room.namespace}"
            yield Violation(path, d.line, NAME, text, found)
            return


def outside_headers(tree, catalogue):
    """Headers of libraries that are met in one place each."""
    for header, homes in catalogue["only_in"].items():
        for path in tree.production:
            match = re.search(rf"^#include <{re.escape(header)}>", tree.text(path), re.M)
            if match and path not in homes:
                line = tree.text(path).count("\n", 0, match.start()) + 1
                text = f"<{header}> is met in {', '.join(homes)} alone: call what is there"
                yield Violation(path, line, NAME, text, header)
