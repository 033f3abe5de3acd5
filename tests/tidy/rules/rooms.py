"""Every folder with sources is a room of the catalogue, is its namespace, and includes only what the catalogue says."""
import re

from catalogue import folder_of
from tree import Violation

NAME = "rooms"


def check(tree, catalogue):
    yield from unknown_and_empty(tree, catalogue)
    yield from named_after_folders(catalogue)
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


def named_after_folders(catalogue):
    """A room's namespace is its folder, or that of the folder above it where the catalogue says why."""
    shared = catalogue["shares_namespace"]
    for name, room in catalogue.rooms.items():
        *above, last = folder_of(name).split("/")
        wanted = "::".join(["pimdse", *above] if folder_of(name) in shared else ["pimdse", *above, last])
        if room.namespace != wanted:
            text = f"the room {name} has the namespace {room.namespace}: it is {wanted}, or shares_namespace says why"
            yield Violation(catalogue.name, 1, NAME, text, name)
    for folder in shared.keys() - {folder_of(name) for name in catalogue.rooms}:
        yield Violation(catalogue.name, 1, NAME, f"shares_namespace names {folder}, which is no room", folder)


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
