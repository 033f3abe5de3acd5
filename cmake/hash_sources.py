"""hash_sources.py ROOT OUTPUT writes a C++ file with the SHA-256 of all code on which results depend: sim and models.

Comments, white space, includes, file names and the order of files are excluded, because they cannot change a result.
The file is rewritten only when the hash changes."""
import hashlib
import re
import sys
from pathlib import Path

TOKENS = re.compile(
    r"""(?P<comment>//(?:\\\n|[^\n])*|/\*.*?\*/)
      | (?P<directive>^[ \t]*\#[ \t]*(?:include|pragma[ \t]+once)[^\n]*)
      | (?P<text>R"(?P<mark>[^()\\\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
      | (?P<word>[A-Za-z0-9_.]+(?:'[A-Za-z0-9_.]+)*)
      | (?P<sign>[^\sA-Za-z0-9_])""", re.VERBOSE | re.DOTALL | re.MULTILINE)


def code_of(text):
    """The tokens of a source file, one per line."""
    return "\n".join(found[0] for found in TOKENS.finditer(text)
                     if found.lastgroup not in ("comment", "directive"))


def hash_of(root):
    sources = [path for folder in ("sim", "models") for path in sorted((root / folder).rglob("*.[ch]pp"))]
    sums = sorted(hashlib.sha256(code_of(path.read_text()).encode()).hexdigest() for path in sources)
    return hashlib.sha256("\n".join(sums).encode()).hexdigest()


def main(root, output):
    text = (f"#include <string_view>\n\nnamespace pimdse::dse::space {{\nstd::string_view program_hash();\n}}\n\n"
            f"std::string_view pimdse::dse::space::program_hash() {{ return \"{hash_of(Path(root))}\"; }}\n")
    if not Path(output).is_file() or Path(output).read_text() != text:
        Path(output).write_text(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
