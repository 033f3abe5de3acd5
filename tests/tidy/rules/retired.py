"""Sources and pages contain no retired words. tests/tidy/modules.toml lists them, each with its replacement."""
import re
from functools import lru_cache

import cpp
from tree import Violation

NAME = "retired"
AREAS = ("code", "comments", "strings", "pages")
WORD = re.compile(r"[A-Za-z_]\w*")
PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
KEYS = {"use", "forms", "match", "in", "under", "except"}


def check(tree, catalogue):
    for path, line, word, entry in found(tree, Vocabulary(catalogue["retired"])):
        yield Violation(path, line, NAME, f"{word} is retired: use {entry.use}", word)


def found(tree, vocabulary):
    """(file, line, word, entry) of every occurrence of a word of the vocabulary."""
    for path in [*tree.sources, *tree.named(".md", under=("docs", "models", "sim"))]:
        if not any(map(vocabulary.of, set(WORD.findall(tree.text(path))))):
            continue
        areas = {"pages": tree.text(path)} if path.endswith(".md") else cpp.areas(tree.text(path))
        for area, text in areas.items():
            for start, word, entry in vocabulary.occurrences(text):
                if area in entry.areas and entry.counts_in(path) and not entry.accepts(text, start):
                    yield path, text.count("\n", 0, start) + 1, word, entry


class Entry:
    """A retired word: its forms, where it counts, and the phrases that may contain it."""

    def __init__(self, word, row):
        row = {"use": row} if isinstance(row, str) else row
        if unknown := row.keys() - KEYS | set(row.get("in", ())) - set(AREAS):
            raise ValueError(f"the retired word {word} has unknown keys or areas: {', '.join(sorted(unknown))}")
        self.word, self.use = word, row["use"]
        self.forms = [word, *row.get("forms", ())]
        self.match = row.get("match", "word")
        self.areas = row.get("in", AREAS)
        self.folders = tuple(f"{folder}/" for folder in row.get("under", ()))
        self.exceptions = [phrase_pattern(phrase) for phrase in row.get("except", ())]

    def counts_in(self, path):
        return not self.folders or path.startswith(self.folders)

    def accepts(self, text, start):
        """Whether the word at `start` is part of a phrase that the entry accepts."""
        first, last = max(0, start - 80), start + 80
        return any(m.start() <= start < m.end() for p in self.exceptions for m in p.finditer(text, first, last))


class Vocabulary:
    """The words of one table. A row is the replacement, or a table:

    use     the replacement
    forms   more forms of the word
    match   "word" (default): a whole identifier or word of prose, in this case of letters;
            "part": a part of an identifier (part_of_it, PartOfIt) or a word of prose, in any case of letters;
            "prefix": the first part of an identifier with several parts
    in      any of "code" (without comments and literals), "comments", "strings" (literals, and files in includes) and
            "pages" (.md); default: all of them
    under   folders; default: all
    except  phrases that may contain the word: `closed form` accepts closed_form, ClosedForm and closed-form, too"""

    def __init__(self, table):
        self.entries = [Entry(word, row) for word, row in table.items()]
        self.by = {kind: {form: entry for entry in self.entries if entry.match == kind for form in entry.forms}
                   for kind in ("word", "part", "prefix")}
        if wrong := [entry.word for entry in self.entries if entry.match not in self.by]:
            raise ValueError(f"the retired word {wrong[0]} must match a word, a part or a prefix")
        self.of = lru_cache(maxsize=None)(self.of)

    def occurrences(self, text):
        for match in WORD.finditer(text):
            for offset, word, entry in self.of(match.group(0)):
                yield match.start() + offset, word, entry

    def of(self, identifier):
        """[(offset, word, entry)] of the retired words in an identifier."""
        hits = [(0, identifier, self.by["word"][identifier])] if identifier in self.by["word"] else []
        parts = [(m.start(), m.group(0)) for m in PARTS.finditer(identifier)]
        hits += [(at, part, self.by["part"][part.lower()]) for at, part in parts if part.lower() in self.by["part"]]
        if len(parts) > 1 and (entry := self.by["prefix"].get(parts[0][1].lower())):
            hits.append((*parts[0], entry))
        return hits


def phrase_pattern(phrase):
    """The words of a phrase, separated by anything except letters and digits, or by nothing."""
    return re.compile(r"[\W_]*".join(map(re.escape, re.findall(r"\w+", phrase))), re.I)
