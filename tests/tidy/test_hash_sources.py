"""The hash of the code of sim and models changes with the code alone."""
import importlib.util
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location("hash_sources", ROOT / "cmake" / "hash_sources.py")
hash_sources = importlib.util.module_from_spec(spec)
spec.loader.exec_module(hash_sources)

SOURCE = """#include "a.hpp"
int f(int a) {
    return a / 2;  // half
}
auto url = "http://x";
auto raw = R"(/* a */)";
"""


def hash_of(tmp_path, text, name="sim/a.cpp"):
    root = tmp_path / str(len(list(tmp_path.iterdir())))
    (root / name).parent.mkdir(parents=True)
    (root / name).write_text(text)
    return hash_sources.hash_of(root)


def test_comments_layout_includes_and_names_of_files_do_not_count(tmp_path):
    whole = hash_of(tmp_path, SOURCE)
    assert hash_of(tmp_path, SOURCE, "models/b/c.hpp") == whole
    for change in ((" // half", "/* the\nhalf */"), ("{\n    return", "{ return"), ('"a.hpp"', "<b>"),
                   ("a / 2", "a/2")):
        assert change[0] in SOURCE
        assert hash_of(tmp_path, SOURCE.replace(*change)) == whole, change


def test_every_token_counts(tmp_path):
    whole = hash_of(tmp_path, SOURCE)
    for change in (("a / 2", "a * 2"), ("2", "3"), ("http://x", "http://y"), ("/* a */", "/* b */"), ("int f", "intf"),
                   ("return a", "return // a\n")):
        assert change[0] in SOURCE
        assert hash_of(tmp_path, SOURCE.replace(*change)) != whole, change


def test_nothing_of_the_sources_is_skipped():
    for folder in ("sim", "models"):
        for path in (ROOT / folder).rglob("*.[ch]pp"):
            text = path.read_text()
            matched = "".join("".join(found[0].split()) for found in hash_sources.TOKENS.finditer(text))
            assert matched == "".join(text.split()), path
