"""tests/tidy/modules.toml: the modules, their allowed includes, and the exceptions to the rules."""
import re
import tomllib
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from tree import Violation, folder


@dataclass
class Module:
    name: str
    what: str
    uses: list
    namespace: str

    def may_include(self, other):
        return other == self.name or any(fnmatchcase(other, pattern) for pattern in self.uses)


class Catalogue:
    def __init__(self, path):
        text = Path(path).read_text()
        self.data = tomllib.loads(text)
        self.name = "tests/tidy/" + Path(path).name
        self.modules = {name: Module(name, row["what"], row.get("uses", []), row["namespace"])
                        for name, row in self.data.get("module", {}).items()}
        self.base_files = {f"{folder_of(name)}/{file}": name
                           for name, row in self.data.get("module", {}).items() for file in row.get("files", [])}
        self.allowed = self.data.get("allow", [])
        self.lines = [text.count("\n", 0, m.start()) + 1 for m in re.finditer(r"^\[\[allow\]\]", text, re.M)]
        if bare := [row for row in self.allowed if not row.get("why")]:
            raise ValueError(f"{self.name}: {bare[0]} has no reason: add `why`")

    def module(self, path):
        """The name of the module that contains a source: its folder, or the base of the folder if that lists it."""
        return self.base_files.get(path) or folder(path)

    def __getitem__(self, table):
        return self.data.get(table, {})

    def allows(self, violation):
        return any(matches(row, violation) for row in self.allowed)

    def unused(self, violations, rules):
        """The exceptions that match no violation."""
        for line, row in zip(self.lines, self.allowed):
            if row["rule"] in rules and not any(matches(row, v) for v in violations):
                yield Violation(self.name, line, "allow", f"no violation of {row['rule']} in {row['path']}"
                                f" ({row.get('what', 'the file')}) needs this exception: remove it")


def folder_of(module):
    """The base of an architecture is named after its folder: "models/umdam (base)"."""
    return module.split(" (")[0]


def matches(row, violation):
    same = row.get("what", violation.what) == violation.what
    return same and row["rule"] == violation.rule and fnmatchcase(violation.path, row["path"])
