"""Each rule finds what it is there to find, and nothing in a tree that is in order."""
import subprocess
import textwrap

import pytest

import rules
from catalogue import Catalogue
from tidy import violations
from tree import Tree

ROOMS = """
[plan]
types = ["Design"]
[decimals]
harmless = [0.0, 1.0]
[retired]
Roster = "CandidateTable"
[only_in]
"mpi.h" = ["dse/job.cpp"]
[shares_namespace]
"sim/base" = "a test"
[room."sim/base"]
what = "units"
namespace = "pimdse::sim"
[room."models/upmem"]
what = "an architecture"
namespace = "pimdse::models::upmem"
uses = ["sim/*"]
[room."models/umdam"]
what = "another"
namespace = "pimdse::models::umdam"
uses = ["sim/*"]
[room.dse]
what = "the search"
namespace = "pimdse::dse"
uses = ["sim/*", "models/*"]
"""
HEADER = "#pragma once\n\nnamespace {space} {{\n{body}}}  // namespace {space}\n"
IN_ORDER = {
    ".clang-format": "BasedOnStyle: Google\nColumnLimit: 120\n",
    "sim/base/check.hpp": HEADER.format(space="pimdse::sim", body="void check();\n"),
    "sim/base/check.cpp": '#include "sim/base/check.hpp"\n\nvoid pimdse::sim::check() {}\n',
    "sim/CMakeLists.txt": "add_library(sim base/check.cpp)\n",
    "models/upmem/design.hpp": HEADER.format(space="pimdse::models::upmem", body="struct Design {};\n"),
    "models/umdam/design.hpp": HEADER.format(space="pimdse::models::umdam", body="struct Design {};\n"),
    "dse/job.cpp": """\
        #include <mpi.h>

        #include "models/umdam/design.hpp"
        #include "models/upmem/design.hpp"
        #include "sim/base/check.hpp"

        int main() {
          pimdse::models::umdam::Design a;
          pimdse::models::upmem::Design b;
          pimdse::sim::check();
        }
        """,
    "dse/CMakeLists.txt": "add_executable(pimdse job.cpp)\n",
    "docs/page.md": "# A page: of ours\n\nSee [it](#a-page-of-ours), [dse](../dse/job.cpp), `sim/base/check`.\n",
}

PLANTED = [
    ("columns", "sim/base/check.cpp", 4, "// " + "long " * 30 + "\n", "153 columns"),
    ("file_length", "sim/base/check.cpp", 601, "\n" * 600, "603 lines"),
    ("file_length", "docs/make.py", 601, "\n" * 601, "601 lines"),
    ("function_length", "dse/job.cpp", 12, "int work() {\n" + "  work();\n" * 59 + "}\n", "work has 61 lines"),
    ("function_length", "docs/make.py", 1, "def work():\n" + "    work()\n" * 60, "work has 61 lines"),
    ("formatted", "dse/job.cpp", 12, "int   work();\n", "1 places differ"),
    ("rooms", "dse/new/file.hpp", 1, "", "dse/new is no room"),
    ("rooms", "sim/base/check.hpp", 6, '#include "models/upmem/design.hpp"\n', "sim/base may not include models/upmem"),
    ("rooms", "models/upmem/design.hpp", 6, '#include "models/umdam/design.hpp"\n', "may not include models/umdam"),
    ("rooms", "models/upmem/design.hpp", 7, "namespace pimdse::dse {\nstruct X {};\n}\n", "namespace pimdse::dse in"),
    ("rooms", "rooms.toml", 1, '[room."sim/noc"]\nwhat = ""\nnamespace = "pimdse::sim"\n', "it is pimdse::sim::noc"),
    ("rooms", "sim/base/check.cpp", 4, "#include <mpi.h>\n", "<mpi.h> is met in dse/job.cpp alone"),
    ("used", "sim/base/check.hpp", 6, "struct Nobody {};\n", "nobody uses Nobody"),
    ("used", "sim/base/check.hpp", 6, "inline int nobody() { return 1; }\n", "nobody uses nobody"),
    ("used", "models/upmem/design.hpp", 7, "struct Own {\n  int of_own();\n};\nOwn g();\n", "nobody uses Own::of_own"),
    ("own_source", "sim/base/check.hpp", 6, "void nowhere();\n", "nobody defines nowhere"),
    ("own_source", "sim/base/check.hpp", 6, "int main();\n", "defined in dse/job.cpp: main"),
    ("unique_types", "models/umdam/design.hpp", 6, "struct Twice {};\n", "Twice is also a type of"),
    ("retired", "dse/job.cpp", 12, "int a;  // asks the Roster\n", "Roster was given up: CandidateTable"),
    ("retired", "docs/page.md", 4, "the Roster of points\n", "Roster was given up"),
    ("decimals", "models/upmem/design.hpp", 6, "constexpr double guess = 0.85;\n", "0.85"),
    ("decimals", "models/upmem/design.hpp", 6, "constexpr double clock = 350e6;\n", "350e6"),
    ("provenance", "models/upmem/constants.toml", 2, "\nsource = 'a paper, as others quote it'\n", "primary source"),
    ("provenance", "docs/page.md", 4, "figures seen via search\n", "'seen via search'"),
    ("designs", "models/upmem/design.hpp", 7, "struct Design {\n  int lanes = 0;\n};\n", "no row of models/upmem"),
    ("listed", "sim/base/other.cpp", 1, "\n", "no CMakeLists.txt names it"),
    ("listed", "sim/base/other.hpp", 1, "\n", "nobody but its own .cpp includes it"),
    ("links", "docs/page.md", 4, "[gone](gone.md)\n", "there is no docs/gone.md"),
    ("links", "docs/page.md", 4, "[gone](page.md#gone)\n", "has no heading #gone"),
    ("links", "docs/page.md", 4, "see `dse/gone.cpp`\n", "there is no dse/gone.cpp"),
]


def build(root, files):
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(textwrap.dedent(text))
    (root / "rooms.toml").write_text(ROOMS)
    return root


def found(root, *names):
    return violations(Tree(root), Catalogue(root / "rooms.toml"), names or list(rules.ALL))


@pytest.fixture
def tree(tmp_path):
    return build(tmp_path, IN_ORDER)


def append(root, path, text):
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    with open(root / path, "a") as file:
        file.write(text)


def test_a_tree_in_order_has_no_violations(tree):
    assert found(tree) == []


@pytest.mark.parametrize("rule, path, line, text, message", PLANTED, ids=[f"{p[0]}: {p[4]}" for p in PLANTED])
def test_a_planted_violation_is_found_where_it_is(tree, rule, path, line, text, message):
    if rule == "unique_types":
        append(tree, "models/upmem/design.hpp", text)
    append(tree, path, text)
    seen = found(tree, rule)
    assert [(v.rule, v.line) for v in seen if message in v.text and path in str(v)] == [(rule, line)], seen


def test_every_rule_has_a_planted_violation():
    assert {p[0] for p in PLANTED} | {"cycles"} == set(rules.ALL)


def test_a_shared_namespace_of_no_room_is_found(tree):
    catalogue = (tree / "rooms.toml").read_text()
    (tree / "rooms.toml").write_text(catalogue.replace('"sim/base" = "a test"', '"sim/base" = ""\n"sim/gone" = ""'))
    assert [v.what for v in found(tree, "rooms")] == ["sim/gone"]


@pytest.mark.parametrize("includes, kind", [
    ({"sim/base/a.hpp": "sim/base/b.hpp", "sim/base/b.hpp": "sim/base/a.hpp"}, "files"),
    ({"sim/base/a.hpp": "dse/b.hpp", "dse/c.hpp": "sim/base/check.hpp"}, "rooms")])
def test_circles_are_found(tree, includes, kind):
    for path in (*includes, *includes.values()):
        append(tree, path, "")
    for path, name in includes.items():
        append(tree, path, f'#include "{name}"\n')
    assert kind in [v.what for v in found(tree, "cycles")]


def test_sources_of_one_room_may_know_each_other(tree):
    append(tree, "sim/base/a.hpp", '#include "sim/base/b.hpp"\n')
    append(tree, "sim/base/b.cpp", '#include "sim/base/a.hpp"\n')
    append(tree, "sim/base/b.hpp", "")
    assert found(tree, "cycles") == []


def test_what_only_tests_use_is_found(tree):
    append(tree, "sim/base/check.hpp", "struct Lonely {};\n")
    append(tree, "tests/check_test.cpp", "Lonely lonely;\n")
    assert [v.text for v in found(tree, "used")] == ["only tests use Lonely: move it to the tests"]


def test_what_its_own_source_and_tests_use_may_stay(tree):
    append(tree, "sim/base/check.hpp", "void look();\n")
    append(tree, "sim/base/check.cpp", "void look() {}\nvoid go() { look(); }\n")
    assert [v.what for v in found(tree, "used")] == ["look"]
    append(tree, "tests/check_test.cpp", "int main() { look(); }\n")
    assert found(tree, "used") == []


def test_what_is_allowed_is_not_reported_and_what_nobody_needs_is(tree):
    append(tree, "models/upmem/design.hpp", "constexpr double guess = 0.85;\n")
    append(tree, "rooms.toml", '[[allow]]\nrule = "decimals"\npath = "models/*"\nwhat = "0.85"\nwhy = "a test"\n')
    assert found(tree, "decimals") == []
    append(tree, "rooms.toml", '[[allow]]\nrule = "columns"\npath = "x"\nwhy = "a test"\n')
    assert [v.rule for v in found(tree)] == ["used", "allow"]


def test_an_entry_without_a_reason_is_refused(tree):
    append(tree, "rooms.toml", '[[allow]]\nrule = "columns"\npath = "x"\n')
    with pytest.raises(ValueError, match="says not why"):
        found(tree)


def test_numbers_in_texts_and_comments_are_none(tree):
    append(tree, "models/upmem/design.hpp", 'constexpr auto text = "0.85";  // 0.85\n')
    assert found(tree, "decimals") == []


def test_clang_format_that_fails_is_not_taken_for_order(tree):
    (tree / ".clang-format").write_text("NoSuchKey: 1\n")
    with pytest.raises(RuntimeError):
        found(tree, "formatted")


def test_the_command_prints_file_line_and_rule_and_fails(tree):
    append(tree, "sim/base/other.cpp", "\n")
    command = ["tidy.py", "--root", tree, "--catalogue", tree / "rooms.toml", "listed"]
    command[0] = __file__.replace("test_rules", "tidy")
    done = subprocess.run(["/usr/bin/python3", "-B", *command], capture_output=True, text=True)
    assert (done.returncode, done.stdout.split(": ")[0]) == (1, "sim/base/other.cpp:1")
    assert "[listed]" in done.stdout
