"""tests/tidy/rooms.toml: the rooms, what each may include, and what is allowed although a rule forbids it."""
import re
import tomllib
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from tree import Violation, folder


@dataclass
class Room:
    folder: str
    what: str
    uses: list
    namespace: str

    def may_include(self, room):
        return room == self.folder or any(fnmatchcase(room, pattern) for pattern in self.uses)


class Catalogue:
    def __init__(self, path):
        text = Path(path).read_text()
        self.data = tomllib.loads(text)
        self.name = "tests/tidy/" + Path(path).name
        self.rooms = {name: Room(name, row["what"], row.get("uses", []), row["namespace"])
                      for name, row in self.data.get("room", {}).items()}
        self.grounds = {f"{folder_of(name)}/{file}": name
                        for name, row in self.data.get("room", {}).items() for file in row.get("files", [])}
        self.allowed = self.data.get("allow", [])
        self.lines = [text.count("\n", 0, m.start()) + 1 for m in re.finditer(r"^\[\[allow\]\]", text, re.M)]
        if bare := [row for row in self.allowed if not row.get("why")]:
            raise ValueError(f"{self.name}: {bare[0]} says not why")

    def room(self, path):
        """The name of the room a source stands in: its folder, or the ground floor of the folder that lists the
        file."""
        return self.grounds.get(path) or folder(path)

    def __getitem__(self, table):
        return self.data.get(table, {})

    def allows(self, violation):
        return any(matches(row, violation) for row in self.allowed)

    def forgotten(self, violations, rules):
        """What is allowed and does not occur any more."""
        for line, row in zip(self.lines, self.allowed):
            if row["rule"] in rules and not any(matches(row, v) for v in violations):
                yield Violation(self.name, line, "allow", f"nothing needs the entry for {row['rule']} in {row['path']}"
                                f" ({row.get('what', 'the file')}) any more: take it out")


def folder_of(room):
    """A ground floor is named after its folder: "models/umdam (ground)"."""
    return room.split(" (")[0]


def matches(row, violation):
    meant = row.get("what", violation.what) == violation.what
    return meant and row["rule"] == violation.rule and fnmatchcase(violation.path, row["path"])
