"""An index of the words in the sources."""
import re
from collections import Counter
from functools import lru_cache

import cpp


class Words:
    def __init__(self, tree):
        self.tree = tree

    @lru_cache(maxsize=None)
    def lines(self, path):
        """[(line, word)] of a source without comments, literals and includes."""
        code = re.sub(r"^[ \t]*#[ \t]*include[^\n]*", "", self.tree.code(path), flags=re.M)
        numbered = enumerate(code.splitlines(), 1)
        return [(number, word) for number, line in numbered for word in re.findall(r"[A-Za-z_]\w*", line)]

    @lru_cache(maxsize=None)
    def count(self, path):
        """How often each word occurs in a source, without its declarations and definitions there."""
        words = Counter(word for _, word in self.lines(path))
        declared = (d for d in self.tree.declarations(path) if d.kind != "value" or not d.owner)
        words.subtract(d.name.lstrip("~") for d in declared)
        return words

    def outside(self, path, declaration):
        """How often the name of a type occurs in its file outside its body."""
        first, last = declaration.line, max(declaration.last_line, declaration.line)
        declared = sum(d.name == declaration.name and not first <= d.line <= last for d in self.tree.declarations(path))
        return sum(w == declaration.name and not first <= n <= last for n, w in self.lines(path)) - declared
