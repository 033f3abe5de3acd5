"""Every rule finds a planted violation, and reports nothing in a tree without violations."""
import subprocess
import textwrap

import pytest

import rules
from catalogue import Catalogue
from tidy import violations
from tree import Tree

MODULES = """
[plan]
types = ["Design"]
[decimals]
harmless = [0.0, 1.0]
[retired]
Roster = "CandidateTable"
low = { use = "lower bound", match = "part", in = ["code"] }
closed = { forms = ["closes"], use = "pruned", match = "part", except = ["closed form"] }
most = { use = "max_", match = "prefix" }
cubes = { use = "matrix engine", under = ["models"] }
[only_in]
"mpi.h" = ["dse/job.cpp"]
[shares_namespace]
"sim/base" = "a test"
[module."sim/base"]
what = "units"
namespace = "pimdse::sim"
[module."models/upmem"]
what = "an architecture"
namespace = "pimdse::models::upmem"
uses = ["sim/*"]
[module."models/umdam"]
what = "another"
namespace = "pimdse::models::umdam"
uses = ["sim/*"]
[module.dse]
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
    ("formatted", "dse/job.cpp", 12, "int   work();\n", "changes 1 places"),
    ("modules", "dse/new/file.hpp", 1, "", "dse/new is not a module"),
    ("modules", "sim/base/check.hpp", 6, '#include "models/upmem/design.hpp"\n',
     "sim/base may not include models/upmem"),
    ("modules", "models/upmem/design.hpp", 6, '#include "models/umdam/design.hpp"\n', "may not include models/umdam"),
    ("modules", "models/upmem/design.hpp", 7, "namespace pimdse::dse {\nstruct X {};\n}\n",
     "namespace pimdse::dse is not"),
    ("modules", "modules.toml", 1, '[module."sim/noc"]\nwhat = ""\nnamespace = "pimdse::sim"\n',
     "instead of pimdse::sim::noc"),
    ("modules", "sim/base/check.cpp", 4, "#include <mpi.h>\n", "only dse/job.cpp may include <mpi.h>"),
    ("used", "sim/base/check.hpp", 6, "struct Nobody {};\n", "no file uses Nobody"),
    ("used", "sim/base/check.hpp", 6, "inline int nobody() { return 1; }\n", "no file uses nobody"),
    ("used", "models/upmem/design.hpp", 7, "struct Own {\n  int of_own();\n};\nOwn g();\n", "no file uses Own::of_own"),
    ("own_source", "sim/base/check.hpp", 6, "void nowhere();\n", "no file defines nowhere"),
    ("own_source", "sim/base/check.hpp", 6, "int main();\n", "dse/job.cpp defines main"),
    ("unique_types", "models/umdam/design.hpp", 6, "struct Twice {};\n", "also defines the type Twice"),
    ("retired", "dse/job.cpp", 12, "int a;  // asks the Roster\n", "Roster is retired: use CandidateTable"),
    ("retired", "docs/page.md", 4, "the Roster of points\n", "Roster is retired"),
    ("retired", "dse/job.cpp", 12, "int energyLow;\n", "Low is retired: use lower bound"),
    ("retired", "dse/job.cpp", 12, "// It closes a box.\n", "closes is retired: use pruned"),
    ("retired", "dse/job.cpp", 12, "int most_ways = 0;\n", "most is retired: use max_"),
    ("decimals", "models/upmem/design.hpp", 6, "constexpr double guess = 0.85;\n", "0.85"),
    ("decimals", "models/upmem/design.hpp", 6, "constexpr double clock = 350e6;\n", "350e6"),
    ("provenance", "models/upmem/constants.toml", 2, "\nsource = 'a paper, as others quote it'\n", "primary source"),
    ("provenance", "docs/page.md", 4, "figures seen via search\n", "'seen via search'"),
    ("designs", "models/upmem/design.hpp", 7, "struct Design {\n  int lanes = 0;\n};\n", "no row of models/upmem"),
    ("listed", "sim/base/other.cpp", 1, "\n", "no CMakeLists.txt names this file"),
    ("listed", "sim/base/other.hpp", 1, "\n", "no file except its own .cpp includes this header"),
    ("links", "docs/page.md", 4, "[gone](gone.md)\n", "docs/gone.md does not exist"),
    ("links", "docs/page.md", 4, "[gone](page.md#gone)\n", "has no heading #gone"),
    ("links", "docs/page.md", 4, "see `dse/gone.cpp`\n", "dse/gone.cpp does not exist"),
    ("links", "docs/page.md", 4, "see `gone.hpp`\n", "gone.hpp does not exist"),
]


def build(root, files):
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(textwrap.dedent(text))
    (root / "modules.toml").write_text(MODULES)
    return root


def found(root, *names):
    return violations(Tree(root), Catalogue(root / "modules.toml"), names or list(rules.ALL))


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


def test_a_shared_namespace_of_an_unknown_module_is_found(tree):
    catalogue = (tree / "modules.toml").read_text()
    (tree / "modules.toml").write_text(catalogue.replace('"sim/base" = "a test"', '"sim/base" = ""\n"sim/gone" = ""'))
    assert [v.what for v in found(tree, "modules")] == ["sim/gone"]


@pytest.mark.parametrize("includes, kind", [
    ({"sim/base/a.hpp": "sim/base/b.hpp", "sim/base/b.hpp": "sim/base/a.hpp"}, "files"),
    ({"sim/base/a.hpp": "dse/b.hpp", "dse/c.hpp": "sim/base/check.hpp"}, "modules")])
def test_cycles_are_found(tree, includes, kind):
    for path in (*includes, *includes.values()):
        append(tree, path, "")
    for path, name in includes.items():
        append(tree, path, f'#include "{name}"\n')
    assert kind in [v.what for v in found(tree, "cycles")]


def test_sources_of_one_module_may_include_each_other(tree):
    append(tree, "sim/base/a.hpp", '#include "sim/base/b.hpp"\n')
    append(tree, "sim/base/b.cpp", '#include "sim/base/a.hpp"\n')
    append(tree, "sim/base/b.hpp", "")
    assert found(tree, "cycles") == []


@pytest.mark.parametrize("table, missing", [
    ("table.row<&Design::lanes>(count());\nd.width = 1;\n", []),
    ("if (d.lanes == 1 || lanes(d)) return;\ntable.row<&Design::width>(count());\n", ["lanes"])])
def test_a_member_that_parameters_only_read_has_no_row(tree, table, missing):
    append(tree, "models/upmem/design.hpp", "struct Design {\n  int lanes = 0, width = 0;\n};\n")
    append(tree, "models/upmem/parameters.cpp", table)
    assert [v.what for v in found(tree, "designs")] == missing


def test_a_type_that_only_tests_use_is_found(tree):
    append(tree, "sim/base/check.hpp", "struct Lonely {};\n")
    append(tree, "tests/check_test.cpp", "Lonely lonely;\n")
    assert [v.text for v in found(tree, "used")] == ["only tests use Lonely: move it to the tests"]


def test_a_function_that_its_own_source_and_tests_use_is_accepted(tree):
    append(tree, "sim/base/check.hpp", "void look();\n")
    append(tree, "sim/base/check.cpp", "void look() {}\nvoid go() { look(); }\n")
    assert [v.what for v in found(tree, "used")] == ["look"]
    append(tree, "tests/check_test.cpp", "int main() { look(); }\n")
    assert found(tree, "used") == []


def test_exceptions_are_not_reported_and_unused_ones_are(tree):
    append(tree, "models/upmem/design.hpp", "constexpr double guess = 0.85;\n")
    append(tree, "modules.toml", '[[allow]]\nrule = "decimals"\npath = "models/*"\nwhat = "0.85"\nwhy = "a test"\n')
    assert found(tree, "decimals") == []
    append(tree, "modules.toml", '[[allow]]\nrule = "columns"\npath = "x"\nwhy = "a test"\n')
    assert [v.rule for v in found(tree)] == ["used", "allow"]


def test_an_exception_without_a_reason_is_an_error(tree):
    append(tree, "modules.toml", '[[allow]]\nrule = "columns"\npath = "x"\n')
    with pytest.raises(ValueError, match="has no reason"):
        found(tree)


def test_retired_words_in_other_areas_and_in_accepted_phrases_are_ignored(tree):
    append(tree, "dse/job.cpp", 'auto lowest = "energy_low";  // low, and at most a closed\n/// form: closed_form\n')
    append(tree, "dse/job.cpp", "struct InClosedForm {};\nint most;\n")
    assert found(tree, "retired") == []


def test_a_retired_word_counts_in_its_folders_only(tree):
    append(tree, "dse/job.cpp", "// cubes\n")
    append(tree, "models/upmem/design.hpp", "// cubes\n")
    assert [str(v).split(":")[0] for v in found(tree, "retired")] == ["models/upmem/design.hpp"]


def test_a_retired_word_with_an_unknown_key_is_an_error(tree):
    text = (tree / "modules.toml").read_text()
    (tree / "modules.toml").write_text(text.replace('in = ["code"]', 'inside = ["code"]'))
    with pytest.raises(ValueError, match="inside"):
        found(tree, "retired")


def test_numbers_in_literals_and_comments_are_ignored(tree):
    append(tree, "models/upmem/design.hpp", 'constexpr auto text = "0.85";  // 0.85\n')
    assert found(tree, "decimals") == []


def test_a_failure_of_clang_format_is_an_error(tree):
    (tree / ".clang-format").write_text("NoSuchKey: 1\n")
    with pytest.raises(RuntimeError):
        found(tree, "formatted")


def test_the_command_prints_file_line_and_rule_and_fails(tree):
    append(tree, "sim/base/other.cpp", "\n")
    command = ["tidy.py", "--root", tree, "--catalogue", tree / "modules.toml", "listed"]
    command[0] = __file__.replace("test_rules", "tidy")
    done = subprocess.run(["/usr/bin/python3", "-B", *command], capture_output=True, text=True)
    assert (done.returncode, done.stdout.split(": ")[0]) == (1, "sim/base/other.cpp:1")
    assert "[listed]" in done.stdout
